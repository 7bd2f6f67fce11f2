"""The scripted model does what its script says, and tells when a run does something else."""

import time

import pytest

from runner.engine.ports import Capabilities, Delta, ModelError, ModelReply, ModelRequest, RawToolCall
from runner.models.scripted import Delayed, ScriptedModel, ScriptError
from tests.models.asking import HELLO, ask


async def test_lines_come_in_order_as_replies() -> None:
    called = ModelReply(tool_calls=(RawToolCall(id="c1", name="f", arguments="{}"),), finish_reason="tool_calls")
    model = ScriptedModel([called, "Done."])

    assert (await ask(model))[1] == called
    assert (await ask(model))[1] == ModelReply(text="Done.", finish_reason="stop")
    model.assert_complete()


async def test_it_says_what_it_was_asked_and_what_it_can() -> None:
    model = ScriptedModel(["a", "b"], capabilities=Capabilities(stop=True), name="test/m")
    messages = list(HELLO)
    await ask(model, messages=messages, stop=("x",))
    messages.append({"role": "user", "content": "later"})

    assert (await model.open(), model.name) == (Capabilities(stop=True), "test/m")
    assert model.requests == [ModelRequest(messages=HELLO, stop=("x",))]


async def test_errors_in_the_script_are_raised() -> None:
    with pytest.raises(ModelError, match="overloaded"):
        await ask(ScriptedModel([ModelError("overloaded")]))


async def test_a_function_may_answer_from_the_request() -> None:
    async def later(request: ModelRequest) -> str:
        return f"{len(request.messages)} message"

    model = ScriptedModel([lambda request: str(request.messages[0]["content"]), later])

    assert [(await ask(model))[1].text for _ in range(2)] == ["Hello", "1 message"]


async def test_a_line_may_take_its_time() -> None:
    started = time.monotonic()
    await ask(ScriptedModel([Delayed(seconds=0.05, line="late")]))

    assert time.monotonic() - started >= 0.05


@pytest.mark.parametrize("text", ["one two  three", " lead", "trail \n", "\n", "", "a"])
async def test_it_streams_when_somebody_watches(text: str) -> None:
    items = [item async for item in ScriptedModel([text]).ask(ModelRequest(messages=HELLO, stream=True))]

    assert "".join(item.text for item in items if isinstance(item, Delta)) == text
    assert items[-1] == ModelReply(text=text, finish_reason="stop")


async def test_being_asked_too_often_is_an_error_that_shows_the_last_message() -> None:
    model = ScriptedModel(["only one"])
    await ask(model)

    with pytest.raises(ScriptError, match=r"has 1 replies, but reply 2 was asked for.*Hello"):
        await ask(model)


async def test_a_line_nobody_asked_for_is_an_error() -> None:
    model = ScriptedModel(["asked", "never"])
    await ask(model)

    with pytest.raises(ScriptError, match=r"1 of 2 scripted replies were never asked for.*never"):
        model.assert_complete()


async def test_closing_is_counted() -> None:
    model = ScriptedModel()
    await model.close()

    assert model.closed == 1
