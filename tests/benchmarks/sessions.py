"""What keeping sessions costs: `python -m tests.benchmarks.sessions [FOLDER]`.

Prints the milliseconds of a note by kind (with and without waiting for the disk), how the steps of a run of 400 grow,
and whether many sessions written at once are whole. FOLDER is on the disk to measure; the working directory when it is
not given.
"""

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

from runner.engine.journal import Entry, Journal, NoJournal
from runner.engine.ports import Capabilities, Delta, ModelReply, ModelRequest
from runner.sessions.sqlite import SqliteStore
from runner.spec import Limits
from tests.engine.voices import VOICES, play, returning
from tests.sessions.entries import began, call, ended, finished, replied, started

NOTES = 600
STEPS, EDGE = 400, 50
PROCESSES, SESSIONS_EACH = 4, 50
TEXT = "A sentence of the usual length, as a model or a tool gives it. " * 12


def notes(store: SqliteStore) -> None:
    """Print what a note costs."""
    kinds: list[Entry] = [
        replied(1, call("a", text=TEXT), text=TEXT),
        started("a", arguments={"text": TEXT}),
        ended("a", TEXT),
    ]
    times: dict[str, list[float]] = {}
    with store.open("notes", create=True) as opened:
        journal = opened.session.journal
        journal.note(began())
        for number in range(NOTES):
            entry = kinds[number % len(kinds)]
            begun = time.perf_counter()
            journal.note(entry)
            times.setdefault(type(entry).__name__, []).append(time.perf_counter() - begun)
    times["all notes"] = [each for kind in times.values() for each in kind]
    for name, seconds in times.items():
        ordered = sorted(seconds)
        p95 = ordered[len(ordered) * 95 // 100]
        waits = ", waits for the disk" if name == "CallStarted" else ""
        print(f"{name:12} median {statistics.median(ordered) * 1e3:7.3f} ms   p95 {p95 * 1e3:7.3f} ms{waits}")


class Stepping:
    """A model that calls a tool at every step, and times what happens between its own replies."""

    name = "scripted/stepping"
    retries = 0

    def __init__(self) -> None:
        self.between: list[float] = []
        self._asked = 0
        self._replied = 0.0

    async def open(self) -> Capabilities:
        return Capabilities()

    async def ask(self, request: ModelRequest) -> AsyncGenerator[Delta | ModelReply, None]:
        del request
        if self._asked:
            self.between.append(time.perf_counter() - self._replied)
        self._asked += 1
        voice = VOICES["native"]
        done = self._asked > STEPS
        reply = voice.answer("Done.") if done else voice.calls(("save", {"n": self._asked, "text": TEXT}))
        self._replied = time.perf_counter()
        yield replace(reply, cost=0.0)

    async def close(self) -> None:
        pass


def growth(name: str, journal: Journal) -> None:
    """Print how long the first and the last steps of a run take."""
    model, limits = Stepping(), Limits(max_steps=STEPS + 1, max_tool_calls=STEPS)
    journal.note(began())
    ran = asyncio.run(play("native", [], [returning("save", TEXT)], model=model, limits=limits, journal=journal))
    assert ran.finished.status == "completed", ran.finished
    first, last = (statistics.median(part) * 1e3 for part in (model.between[:EDGE], model.between[-EDGE:]))
    print(f"{name:12} first {EDGE} steps {first:.3f} ms, last {EDGE} {last:.3f} ms: {last / first:.2f} times")


def reading(store: SqliteStore, session: str) -> None:
    """Print how long a long session takes to be opened and checked."""
    begun = time.perf_counter()
    with store.open(session, create=False) as opened:
        history = len(opened.session.history)
    again = time.perf_counter()
    assert store.verify(session).ok
    checked = time.perf_counter() - again
    print(f"opening it   {(again - begun) * 1e3:.1f} ms ({history} messages), verifying {checked * 1e3:.1f} ms")


def crowd(store: SqliteStore) -> None:
    """Print how many sessions several processes wrote at once, and what is missing."""
    begun = time.perf_counter()
    command = [sys.executable, "-m", "tests.benchmarks.sessions", "--write", str(store.folder)]
    writers = [subprocess.Popen([*command, str(number)]) for number in range(PROCESSES)]
    codes = [writer.wait() for writer in writers]
    seconds = time.perf_counter() - begun
    whole = [info.id for info in store.list() if info.entries == 2 + 20 and store.verify(info.id).ok]
    expected = PROCESSES * SESSIONS_EACH
    missing = expected - len(whole)
    print(f"{PROCESSES} processes   {expected} sessions in {seconds:.1f} s, {missing} not whole, exits {codes}")


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


def main(folder: str = ".") -> None:
    """Measure everything."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        store = SqliteStore(Path(place) / "state")
        notes(store)
        growth("no session", NoJournal())
        with store.open("growth", create=True) as opened:
            growth("a session", opened.session.journal)
        reading(store, "growth")
        crowd(SqliteStore(Path(place) / "crowd"))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        write(Path(sys.argv[2]), sys.argv[3])
    else:
        main(*sys.argv[1:])
