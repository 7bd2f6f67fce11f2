"""Token counts of a reply: the provider's own, or an estimate that is marked as one."""

import json
from collections.abc import Mapping

from runner.engine.ports import ModelReply, ModelRequest, Usage
from runner.spec import JsonObject

_BYTES_PER_TOKEN = 4


def counted(numbers: JsonObject | None) -> Usage | None:
    """The provider's numbers in OpenAI's form, or None when there are none; all-zero is LiteLLM's word for none."""
    if not numbers:
        return None
    given, made = _number(numbers, "prompt_tokens"), _number(numbers, "completion_tokens")
    total = _number(numbers, "total_tokens")
    if not (given or made or total):
        return None
    return Usage(
        # A total alone does not say of what: sent is the better guess, in a conversation that is sent again and again.
        input_tokens=given if given or made else total,
        output_tokens=made,
        cached_tokens=min(_number(numbers.get("prompt_tokens_details"), "cached_tokens"), given),
        reasoning_tokens=min(_number(numbers.get("completion_tokens_details"), "reasoning_tokens"), made),
        estimated=not (given or made),
    )


def _number(numbers: object, name: str) -> int:
    value = numbers.get(name) if isinstance(numbers, Mapping) else None
    return value if isinstance(value, int) and value > 0 else 0


def estimated(request: ModelRequest, reply: ModelReply) -> Usage:
    """A guess at four bytes of UTF-8 a token, which needs no tokenizer; right within a third for prose and JSON."""
    calls = [(call.name, call.arguments) for call in reply.tool_calls]
    return Usage(
        input_tokens=_tokens(request.messages) + _tokens(request.tools),
        output_tokens=_tokens([reply.text, reply.extra.get("reasoning_content"), calls]),
        estimated=True,
    )


def _tokens(value: object) -> int:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN
