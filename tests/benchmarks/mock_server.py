"""A fast OpenAI-compatible server for benchmarks, in a process of its own: a tool call first, then an answer.

Run as a script it prints its address and serves until its standard input ends. A conversation whose last message is a
tool result (or that has `--steps` results already) gets an answer, any other a call of `current_time`.
"""

import argparse
import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def reply_to(body: dict[str, Any], steps: int) -> dict[str, Any]:
    """A chat completion: so many calls, then an answer."""
    results = sum(message["role"] == "tool" for message in body["messages"])
    message: dict[str, Any] = {"role": "assistant", "content": "It is noon."}
    if results < steps:
        arguments = json.dumps({"place": ["Oslo", "Rome", "Lima", "Tokyo"][results % 4]})
        call = {
            "id": f"call_{results}",
            "type": "function",
            "function": {"name": "current_time", "arguments": arguments},
        }
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [
            {"index": 0, "message": message, "finish_reason": "tool_calls" if results < steps else "stop"},
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }


async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, steps: int, latency: float) -> None:
    """Answer the requests of one connection."""
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            length = next(
                int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")
            )
            body = json.loads(await reader.readexactly(length))
            await asyncio.sleep(latency)
            answer = json.dumps(reply_to(body, steps)).encode()
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
                % (len(answer), answer)
            )
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def serve(*, steps: int, latency: float) -> None:
    """Serve until standard input ends."""
    server = await asyncio.start_server(
        lambda reader, writer: converse(reader, writer, steps=steps, latency=latency), "127.0.0.1", 0, backlog=1024
    )
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await asyncio.to_thread(sys.stdin.read)


@contextmanager
def running(*, steps: int = 1, latency: float = 0.0) -> Iterator[str]:
    """The address of a server in a process of its own, which ends with the block."""
    command = [sys.executable, __file__, "--steps", str(steps), "--latency", str(latency)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=1)
    parser.add_argument("--latency", type=float, default=0.0)
    given = parser.parse_args()
    asyncio.run(serve(steps=given.steps, latency=given.latency))
