"""However a reply is cut into chunks, it comes out as the reply it was."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.engine.ports import ModelReply
from runner.models.assembly import NoChoicesError, StreamedReply, whole_reply

Chunk = dict[str, Any]


def chunk(finish_reason: str | None = None, **delta: Any) -> Chunk:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]}


def call(arguments: str = "", **fields: Any) -> Chunk:
    """A chunk with one fragment of a tool call; `name` goes where it belongs."""
    function = {"arguments": arguments, **({"name": fields.pop("name")} if "name" in fields else {})}
    return chunk(tool_calls=[{"type": "function", "function": function, **fields}])


def assembled(*chunks: Mapping[str, Any]) -> ModelReply:
    reply = StreamedReply()
    visible = "".join([reply.add(each) for each in chunks] + [reply.rest()])
    whole = reply.finish()
    assert visible == whole.text, "what was shown is not what was said"
    return whole


def calls(*chunks: Mapping[str, Any]) -> list[tuple[str | None, str | None, str]]:
    return [(each.id, each.name, each.arguments) for each in assembled(*chunks).tool_calls]


def test_interleaved_calls_are_told_apart_by_index() -> None:
    assert calls(
        call(index=0, id="a", name="f"),
        call(index=1, id="b", name="g"),
        call('{"x"', index=0),
        call("{}", index=1),
        call(":1}", index=0),
    ) == [("a", "f", '{"x":1}'), ("b", "g", "{}")]


@pytest.mark.parametrize("index", [{}, {"index": 0}, {"index": None}])
def test_a_new_id_begins_a_new_call_where_indexes_are_useless(index: dict[str, Any]) -> None:  # field bug B25
    assert calls(
        call('{"x":', id="a", name="f", **index),
        call("1}", **index),
        call('{"x":2}', id="b", name="f", **index),
    ) == [("a", "f", '{"x":1}'), ("b", "f", '{"x":2}')]


def test_a_name_after_complete_arguments_begins_a_new_call_where_there_are_no_ids() -> None:  # field bug B25
    assert calls(call('{"x":', name="f"), call("1}"), call('{"x":2}', name="f")) == [
        (None, "f", '{"x":1}'),
        (None, "f", '{"x":2}'),
    ]


def test_another_name_begins_a_new_call_even_after_no_arguments() -> None:
    assert calls(call(name="now"), call(name="today")) == [(None, "now", ""), (None, "today", "")]


def test_calls_told_apart_by_id_alone_may_be_interleaved() -> None:
    assert calls(
        call('{"x"', index=0, id="a", name="f"),
        call('{"y"', index=0, id="b", name="g"),
        call(":1}", index=0, id="a"),
        call(":2}", index=0, id="b"),
    ) == [("a", "f", '{"x":1}'), ("b", "g", '{"y":2}')]


def test_id_and_name_may_be_repeated_in_every_fragment() -> None:
    assert calls(
        call('{"x"', index=0, id="a", name="f"),
        call(":1}", index=0, id="a", name="f"),
        call("", index=0, id="a", name="f"),
    ) == [("a", "f", '{"x":1}')]


def test_id_name_and_arguments_may_come_one_after_the_other() -> None:
    assert calls(call(index=0, id="a"), call(index=0, name="f"), call("{}", index=0, id="")) == [("a", "f", "{}")]


def test_one_id_for_two_calls_is_two_calls() -> None:  # field bug B29
    assert calls(call("{}", index=0, id="c1", name="f"), call("{}", index=1, id="c1", name="f")) == [
        ("c1", "f", "{}"),
        ("c1", "f", "{}"),
    ]
    assert calls(call('{"x":1}', id="c1", name="f"), call('{"x":2}', id="c1", name="f")) == [
        ("c1", "f", '{"x":1}'),
        ("c1", "f", '{"x":2}'),
    ]


def test_arguments_that_are_an_object_become_text() -> None:
    fragment = {"index": 0, "id": "a", "function": {"name": "f", "arguments": {"city": "北京"}}}

    assert assembled(chunk(tool_calls=[fragment])).tool_calls[0].arguments == '{"city": "北京"}'


def test_chunks_without_choices_are_passed_over() -> None:
    assert assembled({"choices": []}, chunk(content="hi"), {"choices": [], "usage": {}}).text == "hi"


def test_a_stream_with_nothing_in_it_has_no_reply() -> None:
    with pytest.raises(NoChoicesError):
        assembled({"choices": []})


def test_the_pieces_that_litellm_repeats_of_signed_thinking_are_dropped() -> None:
    blocks = [{"type": "thinking", "thinking": "all of it", "signature": "s"}]
    reply = StreamedReply()
    reply.add(chunk(thinking_blocks=[{"thinking": "of it"}], provider_specific_fields={"thinking_blocks": ["of it"]}))

    assert reply.thinking
    assert reply.finish(thinking_blocks=blocks).extra == {"thinking_blocks": blocks}


def test_a_tag_that_is_never_closed_is_text() -> None:
    assert assembled(chunk(content="<thi"), chunk(content="nk>I wonder")).text == "<think>I wonder"


@pytest.mark.parametrize("text", ["a <think>b</think> c", "<thinks>x", "<", "<thin"])
def test_what_only_looks_like_thinking_is_text(text: str) -> None:
    assert assembled(*(chunk(content=letter) for letter in text)).text == text


# --- any reply, cut anywhere ---

texts = st.text(st.sampled_from("<>/abc {}é\n") | st.characters(codec="utf-8"), max_size=30)
thoughts = st.sampled_from(["", "", "<think>", "<think>ab</think>", "<thinking>é<</think>"])
arguments = st.recursive(st.integers() | texts, lambda inner: st.lists(inner, max_size=2), max_leaves=3).map(
    lambda value: json.dumps({"x": value}, ensure_ascii=False)
)
tool_calls = st.lists(st.tuples(st.sampled_from(["f", "g"]), arguments), max_size=4)


def pieces(draw: st.DrawFn, text: str) -> list[str]:
    """The text, cut anywhere."""
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=4)))
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@st.composite
def messages(draw: st.DrawFn) -> Chunk:
    """A message as a provider sends it whole."""
    message: Chunk = {"role": "assistant", "content": draw(thoughts) + draw(texts) or None}
    named = draw(tool_calls)
    if named:
        message["tool_calls"] = [
            {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": text}}
            for number, (name, text) in enumerate(named)
        ]
    if reasoning := draw(texts):
        message["reasoning_content"] = reasoning
    if draw(st.booleans()):
        message["provider_specific_fields"] = {"k": 1}
    return message


@st.composite
def streams_of(draw: st.DrawFn, message: Chunk) -> list[Chunk]:
    """The message in chunks: text and thoughts first, then the calls, interleaved when they have indexes."""
    chunks = [chunk(role="assistant", content=None)]
    chunks += [chunk(reasoning_content=piece) for piece in pieces(draw, message.get("reasoning_content", ""))]
    chunks += [chunk(content=piece) for piece in pieces(draw, message["content"] or "")]
    if "provider_specific_fields" in message:
        chunks.append(chunk(provider_specific_fields=message["provider_specific_fields"]))
    indexed = draw(st.booleans())
    lanes = [
        fragments(draw, each, {"index": number if indexed else 0}) for number, each in enumerate(calls_of(message))
    ]
    while any(lanes):
        begun = [lane for lane in lanes if lane] if indexed else [next(lane for lane in lanes if lane)]
        chunks.append(draw(st.sampled_from(begun)).pop(0))
    chunks.append(chunk(finish_reason="stop"))
    if draw(st.booleans()):
        chunks.append({"choices": [], "usage": {"total_tokens": 3}})
    return chunks


def calls_of(message: Chunk) -> list[Chunk]:
    found: list[Chunk] = message.get("tool_calls", [])
    return found


def fragments(draw: st.DrawFn, whole: Chunk, index: dict[str, int]) -> list[Chunk]:
    first, *rest = pieces(draw, whole["function"]["arguments"])
    return [
        call(first, id=whole["id"], name=whole["function"]["name"], **index),
        *(call(each, **index) for each in rest),
    ]


@given(st.data())
def test_any_chunking_of_a_reply_is_the_reply(data: st.DataObject) -> None:
    message = data.draw(messages())
    whole = whole_reply({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
    streamed = assembled(*data.draw(streams_of(message)))

    assert streamed == whole
