"""Ours on a terminal, through what `runner run` shows there."""

import os
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import TextIO

from runner.agent import Agent
from runner.cli.outputs import OUTPUTS
from runner.cli.running import present
from runner.cli.streams import Output
from runner.cli.surfaces import Shared, surface_on
from runner.engine.events import RunFinished
from runner.report.progress import Progress
from tests.benchmarks.contenders.runner_agent import agent_of, answer_of, finished
from tests.benchmarks.contenders.task import Run, Task, take_part


@asynccontextmanager
async def agent(task: Task) -> AsyncIterator[Run]:
    """The agent of a file."""
    loaded = agent_of(task)

    async def run() -> str:
        if task.sink is None:  # the warm-up
            return answer_of(await finished(loaded, task.prompt))
        return answer_of(await _watched(loaded, task.prompt, task.sink))

    yield run


async def _watched(loaded: Agent, prompt: str, sink: TextIO) -> RunFinished:
    """A run as the command line shows it when stdout and stderr are one terminal."""
    surface = surface_on(sink, quiet=False)
    progress = Progress(surface)
    with os.fdopen(sink.fileno(), "wb", buffering=0, closefd=False) as paper:
        write = OUTPUTS["text"](Shared(Output(paper), progress))
        try:
            async with aclosing(loaded.stream(prompt, watch=True)) as events:
                return await present(events, [write, progress])
        finally:
            surface.rest()


if __name__ == "__main__":
    take_part(agent)
