"""What of a request goes to LiteLLM, and that it stays as it was."""

import copy
from contextlib import suppress
from typing import Any

import pytest

from runner.engine.ports import ModelError, ModelRequest
from runner.models.providers import Route
from runner.models.sending import arguments
from tests.models.asking import HELLO, ask, opened
from tests.servers import OpenAIServer

HTTP = Route(name="m", model="hosted_vllm/m", provider="hosted_vllm")
ALL = frozenset({"tools", "tool_choice", "parallel_tool_calls"})
SCHEMA = {
    "type": "object",
    "$defs": {"C": {"type": "object", "properties": {"x": {"type": "string", "enum": []}}}},
    "properties": {"a": {"type": ["integer", "null"], "default": 1}, "c": {"$ref": "#/$defs/C"}},
    "required": ["a"],
    "additionalProperties": False,
}
TOOLS = [{"type": "function", "function": {"name": "f", "description": "A", "strict": True, "parameters": SCHEMA}}]
FORMAT = {"type": "json_schema", "json_schema": {"name": "x", "strict": True, "schema": SCHEMA}}


def call(number: int, **extra: Any) -> dict[str, Any]:
    return {"id": f"c{number}", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}, **extra}


def conversation(provider: str) -> list[dict[str, Any]]:
    """Of everything that LiteLLM treats in its own way."""
    return [
        {"role": "system", "content": "Be brief.  "},
        {"role": "user", "content": [{"type": "text", "text": "part", "cache_control": {"type": "ephemeral"}}]},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [call(1, provider_specific_fields={"thought_signature": "AAAA"})],
            "thinking_blocks": [{"type": "thinking", "thinking": "t", "signature": "s"}],
            "reasoning_content": "t",
            "provider_specific_fields": {"k": {"deep": [1]}},
            "_provider": provider,
        },
        {"role": "tool", "tool_call_id": "c1", "content": "7"},
        {"role": "assistant", "content": "", "tool_calls": [call(2), call(3)]},
        {"role": "tool", "tool_call_id": "c2", "content": "7"},
        {"role": "tool", "tool_call_id": "c3", "content": "8"},
        {"role": "assistant", "content": "done "},
        {"role": "user", "content": "and?"},
    ]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("same", [True, False], ids=["its own", "another's"])
@pytest.mark.parametrize(
    "name",
    [
        "openai/gpt-5-mini",
        "hosted_vllm/m",
        "anthropic/claude-sonnet-4-5",
        "gemini/gemini-2.5-flash",
        "mistral/m",
        "groq/m",
        "deepseek/m",
        "openrouter/m",
        "xai/m",
        "ollama_chat/m",
        "together_ai/m",
        "cohere_chat/command-r",
        "azure/m",
        "fireworks_ai/m",
    ],
)
async def test_a_conversation_is_not_changed_by_sending_it(name: str, same: bool, stream: bool) -> None:
    provider = name.partition("/")[0] if same else "another"
    messages, tools, shape = conversation(provider), copy.deepcopy(TOOLS), copy.deepcopy(FORMAT)
    params: dict[str, Any] = {"cache_control_injection_points": [{"location": "message", "role": "user"}]}
    if name == "azure/m":
        params["api_version"] = "2024-10-21"
    with OpenAIServer(then="hi") as server:
        async with opened(name=name, api_base=server.url, api_key="k", params=params) as model:
            for response_format in (None, shape):
                with suppress(ModelError):  # some clients want another kind of answer; what they did is what matters
                    await ask(model, messages=messages, tools=tools, response_format=response_format, stream=stream)
        assert server.requests

    assert messages == conversation(provider)
    assert tools == TOOLS
    assert shape == FORMAT


@pytest.mark.parametrize(
    ("params", "asked", "sent"),
    [
        ({}, None, {}),
        ({}, 50, {"max_tokens": 50}),
        ({"max_tokens": 80}, None, {"max_tokens": 80}),
        ({"max_tokens": 80}, 50, {"max_tokens": 50}),
        ({"max_tokens": 30}, 50, {"max_tokens": 30}),
        ({"max_completion_tokens": 80}, 50, {"max_completion_tokens": 50}),
        ({"max_completion_tokens": 80, "max_tokens": 30}, 50, {"max_completion_tokens": 30, "max_tokens": 30}),
    ],
)
def test_the_smaller_cap_of_a_reply_holds(params: dict[str, int], asked: int | None, sent: dict[str, int]) -> None:
    given = arguments(ModelRequest(messages=HELLO, max_tokens=asked), HTTP, params, ALL)

    assert {name: value for name, value in given.items() if "max_" in name and "retries" not in name} == sent


@pytest.mark.parametrize(
    ("name", "field"),
    [("openai/gpt-5-mini", "max_completion_tokens"), ("openai/m", "max_tokens"), ("hosted_vllm/m", "max_tokens")],
)
async def test_a_cap_is_sent_by_the_name_the_model_takes(name: str, field: str) -> None:
    with OpenAIServer(["hi"]) as server:
        async with opened(name=name, api_base=server.url, max_tokens=80) as model:
            await ask(model, max_tokens=50)

    body = server.requests[0].body
    assert {key: value for key, value in body.items() if key.startswith("max_")} == {field: 50}
