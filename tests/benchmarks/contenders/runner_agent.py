"""Ours, through its public Python API."""

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

from runner.agent import Agent, load_agent
from runner.engine.events import RunFinished
from runner.sessions.session import Session
from runner.sessions.sqlite import SqliteStore
from tests.benchmarks.contenders.task import Run, Task, take_part
from tests.benchmarks.projects import write_agent


@asynccontextmanager
async def agent(task: Task) -> AsyncIterator[Run]:
    """The agent of a file; in `checkpoint` each run is kept as a session."""
    loaded = agent_of(task)
    store = SqliteStore(task.folder / "state")

    async def run() -> str:
        return answer_of(await finished(loaded, task.prompt))

    async def run_kept() -> str:
        with store.open(store.new_id(), create=True) as opened:
            return answer_of(await finished(loaded, task.prompt, opened.session))

    yield run_kept if task.workload == "checkpoint" else run


def agent_of(task: Task) -> Agent:
    """The agent of a file that is written for the task."""
    timeout = "5m" if task.limit is None else f"{task.limit}s"
    tool = task.tool.__name__
    folder = task.folder / f"{tool}-{task.steps}"
    return load_agent(write_agent(folder, url=task.url, tool=tool, steps=task.steps + 1, timeout=timeout))


async def finished(agent: Agent, prompt: str, session: Session | None = None) -> RunFinished:
    """The outcome of a run that nobody watches, as `Agent.run` without its event loop."""
    async with aclosing(agent.stream(prompt, watch=False, session=session)) as events:
        async for event in events:
            if isinstance(event, RunFinished):
                return event
    raise RuntimeError("the run ended without RunFinished")


def answer_of(outcome: RunFinished) -> str:
    """Its answer.

    Raises:
        RuntimeError: it has none.
    """
    if outcome.answer is None:
        raise RuntimeError(f"{outcome.status}: {outcome.error}")
    return outcome.answer


if __name__ == "__main__":
    take_part(agent)
