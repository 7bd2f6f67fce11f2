# /// script
# dependencies = ["llama-index-core>=0.14.25,<0.15", "llama-index-llms-openai-like>=0.8,<0.9", "openai[aiohttp]"]
# ///
"""An agent of llama-index, as its documentation says."""
# mypy: disable-error-code="import-not-found"
# The framework is installed only in the environment that this script is run in.

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from llama_index.core.agent.workflow import AgentStream, FunctionAgent
from llama_index.llms.openai_like import OpenAILike
from openai import DefaultAioHttpClient

from tests.benchmarks.contenders.task import Run, Task, take_part


@asynccontextmanager
async def agent(task: Task) -> AsyncIterator[Run]:
    """The agent of a task, made once for all runs."""
    # What the README of openai advises for many requests at once; elsewhere it would only make the start slower.
    transport = DefaultAioHttpClient() if task.workload == "concurrent-200" else None
    model = OpenAILike(
        model=task.model,
        api_base=task.url,
        api_key="none",
        async_http_client=transport,
        context_window=1_000_000,  # its memory would drop old messages to fit, which nobody else does
        is_chat_model=True,
        is_function_calling_model=True,
    )
    peer = FunctionAgent(
        tools=[task.tool],
        llm=model,
        system_prompt=task.instructions,
        streaming=task.sink is not None,
        timeout=task.limit,
    )

    async def run() -> str:
        return str(await peer.run(user_msg=task.prompt, max_iterations=task.steps + 10))

    async def stream() -> str:
        handler = peer.run(user_msg=task.prompt)
        async for event in handler.stream_events():
            if isinstance(event, AgentStream):
                print(event.delta, end="", file=task.sink, flush=True)
        return str(await handler)

    yield run if task.sink is None else stream
    if transport:
        await transport.aclose()


if __name__ == "__main__":
    take_part(agent)
