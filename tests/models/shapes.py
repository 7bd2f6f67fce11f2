"""Replies in the forms of Anthropic and Gemini, whole and streamed, for the scripted server."""

import json
from typing import Any

from tests.servers import Json, Stream


def anthropic(text: str, usage: dict[str, int], *, stream: bool) -> Json | Stream:
    message: dict[str, Any] = {"id": "m", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5"}
    if not stream:
        content = [{"type": "text", "text": text}]
        return Json({**message, "content": content, "stop_reason": "end_turn", "usage": usage})
    started = {**message, "content": [], "usage": {**usage, "output_tokens": 1}}
    output = {"output_tokens": usage["output_tokens"]}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": started},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": output},
        {"type": "message_stop"},
    ]
    return Stream([f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events], done=False)


def gemini(text: str, usage: dict[str, int], *, stream: bool) -> Json | Stream:
    content = {"role": "model", "parts": [{"text": text}]}
    body = {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": usage,
        "modelVersion": "gemini-2.5-flash",
    }
    return Stream([f"data: {json.dumps(body)}\n\n"]) if stream else Json(body)
