"""The entries of a scripted server's script, and how they look on the wire."""

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

JsonDict = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call in a Reply; `arguments` is an object, or text that is sent as it is."""

    name: str | None
    arguments: Mapping[str, Any] | str | None = ""
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """A chat completion. `message` adds fields to the message, `usage=None` leaves the numbers out."""

    text: str | None = None
    calls: Sequence[Call] = ()
    finish_reason: str | None = None
    usage: Mapping[str, Any] | None = field(
        default_factory=lambda: {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    )
    message: Mapping[str, Any] = field(default_factory=dict)
    delay: float = 0.0
    pace: float = 0.0


@dataclass(frozen=True, slots=True)
class Stream:
    chunks: Sequence[Mapping[str, Any] | str | bytes]
    done: bool = True
    delay: float = 0.0
    pace: float = 0.0


@dataclass(frozen=True, slots=True)
class Raw:
    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "text/html"
    delay: float = 0.0
    cut_at: int | None = None
    piece: int | None = None
    pace: float = 0.0


@dataclass(frozen=True, slots=True)
class Json:
    value: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class Failure:
    status: int
    message: str = "something failed"
    headers: Mapping[str, str] = field(default_factory=dict)
    code: str | None = None
    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class Drop:
    partial: bytes = b""
    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class Redirect:
    to: str
    status: int = 307
    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class Request:
    path: str
    headers: Mapping[str, str]
    body: Any
    at: float
    disconnected: threading.Event = field(default_factory=threading.Event)


Answer = str | Reply | Stream | Raw | Json | Failure | Redirect | Drop
Entry = Answer | Callable[[Request], Answer]


def _message(reply: Reply) -> JsonDict:
    message: JsonDict = {"role": "assistant", "content": reply.text, **reply.message}
    if reply.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": _arguments(call)}}
            for call in reply.calls
        ]
    return message


def _arguments(call: Call) -> str | None:
    if call.arguments is None or isinstance(call.arguments, str):
        return call.arguments
    return json.dumps(call.arguments, ensure_ascii=False)


def _finish_reason(reply: Reply) -> str:
    return reply.finish_reason or ("tool_calls" if reply.calls else "stop")


def completion(asked: JsonDict, reply: Reply) -> JsonDict:
    choice = {"index": 0, "message": _message(reply), "finish_reason": _finish_reason(reply)}
    body = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": asked.get("model", "m")}
    return {**body, "choices": [choice], **({"usage": dict(reply.usage)} if reply.usage is not None else {})}


def chunks(asked: JsonDict, reply: Reply) -> list[JsonDict]:
    """The reply as a provider streams it: role, words, calls in two pieces each, the end, the numbers."""
    message = _message(reply)
    deltas: list[JsonDict] = [{"role": "assistant", "content": "", **reply.message}]
    deltas += [{"content": piece} for piece in _words(reply.text or "")]
    for index, call in enumerate(message.get("tool_calls", ())):
        function = call["function"]
        first = {**call, "index": index, "function": {**function, "arguments": ""}}
        deltas.append({"tool_calls": [first]})
        deltas.append({"tool_calls": [{"index": index, "function": {"arguments": function["arguments"]}}]})
    chunks: list[JsonDict] = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": _finish_reason(reply)}]})
    if reply.usage is not None and (asked.get("stream_options") or {}).get("include_usage"):
        chunks.append({"choices": [], "usage": dict(reply.usage)})
    return chunks


def _words(text: str) -> list[str]:
    words = text.split(" ")
    return [word + " " for word in words[:-1]] + ([words[-1]] if words[-1] else [])


def event(asked: JsonDict, chunk: Mapping[str, Any] | str | bytes) -> bytes:
    if isinstance(chunk, bytes):
        return chunk
    if isinstance(chunk, str):
        return chunk.encode()
    body = dict(chunk) if "choices" in chunk else {"choices": [{"index": 0, "delta": dict(chunk)}]}
    whole = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": asked.get("model", "m"),
        **body,
    }
    return b"data: " + json.dumps(whole, ensure_ascii=False).encode() + b"\n\n"
