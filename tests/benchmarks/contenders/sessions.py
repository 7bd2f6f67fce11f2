"""What keeping sessions costs, and whether many written at once are whole: `python sessions.py sessions FOLDER`.

FOLDER is on the disk that is measured; prints a line of figures in seconds.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from runner.engine.journal import CallStarted, Entry
from runner.sessions.sqlite import SqliteStore
from tests.sessions.entries import began, call, ended, finished, replied, started

STEPS = 400
PROCESSES, SESSIONS_EACH = 4, 50
TEXT = "A sentence of the usual length, as a model or a tool gives it. " * 12


def notes(store: SqliteStore) -> dict[str, float]:
    """Seconds of a note, and of one that waits for the disk, in a session of many steps that is opened and checked."""
    times: dict[type[Entry], list[float]] = {}
    with store.open("notes", create=True) as opened:
        journal = opened.session.journal
        journal.note(began())
        for step in range(1, STEPS + 1):
            id_ = f"call_{step}"
            steps = (
                replied(step, call(id_, text=TEXT), text=TEXT),
                started(id_, step=step),
                ended(id_, TEXT, step=step),
            )
            for entry in steps:
                start = time.perf_counter()
                journal.note(entry)
                times.setdefault(type(entry), []).append(time.perf_counter() - start)
        journal.note(finished(answer="Done."))
    durable = times.pop(CallStarted)
    ordinary = sorted(each for kind in times.values() for each in kind)
    return {
        "note": statistics.median(ordinary),
        "note_p95": ordinary[len(ordinary) * 95 // 100],
        "durable": statistics.median(durable),
        **reading(store),
    }


def reading(store: SqliteStore) -> dict[str, float]:
    """Seconds until that session is opened, and until it is checked."""
    start = time.perf_counter()
    with store.open("notes", create=False):
        opened = time.perf_counter()
    again = time.perf_counter()
    if not store.verify("notes").ok:
        raise RuntimeError("the session is not whole")
    return {"opening": opened - start, "verifying": time.perf_counter() - again}


def crowd(folder: Path) -> dict[str, float]:
    """Seconds in which several processes write many sessions, and how many of these are not whole."""
    start = time.perf_counter()
    command = [sys.executable, "-P", __file__, "write", str(folder)]
    writers = [subprocess.Popen([*command, str(number)]) for number in range(PROCESSES)]
    codes = [writer.wait() for writer in writers]
    seconds = time.perf_counter() - start
    if any(codes):
        raise RuntimeError(f"the writers ended with {codes}")
    store = SqliteStore(folder)
    whole = sum(info.entries == 2 + 20 and store.verify(info.id).ok for info in store.list())
    return {"crowd": seconds, "not_whole": PROCESSES * SESSIONS_EACH - whole}


def write(folder: Path, writer: str) -> None:
    """Write many sessions, all of them open at once."""
    store = SqliteStore(folder)
    opened = [store.open(f"{writer}-{number}", create=True) for number in range(SESSIONS_EACH)]
    journals = [each.session.journal for each in opened]
    entries: list[Entry] = [began(), *(replied(step, text=TEXT) for step in range(20)), finished(answer="Done.")]
    for entry in entries:
        for journal in journals:
            journal.note(entry)
    for each in opened:
        each.close()


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(Path(sys.argv[2]), sys.argv[3])
    else:
        place = Path(tempfile.mkdtemp(dir=sys.argv[2]))  # each round writes the same sessions, anew
        print(json.dumps({**notes(SqliteStore(place / "state")), **crowd(place / "crowd")}))
