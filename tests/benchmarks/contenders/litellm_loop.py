"""The floor that counts: a loop by hand on `litellm.acompletion`, as a careful engineer writes it for one purpose."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TextIO

# So that nothing is asked of the network; all else is as it comes.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS"] = "True"

import litellm

from tests.benchmarks.contenders.by_hand import beginning, called, offered
from tests.benchmarks.contenders.task import Run, Task, take_part


@asynccontextmanager
async def agent(task: Task) -> AsyncIterator[Run]:
    """The loop."""

    async def run() -> str:
        messages = beginning(task)
        while True:
            response = await litellm.acompletion(
                model=f"hosted_vllm/{task.model}",
                api_base=task.url,
                api_key="none",
                messages=messages,
                tools=[offered(task.tool)],
                max_retries=0,
                stream=task.sink is not None,
            )
            if task.sink is not None:
                return await _written(response, task.sink)
            message = response.choices[0].message
            if not message.tool_calls:
                return str(message.content)
            messages.append(message.model_dump(exclude_none=True))
            calls = message.tool_calls
            results = await asyncio.gather(*(called(task, call.function.arguments) for call in calls))
            messages += [
                {"role": "tool", "tool_call_id": call.id, "content": result}
                for call, result in zip(calls, results, strict=True)
            ]

    yield run


async def _written(stream: Any, sink: TextIO) -> str:
    pieces = []
    async for chunk in stream:
        if chunk.choices and (text := chunk.choices[0].delta.content):
            sink.write(text)
            sink.flush()
            pieces.append(text)
    return "".join(pieces)


if __name__ == "__main__":
    take_part(agent)
