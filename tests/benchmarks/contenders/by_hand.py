"""What the two floors share: the declaration of a tool for the model, and its call."""

import asyncio
import inspect
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.benchmarks.contenders.task import Task
from tests.benchmarks.contenders.tools import Tool, block

# The default executor has few threads on a small machine, and the calls of one reply are eight.
_threads = ThreadPoolExecutor(8)


def offered(tool: Tool) -> dict[str, Any]:
    """The definition of one of our tools."""
    parameters = {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}
    return {
        "type": "function",
        "function": {"name": tool.__name__, "description": tool.__doc__, "parameters": parameters},
    }


async def called(task: Task, arguments: str) -> str:
    """The result of a call; only a tool that blocks gets a thread, since by hand one knows which does."""
    given = json.loads(arguments)
    if inspect.iscoroutinefunction(task.tool):
        return str(await task.tool(**given))
    if task.tool is block:
        return str(await asyncio.get_running_loop().run_in_executor(_threads, lambda: task.tool(**given)))
    return str(task.tool(**given))


def beginning(task: Task) -> list[dict[str, Any]]:
    """The first messages."""
    return [{"role": "system", "content": task.instructions}, {"role": "user", "content": task.prompt}]
