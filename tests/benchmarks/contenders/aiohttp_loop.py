"""The floor below the floor: the same loop on bare aiohttp."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TextIO

import aiohttp

from tests.benchmarks.contenders.by_hand import beginning, called, offered
from tests.benchmarks.contenders.task import Run, Task, take_part


@asynccontextmanager
async def agent(task: Task) -> AsyncIterator[Run]:
    """The loop."""
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def run() -> str:
            messages = beginning(task)
            body = {
                "model": task.model,
                "messages": messages,
                "tools": [offered(task.tool)],
                "stream": task.sink is not None,
            }
            while True:
                async with session.post(f"{task.url}/chat/completions", json=body) as response:
                    response.raise_for_status()
                    if task.sink is not None:
                        return await _written(response, task.sink)
                    message = (await response.json())["choices"][0]["message"]
                if "tool_calls" not in message:
                    return str(message["content"])
                messages.append(message)
                calls = message["tool_calls"]
                results = await asyncio.gather(*(called(task, call["function"]["arguments"]) for call in calls))
                messages += [
                    {"role": "tool", "tool_call_id": call["id"], "content": result}
                    for call, result in zip(calls, results, strict=True)
                ]

        yield run


async def _written(response: aiohttp.ClientResponse, sink: TextIO) -> str:
    pieces = []
    async for line in response.content:
        if line.startswith(b"data: {"):
            for choice in json.loads(line[6:])["choices"]:
                text = choice["delta"].get("content") or ""
                sink.write(text)
                sink.flush()
                pieces.append(text)
    return "".join(pieces)


if __name__ == "__main__":
    take_part(agent)
