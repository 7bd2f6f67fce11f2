# /// script
# dependencies = ["langchain>=1.5,<2", "langchain-openai>=1.7,<2", "openai[aiohttp]"]
# ///
"""An agent of langchain, as its documentation says."""
# mypy: disable-error-code="import-not-found"
# The framework is installed only in the environment that this script is run in.

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from openai import DefaultAioHttpClient

from tests.benchmarks.contenders.task import Run, Task, take_part


@asynccontextmanager
async def agent(task: Task) -> AsyncIterator[Run]:
    """The agent of a task, made once for all runs."""
    # What the README of openai advises for many requests at once; elsewhere it would only make the start slower.
    transport = DefaultAioHttpClient() if task.workload == "concurrent-200" else None
    model = ChatOpenAI(model=task.model, base_url=task.url, api_key="none", http_async_client=transport)
    peer = create_agent(model, tools=[task.tool], system_prompt=task.instructions)
    peer.step_timeout = task.limit
    config = {"recursion_limit": 2 * task.steps + 10}  # the model and the tools are two steps

    async def run() -> str:
        state = await peer.ainvoke({"messages": [("user", task.prompt)]}, config)
        return str(state["messages"][-1].content)

    async def stream() -> str:
        answer = ""
        async for chunk, _ in peer.astream({"messages": [("user", task.prompt)]}, config, stream_mode="messages"):
            print(chunk.text, end="", file=task.sink, flush=True)
            answer += chunk.text
        return answer

    yield run if task.sink is None else stream
    if transport:
        await transport.aclose()


if __name__ == "__main__":
    take_part(agent)
