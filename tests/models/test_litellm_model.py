"""Requests and replies of LiteLLMModel, through the real LiteLLM to a scripted server."""

import asyncio
import json
from typing import Any

import pytest

from runner.engine.ports import (
    Calls,
    Capabilities,
    Delta,
    ModelError,
    ModelReply,
    ModelRequest,
    RawToolCall,
    ToolDefinition,
    Usage,
)
from runner.models.litellm_model import LiteLLMModel
from runner.parsing.native import NativeMode
from runner.spec import ToolChoice
from tests.models.asking import HELLO, TOOL, ask, opened, reply_of
from tests.servers import Call, Json, OpenAIServer, Raw, Reply, Stream


def own_fields(reply: ModelReply) -> dict[str, object]:
    """The provider's own fields of a reply, without the note of whose they are."""
    return {name: value for name, value in reply.extra.items() if name != "_provider"}


@pytest.fixture(params=["openai/m", "hosted_vllm/m"])
def name(request: pytest.FixtureRequest) -> str:
    """A model of the two clients that LiteLLM has for servers of OpenAI's kind."""
    return str(request.param)


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def stream(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


async def test_a_reply_has_the_text_and_the_numbers_of_the_provider(name: str, stream: bool) -> None:
    usage = {
        "prompt_tokens": 30,
        "completion_tokens": 7,
        "total_tokens": 37,
        "prompt_tokens_details": {"cached_tokens": 20},
        "completion_tokens_details": {"reasoning_tokens": 4},
    }
    with OpenAIServer([Reply("It is 5 °C.", usage=usage)]) as server:
        reply = await reply_of(server, name=name, stream=stream)

    assert reply.text == "It is 5 °C."
    assert reply.finish_reason == "stop"
    assert reply.usage == Usage(input_tokens=30, output_tokens=7, cached_tokens=20, reasoning_tokens=4)
    assert reply.tool_calls == ()
    assert reply.cost is None, "the price of this model is unknown, which is not the same as free"


async def test_streamed_text_comes_in_pieces_that_make_up_the_reply(name: str) -> None:
    with OpenAIServer([Reply("one two three")]) as server:
        async with opened(name=name, api_base=server.url) as model:
            items = [item async for item in model.ask(ModelRequest(messages=HELLO, stream=True))]

    texts = [item.text for item in items if isinstance(item, Delta)]
    assert len(texts) > 1
    assert "".join(texts) == "one two three"


async def test_nothing_is_streamed_when_nobody_watches(name: str) -> None:
    with OpenAIServer([Reply("one two three")]) as server:
        async with opened(name=name, api_base=server.url) as model:
            streamed, _ = await ask(model)

    assert streamed == ""
    assert "stream" not in server.requests[0].body


async def test_tool_calls_are_given_as_they_come(name: str, stream: bool) -> None:
    calls = [Call("f", {"city": "北京"}, id="c1"), Call("now", "", id="c1"), Call("f", '{"a": ', id="c3")]
    with OpenAIServer([Reply("Let me see.", calls=calls)]) as server:
        reply = await reply_of(server, name=name, stream=stream, tools=[TOOL])

    assert reply.text == "Let me see."
    assert reply.finish_reason == "tool_calls"
    assert reply.tool_calls == (
        RawToolCall(id="c1", name="f", arguments='{"city": "北京"}'),
        RawToolCall(id="c1", name="now", arguments=""),
        RawToolCall(id="c3", name="f", arguments='{"a": '),
    )


async def test_null_arguments_are_empty_arguments(name: str) -> None:  # field bug B21
    with OpenAIServer([Reply(calls=[Call("now", None, id="c1")])]) as server:
        reply = await reply_of(server, name=name, tools=[TOOL])

    assert reply.tool_calls == (RawToolCall(id="c1", name="now", arguments=""),)


async def test_empty_fields_are_not_sent(name: str) -> None:
    with OpenAIServer(["hi"]) as server:
        await reply_of(server, name=name)

    assert server.requests[0].body == {"model": "m", "messages": list(HELLO)}


async def test_every_field_of_a_request_is_sent(name: str) -> None:
    schema = {"type": "json_schema", "json_schema": {"name": "x", "strict": True, "schema": {"type": "object"}}}
    sent = {
        "tools": [TOOL],
        "tool_choice": {"type": "function", "function": {"name": "f"}},
        "parallel_tool_calls": False,
        "response_format": schema,
        "stop": ["\nObservation:"],
    }
    with OpenAIServer(["hi"]) as server:
        await reply_of(server, name=name, **{**sent, "stop": ("\nObservation:",)})

    body = server.requests[0].body
    assert {key: body[key] for key in sent} == sent


async def test_settings_of_the_model_are_sent_and_win_over_its_params(name: str) -> None:
    params = {"temperature": 1.5, "top_p": 0.5, "seed": 7}
    with OpenAIServer(["hi"]) as server:
        async with opened(name=name, api_base=server.url, temperature=0, max_tokens=9, params=params) as model:
            await ask(model)

    body = server.requests[0].body
    assert (body["temperature"], body["max_tokens"], body["top_p"], body["seed"]) == (0, 9, 0.5, 7)


async def test_params_hold_where_nothing_else_is_said() -> None:
    with OpenAIServer(["hi"]) as server:
        async with opened(name="openai/m", api_base=server.url, params={"temperature": 1.5, "stop": ["x"]}) as model:
            await ask(model)

    assert (server.requests[0].body["temperature"], server.requests[0].body["stop"]) == (1.5, ["x"])


@pytest.mark.parametrize("param", ["stream", "messages", "n", "model"])
async def test_params_cannot_change_what_a_request_is(param: str) -> None:
    with pytest.raises(ModelError, match=f"params.*{param}") as caught:
        async with opened(name="openai/m", api_base="http://127.0.0.1:9/v1", params={param: 1}):
            pass

    assert caught.value.configuration


async def test_stop_is_left_out_for_a_model_that_does_not_take_it() -> None:
    with OpenAIServer(["hi"]) as server:
        async with opened(name="openai/m", api_base=server.url, capabilities={"stop": False}) as model:
            await ask(model, stop=("\nObservation:",))

    assert "stop" not in server.requests[0].body


async def test_a_parameter_the_model_refuses_is_named_before_anything_is_sent() -> None:
    with OpenAIServer() as server:
        async with opened(name="openai/gpt-5-mini", api_base=server.url, temperature=0.2) as model:
            with pytest.raises(ModelError, match="temperature"):
                await ask(model)
        server.assert_complete()


async def test_what_the_provider_wants_back_is_kept(name: str, stream: bool) -> None:  # field bug B46
    message = {"reasoning_content": "r", "provider_specific_fields": {"k": 1}}
    with OpenAIServer([Reply("hi", message=message)]) as server:
        reply = await reply_of(server, name=name, stream=stream)

    assert own_fields(reply) == {"reasoning_content": "r", "provider_specific_fields": {"k": 1}}
    assert reply.text == "hi"


async def test_signed_thinking_is_kept_whole(name: str) -> None:  # field bug B46
    blocks = [{"type": "thinking", "thinking": "t", "signature": "s"}]
    with OpenAIServer([Reply("hi", message={"reasoning_content": "t", "thinking_blocks": blocks})]) as server:
        reply = await reply_of(server, name=name)

    assert own_fields(reply) == {"reasoning_content": "t", "thinking_blocks": blocks}


async def test_what_belongs_to_a_call_is_kept_with_the_call(name: str, stream: bool) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    signed = {**call, "provider_specific_fields": {"thought_signature": "TS"}}
    whole = {"choices": [{"message": {"role": "assistant", "tool_calls": [signed]}, "finish_reason": "tool_calls"}]}
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    with OpenAIServer([Stream([{"tool_calls": [{**signed, "index": 0}]}, end]) if stream else Json(whole)]) as server:
        reply = await reply_of(server, name=name, stream=stream)

    assert [dict(each.extra) for each in reply.tool_calls] == [
        {"provider_specific_fields": {"thought_signature": "TS"}}
    ]


async def test_a_response_without_choices_is_an_error_that_names_the_model(name: str) -> None:  # field bug B50
    empty = Json({"id": "x", "object": "chat.completion", "choices": []})
    with OpenAIServer([empty]) as server, pytest.raises(ModelError, match=f"{name} returned no choices"):
        await reply_of(server, name=name)


async def test_a_blocked_reply_says_so(name: str, stream: bool) -> None:  # field bug B50
    with OpenAIServer([Reply(None, finish_reason="content_filter")]) as server:
        reply = await reply_of(server, name=name, stream=stream)

    assert (reply.text, reply.finish_reason) == ("", "content_filter")


async def test_missing_numbers_are_estimated_and_marked(name: str, stream: bool) -> None:
    with OpenAIServer([Reply("word " * 100, usage=None)]) as server:
        reply = await reply_of(server, name=name, stream=stream)

    assert reply.usage.estimated
    assert 80 < reply.usage.output_tokens < 200
    assert reply.usage.input_tokens > 0
    assert reply.cost is None


async def test_thinking_in_the_text_is_not_shown(name: str, stream: bool) -> None:
    with OpenAIServer([Reply("<think>He wants the sum.</think>\nIt is 7.")]) as server:
        async with opened(name=name, api_base=server.url) as model:
            streamed, reply = await ask(model, stream=stream)

    assert reply.text == "\nIt is 7."
    assert reply.extra["reasoning_content"] == "He wants the sum."
    assert streamed == (reply.text if stream else "")


@pytest.mark.parametrize("first", [{}, {"index": 0}], ids=["no index", "index 0 twice"])
async def test_streamed_calls_with_useless_indexes_are_two_calls(name: str, first: dict[str, int]) -> None:
    # field bug B25; LiteLLM's own builder makes one call of them
    def call(call_id: str, arguments: str) -> dict[str, Any]:
        function = {"name": "f", "arguments": arguments}
        return {"tool_calls": [{**first, "id": call_id, "type": "function", "function": function}]}

    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    with OpenAIServer([Stream([call("a", '{"x":1}'), call("b", '{"x":2}'), end])]) as server:
        reply = await reply_of(server, name=name, stream=True)

    assert [(each.id, each.arguments) for each in reply.tool_calls] == [("a", '{"x":1}'), ("b", '{"x":2}')]


async def test_hundreds_of_equal_chunks_are_a_reply_like_any_other(name: str) -> None:
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    with OpenAIServer([Stream([*[{"content": "----"}] * 300, end])]) as server:
        reply = await reply_of(server, name=name, stream=True)

    assert reply.text == "----" * 300


async def test_a_stream_that_breaks_off_is_an_error(name: str) -> None:
    broken = Stream([{"content": "It is "}], done=False)
    words = f"broke off the connection before the reply of {name} was complete"
    with OpenAIServer([broken]) as server, pytest.raises(ModelError, match=words):
        await reply_of(server, name=name, stream=True)


async def test_the_whole_of_a_call_has_to_fit_into_its_time(name: str) -> None:
    # Each piece comes well within the time, all of them do not: LiteLLM's own timer would let it go on.
    slow = Reply("word " * 200, pace=0.2)
    with OpenAIServer([slow]) as server, pytest.raises(ModelError, match=r"did not answer within 0\.8 s"):
        async with opened(name=name, api_base=server.url, timeout=0.8) as model:
            await ask(model, stream=True, timeout=60)


async def test_a_silent_server_is_given_up_after_the_time_of_the_request(name: str) -> None:
    with OpenAIServer([Reply("late", delay=60)]) as server:
        with pytest.raises(ModelError, match=r"did not answer within 0\.3 s"):
            await reply_of(server, name=name, timeout=0.3)
        assert server.requests[0].disconnected.wait(20)


async def test_closing_a_stream_early_hangs_up(name: str) -> None:
    with OpenAIServer([Reply("word " * 1000, pace=0.05)]) as server:
        async with opened(name=name, api_base=server.url) as model:
            items = model.ask(ModelRequest(messages=HELLO, stream=True))
            await anext(items)
            await items.aclose()
            assert await asyncio.to_thread(server.requests[0].disconnected.wait, 20)


async def test_cancelling_hangs_up(name: str, stream: bool) -> None:
    with OpenAIServer([Reply("word " * 1000, delay=0 if stream else 60, pace=0.05)]) as server:
        async with opened(name=name, api_base=server.url) as model:
            asking = asyncio.create_task(ask(model, stream=stream))
            await asyncio.to_thread(server.wait_for_requests, 1)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            assert await asyncio.to_thread(server.requests[0].disconnected.wait, 20)


async def test_signed_thinking_survives_streaming() -> None:
    def event(kind: str, **fields: Any) -> str:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"

    def block(index: int, start: dict[str, Any], *deltas: dict[str, Any]) -> list[str]:
        return [
            event("content_block_start", index=index, content_block=start),
            *(event("content_block_delta", index=index, delta=delta) for delta in deltas),
            event("content_block_stop", index=index),
        ]

    message = {"id": "m", "type": "message", "role": "assistant", "content": [], "model": "claude-sonnet-4-5"}
    events = [
        event("message_start", message={**message, "usage": {"input_tokens": 10, "output_tokens": 1}}),
        *block(
            0,
            {"type": "thinking", "thinking": "", "signature": ""},
            {"type": "thinking_delta", "thinking": "Let me "},
            {"type": "thinking_delta", "thinking": "see"},
            {"type": "signature_delta", "signature": "SIG=="},
        ),
        *block(1, {"type": "text", "text": ""}, {"type": "text_delta", "text": "I will look."}),
        *block(
            2,
            {"type": "tool_use", "id": "t1", "name": "f", "input": {}},
            {"type": "input_json_delta", "partial_json": '{"x": '},
            {"type": "input_json_delta", "partial_json": "1}"},
        ),
        event("message_delta", delta={"stop_reason": "tool_use"}, usage={"output_tokens": 20}),
        event("message_stop"),
    ]
    with OpenAIServer([Stream(events)]) as server:
        async with opened(
            name="anthropic/claude-sonnet-4-5", api_base=server.url.removesuffix("/v1"), api_key="k"
        ) as model:
            streamed, reply = await ask(model, stream=True, tools=[TOOL])

    assert streamed == reply.text == "I will look."
    assert reply.tool_calls == (RawToolCall(id="t1", name="f", arguments='{"x": 1}'),)
    assert own_fields(reply) == {
        "reasoning_content": "Let me see",
        "thinking_blocks": [{"type": "thinking", "thinking": "Let me see", "signature": "SIG=="}],
    }
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (10, 20)
    assert reply.cost is not None


async def test_closing_twice_or_without_opening_does_nothing() -> None:
    model = LiteLLMModel(name="openai/m")
    await model.close()
    await model.close()


@pytest.mark.parametrize(
    "answer", [Raw(b"<html><h1>Welcome</h1></html>"), Json({"status": "fine"})], ids=["a page", "other JSON"]
)
async def test_a_stream_without_any_reply_is_an_error_and_not_an_empty_reply(answer: Raw | Json) -> None:
    with OpenAIServer([answer]) as server, pytest.raises(ModelError):
        await reply_of(server, stream=True)


@pytest.mark.parametrize(("second", "kept"), [("openai/m", True), ("deepseek/m", False)])
async def test_what_is_a_providers_own_goes_back_to_it_and_to_no_other(second: str, kept: bool) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "reasoning_content": "r", "tool_calls": [call]}
    first = Json({"choices": [{"message": message, "finish_reason": "tool_calls"}]})
    mode = NativeMode([ToolDefinition(name="f", description="", parameters={"type": "object"})], Capabilities())
    with OpenAIServer([first, "done"]) as server:
        reply = await reply_of(server, name="openai/m")
        reading = mode.read(reply, ToolChoice())
        assert isinstance(reading, Calls)
        sent = [*HELLO, *mode.encode(reading.message), {"role": "tool", "tool_call_id": "c1", "content": "ok"}]
        async with opened(name=second, api_base=server.url, api_key="k") as model:
            await ask(model, messages=sent)

    assistant = server.requests[1].body["messages"][1]
    assert ("reasoning_content" in assistant and assistant["reasoning_content"] == "r") == kept
    assert "_provider" not in assistant
    assert assistant["tool_calls"][0]["id"] == "c1"
