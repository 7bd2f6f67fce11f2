"""A process that asks models of all kinds, in all the ways it can go wrong; it should print nothing and leave nothing.

Run by test_process.py, in development mode, which warns of whatever is not closed or not awaited.
"""

import asyncio
from collections.abc import Iterator
from contextlib import suppress

from runner.engine.ports import ModelError
from tests.models.asking import ask, opened
from tests.models.shapes import anthropic, gemini
from tests.servers import Drop, Entry, Failure, Json, OpenAIServer, Raw, Redirect, Reply, Stream

NAMES = ("openai/m", "hosted_vllm/m", "anthropic/claude-sonnet-4-5", "gemini/gemini-2.5-flash")
ANTHROPIC = {"input_tokens": 1, "output_tokens": 2}
GEMINI = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
WRONG: tuple[Entry, ...] = (
    Failure(500, "Grüße, 北京 🙂"),
    Failure(429, "slow down", {"Retry-After": "1"}),
    Failure(401, "who are you"),
    Failure(400, "maximum context length is 10 tokens. However, you requested 20"),
    Drop(),
    Raw(b"<html><title>Sign in</title></html>"),
    Raw(b'{"choices": [{"mess', content_type="application/json"),
    Raw(b'{"choices": [{"mess', content_type="application/json", cut_at=5),
    Raw(b"\xff\xfe\x00"),
    Raw(b"x" * 300_000),
    Json({"choices": [{"message": 5}]}),
    Redirect("http://127.0.0.1:9/"),
    Stream([{"content": "hi"}], done=False),
)


def right(name: str, *, stream: bool) -> Entry:
    if name.startswith("anthropic/"):
        return anthropic("hi", ANTHROPIC, stream=stream)
    return gemini("hi", GEMINI, stream=stream) if name.startswith("gemini/") else "hi"


def entries(name: str, *, stream: bool) -> Iterator[Entry]:
    yield right(name, stream=stream)
    yield from WRONG


async def one(name: str, entry: Entry, *, stream: bool) -> None:
    with OpenAIServer([entry]) as server, suppress(ModelError):
        async with opened(name=name, api_base=server.url, api_key="k") as model:
            await ask(model, stream=stream)
    nothing_is_left()


async def cancelled(name: str, *, stream: bool) -> None:
    readable = stream and name.endswith("/m")  # the others would fail at the first word, which is not in their form
    with OpenAIServer([Reply("word " * 50, delay=0 if readable else 60, pace=0.1)]) as server:
        async with opened(name=name, api_base=server.url, api_key="k") as model:
            asking = asyncio.create_task(ask(model, stream=stream))
            await asyncio.to_thread(server.wait_for_requests, 1)
            asking.cancel()
            with suppress(asyncio.CancelledError):
                await asking
    nothing_is_left()


def nothing_is_left() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    assert not tasks, tasks


async def main() -> None:
    for name in NAMES:
        for stream in (False, True):
            for entry in entries(name, stream=stream):
                await one(name, entry, stream=stream)
            await cancelled(name, stream=stream)


if __name__ == "__main__":
    asyncio.run(main())
    asyncio.run(one("openai/m", "hi", stream=True))  # on another loop
    asyncio.run(one("hosted_vllm/m", "hi", stream=False))
