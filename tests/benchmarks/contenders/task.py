"""Takes part in a benchmark: reads what is to be done, has a contender do it, measures, and prints the figures.

It needs only the standard library, and at its import as little of that as it can: peers have other environments, and in
`cold-run` this is part of what is timed.
"""

import asyncio
import gc
import json
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from tests.benchmarks.contenders import memory
from tests.benchmarks.contenders.tools import TOOLS, Tool, calls

Run = Callable[[], Awaitable[str]]

LEFT_OUT = 3
"""Exit code of a contender that cannot do the workload."""
EDGE = 50
"""Steps at either end of a long run that are compared."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """What a contender is asked to do; the docstring of the package says what each field means."""

    workload: str
    url: str
    tool: Tool
    steps: int
    answer: str
    limit: float | None
    folder: Path
    sink: TextIO | None = None
    model: str = "bench"
    instructions: str = "Be brief."
    prompt: str = "Look it up."


Agent = Callable[[Task], AbstractAsyncContextManager[Run]]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the harness decides about a workload: the JSON of the command line.

    Attributes:
        url: of the server, for the task.
        warm_up: of the server, for a run of one step before anything is timed.
        tool: a name of `TOOLS`.
        steps: replies that call it.
        parallel: calls in each of them.
        answer: what the model says in the end.
        repeats: how often the work is timed; the median is printed.
        at_once: runs at the same time.
        limit: seconds, see the package's docstring.
        terminal: whether somebody watches.
        folder: where files may be made; it is removed afterwards.
    """

    url: str
    warm_up: str
    tool: str = "lookup"
    steps: int = 0
    parallel: int = 1
    answer: str
    repeats: int = 1
    at_once: int = 1
    limit: float | None = None
    terminal: bool = False
    folder: str = "."

    def task(self, workload: str) -> Task:
        """What a contender is told of it."""
        return Task(
            workload=workload,
            url=self.url,
            tool=TOOLS[self.tool],
            steps=self.steps,
            answer=self.answer,
            limit=self.limit,
            folder=Path(self.folder),
        )


def take_part(agent: Agent, *, leaves_out: Mapping[str, str] | None = None) -> None:
    """Do the workload that the command line names with `agent`, and print one line of figures.

    In `cold-run` the answer is printed instead.

    Args:
        agent: see the docstring of the package.
        leaves_out: names of workloads that it cannot do, each with the reason.

    Raises:
        RuntimeError: the contender's answer is wrong, or its tool was not called as often as it should.
        SystemExit: with `LEFT_OUT`, when it cannot do the workload.
    """
    workload, settings = sys.argv[1], Settings(**json.loads(sys.argv[2]))
    if leaves_out and workload in leaves_out:
        print(leaves_out[workload], file=sys.stderr)
        raise SystemExit(LEFT_OUT)
    print(asyncio.run(_take_part(agent, workload, settings)))


async def _take_part(agent: Agent, workload: str, settings: Settings) -> str:
    task = settings.task(workload)
    if workload == "cold-run":
        async with agent(task) as run:
            answer = await run()
            _check([answer], task, settings)
            return answer
    await _warm_up(agent, replace(task, url=settings.warm_up, tool=TOOLS["lookup"], steps=1, limit=None))
    # Imported late, as a terminal has no part in a cold start.
    from tests.benchmarks.contenders.sink import terminal  # noqa: PLC0415 - see above

    with terminal() if settings.terminal else nullcontext() as sink:
        async with agent(replace(task, sink=sink)) as run:
            work = _blocked if task.limit else _measured
            return json.dumps(await work(run, task, settings))


async def _warm_up(agent: Agent, task: Task) -> None:
    """Pay for what only a first run needs."""
    async with agent(task) as run:
        await run()


async def _measured(run: Run, task: Task, settings: Settings) -> dict[str, float]:
    gc.collect()
    resting = memory.resting_mb()
    wall, processor = [], []
    for _ in range(settings.repeats):
        calls.clear()
        began, began_cpu = time.perf_counter(), time.process_time()
        answers = await asyncio.gather(*(run() for _ in range(settings.at_once)))
        wall.append(time.perf_counter() - began)
        processor.append(time.process_time() - began_cpu)
        _check(answers, task, settings)
    peak = memory.peak_mb()
    figures = {
        "seconds": _median(wall),
        "cpu": _median(processor),
        "peak_mb": peak,
        "grew_mb": max(0.0, peak - resting),
    }
    return figures | (_edges() if settings.steps >= 2 * EDGE else {})


def _check(answers: list[str], task: Task, settings: Settings) -> None:
    wrong = [answer for answer in answers if answer.strip() != task.answer.strip()]
    if wrong:
        raise RuntimeError(f"the answer was {wrong[0][:200]!r}, not {task.answer[:200]!r}")
    expected = settings.at_once * settings.steps * settings.parallel
    if len(calls) != expected:
        raise RuntimeError(f"the tool was called {len(calls)} times, not {expected}")


def _edges() -> dict[str, float]:
    """Milliseconds per step at both ends of a run, from one tool call to the next."""
    begin, early, late, end = calls[0], calls[EDGE], calls[-1 - EDGE], calls[-1]
    scale = 1000 / EDGE
    return {
        "first": (early.wall - begin.wall) * scale,
        "last": (end.wall - late.wall) * scale,
        "first_cpu": (early.processor - begin.processor) * scale,
        "last_cpu": (end.processor - late.processor) * scale,
    }


async def _blocked(run: Run, task: Task, settings: Settings) -> dict[str, float]:
    """How long a run keeps control; that it fails at its limit is right."""
    began = time.monotonic()
    try:
        await run()
    except Exception as error:  # noqa: BLE001 - each framework has its own error for a run that took too long
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
    return {"began": began, "control": time.monotonic() - began}


def _median(values: list[float]) -> float:
    """The middle one; the module `statistics` would be part of every cold start."""
    return sorted(values)[len(values) // 2]
