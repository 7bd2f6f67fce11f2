"""A fast OpenAI-compatible server for benchmarks, in a process of its own; the path of a request says what it replies.

`/steps=50,latency=0.1/v1/chat/completions` calls a tool in 50 replies and then answers, each after 100 ms; further
settings are `tool` (the name to call), `parallel` (calls in each reply) and `chunks` (words of the answer). Run as a
script it prints its address and serves until its standard input ends. It must never be what limits: it does not parse
what it is sent, since a conversation of 400 steps takes longer to parse than to answer.
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

Json = dict[str, Any]

ANSWER = "It is done."
# How the result of each of our tools begins; the last one in a request tells how far its conversation is.
_MARK = b"Entry "
# Some frameworks offer this tool, and take nothing else for an answer.
_FINAL = b"final_answer"
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\n"
_ENDING = {"id": "chatcmpl-1", "created": 1, "model": "bench"}
_USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


@dataclass(frozen=True, kw_only=True, slots=True)
class Script:
    """What the model says in a conversation: `steps` replies with `parallel` calls of `tool`, then the answer.

    Attributes:
        latency: seconds that each reply takes.
        chunks: words of the answer, each a chunk when it is streamed; 0 is the short answer.
    """

    tool: str = "lookup"
    steps: int = 0
    parallel: int = 1
    chunks: int = 0
    latency: float = 0.0

    @property
    def path(self) -> str:
        """The part of an address that asks for this script."""
        settings = (self.steps, self.parallel, self.chunks, self.latency, self.tool)
        names = ("steps", "parallel", "chunks", "latency", "tool")
        return ",".join(f"{name}={value}" for name, value in zip(names, settings, strict=True))

    @property
    def answer(self) -> str:
        """What the last reply says."""
        return "".join(self.pieces())

    def pieces(self) -> list[str]:
        """The answer as it is streamed; no two are equal, since LiteLLM takes that for a model gone wild."""
        return [f"word{number} " for number in range(self.chunks)] or [ANSWER]


@cache
def script_of(path: str) -> Script:
    """The script that the path of a request asks for."""
    kinds = {"steps": int, "parallel": int, "chunks": int, "latency": float, "tool": str}
    given = dict(setting.split("=") for setting in path.strip("/").partition("/")[0].split(",") if "=" in setting)
    return Script(**{name: kinds[name](value) for name, value in given.items()})


def step_of(body: bytes, parallel: int) -> int:
    """How many replies with calls a conversation has had."""
    at = body.rfind(_MARK)
    while at >= 0:
        number = body[at + len(_MARK) : at + len(_MARK) + 12].partition(b":")[0]
        if number.isdigit():
            return int(number) // parallel + 1
        at = body.rfind(_MARK, 0, at)  # a prompt may hold the word, too
    return 0


def reply(script: Script, body: bytes) -> Iterable[bytes]:
    """The whole HTTP response to a request, in the pieces to send it in."""
    step = step_of(body, script.parallel)
    calls = []
    if step < script.steps:
        numbers = range(step * script.parallel, (step + 1) * script.parallel)
        calls = [_call(script.tool, number, {"number": number}) for number in numbers]
    elif _FINAL in body:
        calls = [_call(_FINAL.decode(), 0, {"answer": script.answer})]
    if calls:
        message: Json = {"role": "assistant", "content": None, "tool_calls": calls}
        reason, deltas = "tool_calls", [message]
    else:
        message = {"role": "assistant", "content": script.answer}
        reason, deltas = "stop", [{"role": "assistant", "content": piece} for piece in script.pieces()]
    if b'"stream":true' in body or b'"stream": true' in body:
        return _streamed(deltas, reason)
    return [_whole(message, reason)]


def _call(tool: str, number: int, arguments: Json) -> Json:
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return {"index": 0, "id": f"call_{number}", "type": "function", "function": function}


def _whole(message: Json, reason: str) -> bytes:
    choice = {"index": 0, "message": message, "finish_reason": reason}
    body = json.dumps({**_ENDING, "object": "chat.completion", "choices": [choice], "usage": _USAGE}).encode()
    return _HEAD % b"application/json" + b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _streamed(deltas: list[Json], reason: str) -> Iterator[bytes]:
    yield _HEAD % b"text/event-stream" + b"Transfer-Encoding: chunked\r\n\r\n"
    choices = [[{"index": 0, "delta": delta, "finish_reason": None}] for delta in deltas]
    for choice in (*choices, [{"index": 0, "delta": {}, "finish_reason": reason}]):
        yield _event(json.dumps({**_ENDING, "object": "chat.completion.chunk", "choices": choice}).encode())
    last = {**_ENDING, "object": "chat.completion.chunk", "choices": [], "usage": _USAGE}
    yield _event(json.dumps(last).encode()) + _event(b"[DONE]") + b"0\r\n\r\n"


def _event(data: bytes) -> bytes:
    event = b"data: %b\n\n" % data
    return b"%x\r\n%b\r\n" % (len(event), event)


async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer the requests of one connection."""
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            body = await reader.readexactly(_length(head))
            script = script_of(head.split(b" ", 2)[1].decode())
            await asyncio.sleep(script.latency)
            for piece in reply(script, body):
                writer.write(piece)  # sent at once, so that chunks come as they come from a real server
                await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            return int(line.partition(b":")[2])
    return 0


async def serve() -> None:
    """Serve until standard input ends."""
    server = await asyncio.start_server(converse, "127.0.0.1", 0, backlog=1024, limit=2**20)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await asyncio.to_thread(sys.stdin.read)


@contextmanager
def running() -> Iterator[str]:
    """The address of a server in a process of its own, which ends with the block; `Script.path` and `/v1` go behind."""
    command = [sys.executable, str(Path(__file__))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()


if __name__ == "__main__":
    asyncio.run(serve())
