# /// script
# dependencies = ["smolagents[litellm]>=1.26,<2"]
# ///
"""A tool-calling agent of smolagents on litellm, as its documentation says."""
# mypy: disable-error-code="import-not-found, misc"
# The framework is installed only in the environment that this script is run in: its classes have no types here.

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import ClassVar

# So that nothing is asked of the network; all else is as it comes.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS"] = "True"

from smolagents import LiteLLMModel, LogLevel, Tool, ToolCallingAgent

from tests.benchmarks.contenders.task import Run, Task, take_part

RUNS = 200  # the most at once: an agent of smolagents holds a thread while it runs
CALLS = 8  # the most at once


class Lookup(Tool):
    """The tool of a task; the decorator for functions would need another style of docstring."""

    inputs: ClassVar = {"number": {"type": "integer", "description": "the number"}}
    output_type = "string"

    def __init__(self, function: Callable[[int], str]) -> None:
        self.name = function.__name__
        self.description = function.__doc__
        self.function = function
        super().__init__()

    def forward(self, number: int) -> str:
        """Call the function."""
        return self.function(number)


@asynccontextmanager
async def agent(task: Task) -> AsyncIterator[Run]:
    """The agents of a task, one for each run: an agent holds its conversation."""
    model = LiteLLMModel(f"hosted_vllm/{task.model}", api_base=task.url, api_key="none")
    tool = Lookup(task.tool)
    prompts = ToolCallingAgent(tools=[], model=model).prompt_templates  # read from YAML once

    def ask() -> str:
        peer = ToolCallingAgent(
            tools=[tool],
            model=model,
            instructions=task.instructions,
            prompt_templates=prompts,
            max_steps=task.steps + 10,
            max_tool_threads=CALLS,
            verbosity_level=LogLevel.OFF,
        )
        return str(peer.run(task.prompt))

    threads = ThreadPoolExecutor(RUNS)

    async def run() -> str:
        asking = asyncio.get_running_loop().run_in_executor(threads, ask)
        return await asyncio.wait_for(asking, task.limit)

    yield run
    threads.shutdown(wait=False)


if __name__ == "__main__":
    take_part(
        agent,
        leaves_out={
            "parallel-tools-async": "its tools are not async",
            "streaming-terminal": "its answer is an argument of a tool, which it does not stream as text",
        },
    )
