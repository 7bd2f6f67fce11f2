"""The ids of calls: those of providers are kept, those that people cannot type or that mislead them are replaced."""

import pytest

from runner.engine.approval import Deferred
from runner.engine.events import ToolCalled
from runner.engine.ports import ModelReply, RawToolCall
from runner.spec import PermissionsSpec
from tests.engine.voices import NativeVoice, Person, play, returning


async def ids(*given: tuple[str, str]) -> list[str]:
    """What becomes of the ids of the calls of one reply, given with the names of their tools."""
    calls = tuple(RawToolCall(id=id_, name=name, arguments='{"n": 1}') for id_, name in given)
    replies = [ModelReply(tool_calls=calls, finish_reason="tool_calls"), NativeVoice().answer("done")]
    ran = await play("native", replies, [returning("send", "sent"), returning("look", "text")])
    made = [event.id for event in ran.of(ToolCalled)]
    answered = [message["tool_call_id"] for message in ran.model.requests[1].messages if message["role"] == "tool"]
    assert made == answered
    return made


@pytest.mark.parametrize(
    "kept",
    [
        "call_9xK",
        "toolu_01AbC",
        "chatcmpl-tool-8f",
        "functions.send:0",
        "call_1__thought__CiQB+/a=" + "x" * 1900,
        "_1|fc_2",
        "7",
    ],
)
async def test_ids_of_providers_are_kept(kept: str) -> None:
    assert await ids((kept, "send")) == [kept]


@pytest.mark.parametrize(
    "odd",
    [
        "",
        " ",
        "null",
        "None",
        "--all",
        "-1",
        "{x",
        '{"to": "bo"}',
        "a b",
        "a\nb",
        "\x1b[2J",
        "né",
        "a\u200b",
        "x" * 2001,
    ],
)
async def test_ids_that_nobody_could_use_are_replaced(odd: str) -> None:
    (made,) = await ids((odd, "send"))

    assert made.startswith("call_")


async def test_no_call_has_the_name_of_a_tool_of_the_reply_as_its_id() -> None:
    assert await ids(("send", "look"), ("id_1", "send")) == ["call_1", "id_1"]


async def test_a_waiting_call_is_named_with_an_id_that_can_be_typed() -> None:
    call = RawToolCall(id="--all", name="send", arguments="{}")

    ran = await play(
        "native",
        [ModelReply(tool_calls=(call,), finish_reason="tool_calls")],
        [returning("send", "sent")],
        permissions=PermissionsSpec(ask=("send",)),
        approver=Person([Deferred()]),
    )

    assert ran.finished.error == "waiting for approval of send (call_1)"
