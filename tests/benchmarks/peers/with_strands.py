# /// script
# dependencies = ["strands-agents[litellm]>=1.62,<2"]
# ///
"""An agent of strands on litellm, as its documentation says."""
# mypy: disable-error-code="import-not-found"
# The framework is installed only in the environment that this script is run in.

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

# So that nothing is asked of the network; all else is as it comes.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS"] = "True"

from strands import Agent, tool
from strands.agent.conversation_manager import NullConversationManager
from strands.models.litellm import LiteLLMModel

from tests.benchmarks.contenders.task import Run, Task, take_part


@asynccontextmanager
async def agent(task: Task) -> AsyncIterator[Run]:
    """The agents of a task, one for each run: an agent holds its conversation."""
    model = LiteLLMModel(
        client_args={"api_base": task.url, "api_key": "none"},
        model_id=f"hosted_vllm/{task.model}",
        stream=task.sink is not None,
    )
    lookup = tool(task.tool)

    def new() -> Agent:
        return Agent(
            model=model,
            tools=[lookup],
            system_prompt=task.instructions,
            callback_handler=None,
            # the usual one drops old messages after 40, which nobody else does
            conversation_manager=NullConversationManager(),
        )

    async def run() -> str:
        return str(await asyncio.wait_for(new().invoke_async(task.prompt), task.limit)).strip()

    async def stream() -> str:
        answer = ""
        async for event in new().stream_async(task.prompt):
            if piece := event.get("data"):
                print(piece, end="", file=task.sink, flush=True)
                answer += piece
        return answer

    yield run if task.sink is None else stream


if __name__ == "__main__":
    take_part(agent, leaves_out={"growth": "its loop calls itself at each step: RecursionError before step 400"})
