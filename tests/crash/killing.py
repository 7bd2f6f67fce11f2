"""Runs that are killed at random moments and gone on with, and what has become of them."""

import asyncio
import os
import random
import signal
import sqlite3
import time
from contextlib import aclosing, closing
from dataclasses import dataclass, field
from pathlib import Path

from runner.agent import Agent
from runner.engine.events import RunFinished
from runner.engine.journal import CallStarted, Finished
from runner.sessions.sqlite import SqliteStore
from tests.crash.project import MODES, make_plan, open_agent, write_project, written
from tests.sessions.follower import Plan, lost_calls

SESSION = "run"
STEPS = 8
# Seconds until a kill, at most: some come while a process is still getting ready, some when it is far on.
LONGEST = (0.04, 0.12, 0.24)


@dataclass
class Tally:
    """What happened in all runs.

    Attributes:
        runs: how many were brought to their end.
        kills: how many processes were killed before they were done.
        calls: how many different calls were asked for.
        unknown: calls that were running when a process was killed: the documented window.
        repeated: lines that an idempotent tool wrote once more for such a call.
        unwritten: such calls that were not made again, and had not written their line.
        faults: everything that must not be.
    """

    runs: int = 0
    kills: int = 0
    calls: int = 0
    unknown: int = 0
    repeated: int = 0
    unwritten: int = 0
    faults: list[str] = field(default_factory=list)


def kill_runs(folder: Path, kills: int, seed: int) -> Tally:
    """Kill that many processes, run by run; each run is gone on with to its end."""
    chance, tally = random.Random(seed), Tally()
    write_project(folder / "project")
    while tally.kills < kills:
        mode = MODES[tally.runs % len(MODES)]
        plan = make_plan(chance, STEPS)
        agent = open_agent(folder / "project", mode, plan)
        trial = _Trial(folder / f"run-{tally.runs}", agent, plan, tally)
        trial.go(chance, kills)
        tally.runs += 1
    return tally


class _Trial:
    """One run, killed again and again."""

    def __init__(self, folder: Path, agent: Agent, plan: Plan, tally: Tally) -> None:
        folder.mkdir()
        self._ledger = folder / "ledger"
        self._store = SqliteStore(folder / "state")
        self._agent = agent
        self._plan = plan
        self._tally = tally
        self._lost: set[str] = set()
        os.environ["LEDGER"] = str(self._ledger)

    def go(self, chance: random.Random, kills: int) -> None:
        """Kill it until it is done, or until there were so many kills in all."""
        while not self._is_done():
            last = self._tally.kills >= kills
            code = self._child(None if last else chance.uniform(0, chance.choice(LONGEST)))
            if code == -signal.SIGKILL:
                self._tally.kills += 1
            elif code != 0:
                self._fault(f"a process ended with {code}")
                return
            self._check_store()
        self._check_lines()

    def _child(self, kill_after: float | None) -> int:
        """The exit code of a process that begins the run or goes on with it; -9 when it was killed."""
        pid = os.fork()
        if pid == 0:
            os._exit(self._run())
        if kill_after is not None:
            time.sleep(kill_after)
            os.kill(pid, signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def _run(self) -> int:
        try:
            finished = asyncio.run(self._part())
        except BaseException as error:  # noqa: BLE001 - the end of a forked process, which must not run its parent's code
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
            return 70
        return 0 if finished.status == "completed" else 71

    async def _part(self) -> RunFinished:
        with self._store.open(SESSION, create=True) as opened:
            session = opened.session
            events = self._agent.resume(session) if session.unfinished else self._agent.stream("Go", session=session)
            async with aclosing(events):
                async for event in events:
                    if isinstance(event, RunFinished):
                        return event
        raise RuntimeError("no end")

    def _is_done(self) -> bool:
        if not self._store.exists(SESSION):
            return False
        entries = self._store.entries(SESSION)
        return bool(entries) and isinstance(entries[-1].entry, Finished)

    def _check_store(self) -> None:
        if not self._store.path.exists():
            return
        with closing(sqlite3.connect(self._store.path)) as connection:
            (found,) = connection.execute("PRAGMA integrity_check").fetchone()
        if found != "ok":
            self._fault(f"the database is damaged: {found}")
        if self._store.exists(SESSION):
            verification = self._store.verify(SESSION)
            if not verification.ok:
                self._fault(f"the chain is broken: {verification.problem}")
            self._lost |= lost_calls([each.entry for each in self._store.entries(SESSION)])

    def _check_lines(self) -> None:
        entries = [each.entry for each in self._store.entries(SESSION)]
        numbers = {each.id: (each.arguments or {})["n"] for each in entries if isinstance(each, CallStarted)}
        lost, lines = {numbers[call] for call in self._lost}, written(self._ledger)
        asked = {arguments["n"]: name for calls in self._plan for name, arguments in calls or ()}
        for number, name in asked.items():
            count = lines.pop(number, 0)
            if count != 1 and not (number in lost and (count >= 1 if name == "look" else count == 0)):
                self._fault(f"call {number} of {name} wrote {count} lines")
            self._tally.repeated += max(0, count - 1)
            self._tally.unwritten += count == 0
        if lines:
            self._fault(f"lines that nobody asked for: {dict(lines)}")
        last = entries[-1]
        if not isinstance(last, Finished) or last.finished.answer != f"done after {len(self._plan)}":
            self._fault(f"the run ended with {last}")
        self._tally.calls += len(asked)
        self._tally.unknown += len(lost)

    def _fault(self, what: str) -> None:
        self._tally.faults.append(f"run {self._tally.runs}: {what}")
