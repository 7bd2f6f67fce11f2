# /// script
# dependencies = ["pydantic-ai-slim[openai]>=2.68,<3"]
# ///
"""An agent of pydantic-ai, as its documentation says."""
# mypy: disable-error-code="import-not-found"
# The framework is installed only in the environment that this script is run in.

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic_ai import Agent, UsageLimits
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from tests.benchmarks.contenders.task import Run, Task, take_part


@asynccontextmanager
async def agent(task: Task) -> AsyncIterator[Run]:
    """The agent of a task, made once for all runs."""
    model = OpenAIChatModel(task.model, provider=OpenAIProvider(base_url=task.url, api_key="none"))
    peer = Agent(model, instructions=task.instructions, tools=[task.tool])
    limits = UsageLimits(request_limit=None)

    async def run() -> str:
        result = await peer.run(task.prompt, usage_limits=limits, timeout=task.limit)
        return str(result.output)

    async def stream() -> str:
        async with peer.run_stream(task.prompt, usage_limits=limits) as result:
            async for piece in result.stream_text(delta=True, debounce_by=None):
                print(piece, end="", file=task.sink, flush=True)
            return str(await result.get_output())

    yield run if task.sink is None else stream


if __name__ == "__main__":
    take_part(agent)
