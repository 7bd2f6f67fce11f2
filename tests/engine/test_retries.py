"""Failures of models: which are tried again, how often, after how long, and who is asked next."""

import asyncio
import time
from collections.abc import AsyncGenerator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.engine.asking import Backoff
from runner.engine.events import ModelDelta, Retried, exit_code
from runner.engine.messages import ToolResult
from runner.engine.ports import Capabilities, Delta, ModelError, ModelReply, ModelRequest
from runner.engine.scope import RunControl
from runner.models.scripted import ScriptedModel
from runner.spec import Limits
from tests.engine.voices import VOICES, FakeTool, Voice, play, returning

BUSY = ModelError("the provider is busy (503)", transient=True)
NOW = returning("now", "12:00")
REFUSED = ModelError("the provider refused the key (401)")


class Breaking:
    """Streams some text, then fails; the second time it answers."""

    name = "test/breaking"
    retries = 2

    def __init__(self, *, first_words: str) -> None:
        self.asked = 0
        self._first_words = first_words

    async def open(self) -> Capabilities:
        return Capabilities()

    async def ask(self, request: ModelRequest) -> AsyncGenerator[Delta | ModelReply, None]:
        self.asked += 1
        if self.asked == 1:
            if self._first_words:
                yield Delta(text=self._first_words)
            raise ModelError("the connection was lost", transient=True)
        yield ModelReply(text="whole", finish_reason="stop")

    async def close(self) -> None:
        pass


class Unusable:
    """Cannot even be opened."""

    name = "test/unusable"
    retries = 2

    async def open(self) -> Capabilities:
        raise ModelError("test/unusable needs an API key", configuration=True)

    async def ask(self, request: ModelRequest) -> AsyncGenerator[Delta | ModelReply, None]:
        yield ModelReply(text=f"asked without being open: {request.messages}")

    async def close(self) -> None:
        pass


async def test_a_passing_failure_is_tried_again_and_told(voice: Voice) -> None:
    model = ScriptedModel([BUSY, BUSY, voice.answer("Hi")], retries=2, name="test/one")

    ran = await play(voice.mode, [], [NOW], model=model)

    assert ran.finished.answer == "Hi"
    assert ran.finished.steps == 1
    told = ran.of(Retried)
    assert [(each.attempt, each.model, each.next_model) for each in told] == [
        (1, "test/one", "test/one"),
        (2, "test/one", "test/one"),
    ]
    assert {each.problem for each in told} == {"the provider is busy (503)"}


@pytest.mark.parametrize("retries", [0, 1, 2, 5])
async def test_there_are_as_many_retries_as_declared_and_no_more(retries: int) -> None:
    """Field bugs B59 and B125."""
    model = ScriptedModel([BUSY] * (retries + 1), retries=retries)

    ran = await play("native", [], model=model)

    assert len(model.requests) == retries + 1
    assert ran.finished.status == "model_error"
    assert exit_code(ran.finished) == 4
    tries = f" (after {retries + 1} tries)" if retries else ""
    assert ran.finished.error == f"the provider is busy (503){tries}"


async def test_a_lasting_failure_is_not_tried_again() -> None:
    """Field bug B59."""
    model = ScriptedModel([REFUSED], retries=5)

    ran = await play("native", [], model=model)

    assert len(model.requests) == 1
    assert ran.finished.error == "the provider refused the key (401)"


async def test_a_conversation_that_is_too_long_is_refused_once() -> None:
    """Field bug B61."""
    model = ScriptedModel([ModelError("9,000 tokens do not fit into 8,192", overflow=True)], retries=5)

    ran = await play("native", [], model=model)

    assert (len(model.requests), ran.finished.status) == (1, "model_error")


async def test_what_the_provider_asks_to_wait_is_waited() -> None:
    """Field bug B59."""
    model = ScriptedModel([ModelError("rate limit", transient=True, retry_after=0.2), "Hi"], retries=1)
    started = time.monotonic()

    ran = await play("native", [], model=model)

    assert time.monotonic() - started >= 0.2
    assert ran.of(Retried)[0].wait >= 0.2


async def test_a_wait_that_goes_beyond_the_deadline_is_not_begun() -> None:
    model = ScriptedModel([ModelError("rate limit", transient=True, retry_after=60)], retries=3)
    started = time.monotonic()

    ran = await play("native", [], model=model, limits=Limits(timeout=5))

    assert time.monotonic() - started < 3
    assert ran.finished.status == "model_error"
    assert ran.finished.error == "rate limit; it asks to wait 60 s, longer than the time limit leaves"


async def test_the_deadline_ends_a_pause() -> None:
    """Field bug B54."""
    model = ScriptedModel([ModelError("rate limit", transient=True, retry_after=0.3)] * 9, retries=9)

    ran = await play("native", [], model=model, limits=Limits(timeout=0.4))

    assert len(model.requests) <= 2
    assert ran.finished.status in ("timeout", "model_error")


async def test_an_interrupt_ends_a_pause() -> None:
    """Field bug B62."""
    control = RunControl()
    asyncio.get_running_loop().call_later(0.05, control.interrupt, "SIGINT")
    model = ScriptedModel([ModelError("rate limit", transient=True, retry_after=30)], retries=3)

    ran = await play("native", [], model=model, control=control)

    assert ran.finished.status == "interrupted"


async def test_a_stream_that_breaks_after_its_first_words_is_not_begun_again() -> None:
    model = Breaking(first_words="He")

    ran = await play("native", [], model=model, watch=True)

    assert model.asked == 1
    assert [each.text for each in ran.of(ModelDelta)] == ["He"]
    assert ran.finished.status == "model_error"


async def test_a_stream_that_breaks_before_its_first_words_is_begun_again() -> None:
    model = Breaking(first_words="")

    ran = await play("native", [], model=model, watch=True)

    assert model.asked == 2
    assert ran.finished.answer == "whole"


async def test_fallbacks_are_asked_in_turn(voice: Voice) -> None:
    first = ScriptedModel([BUSY, BUSY], retries=1, name="test/first")
    second = ScriptedModel([REFUSED], name="test/second")
    third = ScriptedModel([voice.answer("Hi")], name="test/third")

    ran = await play(voice.mode, [], [NOW], model=first, fallbacks=[second, third])

    assert ran.finished.answer == "Hi"
    assert [(each.model, each.attempt, each.next_model) for each in ran.of(Retried)] == [
        ("test/first", 1, "test/first"),
        ("test/first", 2, "test/second"),
        ("test/second", 1, "test/third"),
    ]
    assert [model.closed for model in (first, second, third)] == [1, 1, 1]


async def test_a_fallback_that_is_not_needed_is_never_opened() -> None:
    ran = await play("native", [], model=ScriptedModel(["Hi"]), fallbacks=[Unusable()])

    assert ran.finished.answer == "Hi"


async def test_a_fallback_that_cannot_be_used_is_passed_over() -> None:
    last = ScriptedModel(["Hi"], name="test/last")

    ran = await play("native", [], model=ScriptedModel([REFUSED], name="test/first"), fallbacks=[Unusable(), last])

    assert ran.finished.answer == "Hi"
    assert [(each.model, each.attempt) for each in ran.of(Retried)] == [("test/first", 1), ("test/unusable", 0)]


async def test_when_no_model_answers_the_error_tells_of_each() -> None:
    ran = await play("native", [], model=ScriptedModel([REFUSED]), fallbacks=[Unusable(), ScriptedModel([BUSY])])

    assert ran.finished.status == "model_error"
    assert ran.finished.error == (
        "the provider refused the key (401); test/unusable needs an API key; the provider is busy (503)"
    )


async def test_a_fallback_stays_for_the_rest_of_the_run() -> None:
    first = ScriptedModel([REFUSED])
    second = ScriptedModel([VOICES["native"].calls(("now", {})), "12:00"])

    ran = await play("native", [], [returning("now", "12:00")], model=first, fallbacks=[second])

    assert ran.finished.answer == "12:00"
    assert len(first.requests) == 1


@pytest.mark.parametrize("after", ["native", "json"])
async def test_a_fallback_gets_the_whole_conversation_in_its_own_form(after: str) -> None:
    """A model with tool calling fails in the second step; one of the other kind goes on with what was found out."""
    before = "json" if after == "native" else "native"
    old, new = VOICES[before], VOICES[after]
    tool = returning("now", "12:00")
    first = ScriptedModel([old.calls(("now", {"zone": "UTC"})), REFUSED], capabilities=_calling(before))
    second = ScriptedModel([new.answer("It is 12:00")], capabilities=_calling(after))

    ran = await play("auto", [], [tool], model=first, fallbacks=[second])

    (request,) = second.requests
    assert ran.finished.answer == "It is 12:00"
    assert bool(request.tools) is (after == "native")
    assert new.results(request) == ["12:00"]
    assistant = [message for message in request.messages if message["role"] == "assistant"]
    assert len(assistant) == 1
    assert ("tool_calls" in assistant[0]) is (after == "native")


def _calling(mode: str) -> Capabilities:
    return Capabilities(function_calling=mode == "native")


async def test_tools_are_not_run_again_for_a_fallback() -> None:
    ran_with: list[object] = []

    async def note(arguments: object) -> ToolResult:
        ran_with.append(arguments)
        return ToolResult(content="done")

    first = ScriptedModel([VOICES["native"].calls(("note", {"n": 1})), REFUSED])

    await play("native", [], [FakeTool(name="note", body=note)], model=first, fallbacks=[ScriptedModel(["done"])])

    assert ran_with == [{"n": 1}]


@given(failures=st.integers(1, 50), chance=st.floats(0, 1), asked_for=st.none() | st.floats(0, 3600))
def test_a_pause_is_bounded_and_never_shorter_than_asked_for(
    failures: int, chance: float, asked_for: float | None
) -> None:
    backoff = Backoff(base=0.5, most=20, chance=lambda: chance)

    pause = backoff.pause(failures, asked_for)

    if asked_for is None:
        assert 0 <= pause <= min(20, 0.5 * 2 ** (failures - 1))
    else:
        assert asked_for <= pause <= asked_for * 1.1


async def test_a_call_that_fails_at_the_deadline_is_a_run_out_of_time() -> None:
    """Its timer and that of the run are set to the same moment, and either may be the first."""

    async def at_the_end(request: ModelRequest) -> ModelReply:
        assert request.timeout is not None
        await asyncio.sleep(request.timeout - 0.02)
        raise ModelError("did not answer in time", transient=True)

    ran = await play("native", [], model=ScriptedModel([at_the_end]), limits=Limits(timeout=0.3))

    assert ran.finished.status == "timeout"
