# /// script
# dependencies = ["openai-agents>=0.24,<1", "openai[aiohttp]"]
# ///
"""An agent of openai-agents, as its documentation says."""
# mypy: disable-error-code="import-not-found"
# The framework is installed only in the environment that this script is run in.

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI, DefaultAioHttpClient

from tests.benchmarks.contenders.task import Run, Task, take_part


@asynccontextmanager
async def agent(task: Task) -> AsyncIterator[Run]:
    """The agent of a task, made once for all runs."""
    set_tracing_disabled(True)
    # What the README of openai advises for many requests at once; elsewhere it would only make the start slower.
    transport = DefaultAioHttpClient() if task.workload == "concurrent-200" else None
    client = AsyncOpenAI(base_url=task.url, api_key="none", http_client=transport)
    peer = Agent(
        name="bench",
        instructions=task.instructions,
        model=OpenAIChatCompletionsModel(model=task.model, openai_client=client),
        tools=[function_tool(task.tool)],
    )

    async def run() -> str:
        result = await asyncio.wait_for(Runner.run(peer, task.prompt, max_turns=None), task.limit)
        return str(result.final_output)

    async def stream() -> str:
        result = Runner.run_streamed(peer, task.prompt)
        async for event in result.stream_events():
            if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                print(event.data.delta, end="", file=task.sink, flush=True)
        return str(result.final_output)

    yield run if task.sink is None else stream
    await client.close()


if __name__ == "__main__":
    take_part(agent)
