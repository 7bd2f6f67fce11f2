"""Several processes with one store: nothing is lost, nobody gets in between, and a killed one lets go."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from threading import Timer

import pytest

from runner.sessions.ports import SessionInUse
from runner.sessions.sqlite import SqliteStore
from tests.sessions.entries import began, finished, replied

ROOT = Path(__file__).parent.parent.parent
PROCESSES, SESSIONS_EACH, NOTES = 3, 16, 5
OPENINGS = 15


def child(act: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.sessions.test_processes", act, *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def said(process: subprocess.Popen[str]) -> str:
    out, _ = process.communicate(timeout=60)
    return out


def test_many_sessions_written_at_once_lose_nothing(tmp_path: Path) -> None:
    writers = [child("write", tmp_path / "state", number) for number in range(PROCESSES)]

    assert [said(writer) for writer in writers] == [""] * PROCESSES

    store = SqliteStore(tmp_path / "state")
    infos = store.list()
    assert len(infos) == PROCESSES * SESSIONS_EACH
    assert {info.entries for info in infos} == {NOTES + 2}
    assert all(store.verify(info.id).ok for info in infos)


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "state")
    holder = child("hold", store.folder)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"

    with pytest.raises(SessionInUse) as caught:
        store.open("s", create=False)
    assert caught.value.pid == holder.pid

    os.kill(holder.pid, signal.SIGKILL)
    said(holder)
    with store.open("s", create=False) as opened:
        assert opened.session.unfinished is not None
        opened.session.journal.note(replied(1))
    assert len(store.entries("s")) == 2


def test_who_waits_gets_the_session_when_it_is_free(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "state")
    with store.open("s", create=True):
        waiter = child("wait", store.folder)
        assert waiter.stdout is not None
        assert waiter.stdout.readline() == "waiting\n"
        time.sleep(0.2)
        assert waiter.poll() is None

    assert said(waiter) == "got it\n"
    assert store.list()[0].entries == 1


def test_a_session_is_never_open_twice_at_once(tmp_path: Path) -> None:
    # Each counts one up in a way that only one at a time can; the lock file comes and goes meanwhile.
    count = tmp_path / "count"
    count.write_text("0")
    counters = [child("count", tmp_path / "state", count) for _ in range(PROCESSES)]

    assert [said(counter) for counter in counters] == [""] * PROCESSES
    assert count.read_text() == str(PROCESSES * OPENINGS)


@pytest.mark.parametrize("lock", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
def test_a_database_that_is_locked_for_a_while_is_waited_for(tmp_path: Path, lock: str) -> None:
    store = SqliteStore(tmp_path / "state")
    with store.open("s", create=True) as opened, closing(sqlite3.connect(store.path, check_same_thread=False)) as other:
        journal = opened.session.journal
        for act in (lambda: journal.note(began()), store.list, lambda: store.open("t", create=True).close()):
            other.execute(lock)
            release = Timer(0.1, other.rollback)
            release.start()
            act()
            release.join()

    assert [info.entries for info in store.list()] == [0, 1]


def main(act: str, folder: str, *more: str) -> None:
    """What the child processes do."""
    store = SqliteStore(Path(folder))
    if act == "write":
        for number in range(SESSIONS_EACH):
            with store.open(f"s-{more[0]}-{number}", create=True) as opened:
                journal = opened.session.journal
                journal.note(began())
                for step in range(NOTES):
                    journal.note(replied(step))
                journal.note(finished(answer="Done."))
    elif act == "count":
        for _ in range(OPENINGS):
            with store.open("s", create=True, wait=60):
                count = int(Path(more[0]).read_text())
                time.sleep(0.001)
                Path(more[0]).write_text(str(count + 1))
    elif act == "hold":
        with store.open("s", create=True) as opened:
            opened.session.journal.note(began())
            print("held", flush=True)  # noqa: T201 - what the parent waits for
            time.sleep(60)
    else:
        print("waiting", flush=True)  # noqa: T201 - as above
        with store.open("s", create=False, wait=30) as opened:
            opened.session.journal.note(began())
            print("got it", flush=True)  # noqa: T201 - as above


if __name__ == "__main__":
    main(*sys.argv[1:])
