# /// script
# dependencies = ["google-adk>=2.13,<3", "litellm"]
# ///
"""An agent of google-adk on litellm, as its documentation says."""
# mypy: disable-error-code="import-not-found"
# The framework is installed only in the environment that this script is run in.

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

# So that nothing is asked of the network; all else is as it comes.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS"] = "True"

from google.adk.agents import Agent
from google.adk.agents.run_config import RunConfig, StreamingMode, ToolThreadPoolConfig
from google.adk.models.lite_llm import LiteLlm
from google.adk.runners import InMemoryRunner
from google.genai import types

from tests.benchmarks.contenders.task import Run, Task, take_part

CALLS = 8  # of tools, the most at once


@asynccontextmanager
async def agent(task: Task) -> AsyncIterator[Run]:
    """The agent of a task, made once for all runs."""
    peer = Agent(
        name="bench",
        model=LiteLlm(f"hosted_vllm/{task.model}", api_base=task.url, api_key="none"),
        instruction=task.instructions,
        tools=[task.tool],
        timeout=task.limit,
    )
    runner = InMemoryRunner(peer, app_name="bench")
    config = RunConfig(
        max_llm_calls=task.steps + 10,
        streaming_mode=StreamingMode.NONE if task.sink is None else StreamingMode.SSE,
        tool_thread_pool_config=ToolThreadPoolConfig(max_workers=CALLS),
    )
    question = types.Content(role="user", parts=[types.Part(text=task.prompt)])

    async def run() -> str:
        session = await runner.session_service.create_session(app_name="bench", user_id="someone")
        answer = ""
        async for event in runner.run_async(
            user_id="someone", session_id=session.id, new_message=question, run_config=config
        ):
            text = "".join(part.text or "" for part in event.content.parts) if event.content else ""
            if event.partial:
                print(text, end="", file=task.sink, flush=True)
            if event.is_final_response():
                answer = text
        return answer

    yield run
    await runner.close()


if __name__ == "__main__":
    take_part(agent)
