"""Limits on tokens, cost and repeated calls: what is asked before it is spent."""

import pytest

from runner.engine.events import LimitReached, ModelReplied, exit_code
from runner.engine.ports import Capabilities, ModelReply, Usage
from runner.models.scripted import ScriptedModel
from runner.spec import Limits, Price, ToolChoice
from tests.engine.voices import VOICES, Voice, play, returning

PRICED = Capabilities(price=Price(input=1.0, output=10.0))


def costing(reply: ModelReply, *, tokens: tuple[int, int], cost: float | None = 0.0) -> ModelReply:
    usage = Usage(input_tokens=tokens[0], output_tokens=tokens[1])
    return ModelReply(
        text=reply.text,
        tool_calls=reply.tool_calls,
        finish_reason=reply.finish_reason,
        usage=usage,
        cost=cost,
    )


async def test_the_token_limit_ends_the_run_before_the_request_that_would_exceed_it(voice: Voice) -> None:
    first = costing(voice.calls(("now", {})), tokens=(900, 50))

    ran = await play(voice.mode, [first], [returning("now", "12:00")], limits=Limits(max_total_tokens=1_000))

    assert ran.finished.status == "max_total_tokens"
    assert exit_code(ran.finished) == 5
    assert ran.finished.usage.total_tokens == 950
    assert ran.finished.error is not None
    assert ran.finished.error.startswith("token limit 1,000 reached: 950 used, and the next request needs about 9")
    assert ran.of(LimitReached)[0].limit == "max_total_tokens"


async def test_a_run_below_the_token_limit_is_not_disturbed(voice: Voice) -> None:
    replies = [costing(voice.calls(("now", {})), tokens=(100, 10)), costing(voice.answer("12"), tokens=(120, 5))]

    ran = await play(voice.mode, replies, [returning("now", "12:00")], limits=Limits(max_total_tokens=1_000))

    assert ran.finished.status == "completed"


async def test_a_prompt_that_alone_exceeds_the_token_limit_is_never_sent() -> None:
    ran = await play("native", [], limits=Limits(max_total_tokens=100), prompt="long " * 500)

    assert ran.finished.status == "max_total_tokens"
    assert ran.finished.steps == 0
    assert ran.model.requests == []


async def test_the_reply_is_held_to_what_is_left() -> None:
    ran = await play("native", ["Hi"], limits=Limits(max_total_tokens=500))

    cap = ran.model.requests[0].max_tokens
    assert cap is not None
    assert 400 < cap < 500


@pytest.mark.parametrize(
    ("most", "left", "cap"),
    [(None, 100_000, 4_096), (None, 1_000, None), (1_000, 100_000, None), (200_000, 100_000, None)],
)
async def test_a_reply_is_held_to_what_is_left_but_not_to_more_than_the_model_can_write(
    most: int | None, left: int, cap: int | None
) -> None:
    model = ScriptedModel(["Hi"], capabilities=Capabilities(most_output=most))

    await play("native", [], model=model, limits=Limits(max_total_tokens=left))

    asked = model.requests[0].max_tokens
    if most == 1_000:
        assert asked is None
    else:
        assert asked is not None
        assert left - 200 < asked < left or asked == cap


async def test_without_such_limits_replies_are_not_held() -> None:
    ran = await play("native", ["Hi"])

    assert ran.model.requests[0].max_tokens is None


async def test_the_cost_limit_ends_the_run_before_it_is_exceeded(voice: Voice) -> None:
    model = ScriptedModel([costing(voice.calls(("now", {})), tokens=(900, 50), cost=0.0095)], capabilities=PRICED)

    ran = await play(voice.mode, [], [returning("now", "12:00")], model=model, limits=Limits(max_cost=0.01))

    assert ran.finished.status == "max_cost"
    assert exit_code(ran.finished) == 5
    assert ran.finished.cost == pytest.approx(0.0095)
    assert ran.finished.error is not None
    assert ran.finished.error.startswith("cost limit $0.01 reached: $0.0095 spent, and the next request costs about $")


async def test_what_the_provider_has_cached_is_counted_at_its_price() -> None:
    reply = ModelReply(
        tool_calls=VOICES["native"].calls(("now", {})).tool_calls,
        finish_reason="tool_calls",
        usage=Usage(input_tokens=100_000, output_tokens=10, cached_tokens=99_000),
        cost=0.0109,
    )
    price = Price(input=1.0, output=1.0, cached_input=0.1)
    model = ScriptedModel([reply, "12"], capabilities=Capabilities(price=price))

    ran = await play("native", [], [returning("now", "12:00")], model=model, limits=Limits(max_cost=0.05))

    assert ran.finished.status == "completed"


@pytest.mark.parametrize("limits", [Limits(max_cost=1000.0), Limits(max_cost=1000.0, max_total_tokens=10**9)])
async def test_a_cost_limit_fails_closed_when_the_price_is_not_known(limits: Limits) -> None:
    ran = await play("native", [], limits=limits)

    assert ran.finished.status == "max_cost"
    assert ran.model.requests == []
    assert ran.finished.error == (
        "the price of scripted/model is not known, so max_cost cannot be kept: "
        "declare it as model.price, or take out limits.max_cost"
    )


async def test_a_reply_of_unknown_cost_ends_a_run_with_a_cost_limit() -> None:
    call = costing(VOICES["native"].calls(("now", {})), tokens=(10, 1), cost=None)
    model = ScriptedModel([call], capabilities=PRICED)

    ran = await play("native", [], [returning("now", "12")], model=model, limits=Limits(max_cost=1))

    assert ran.finished.status == "max_cost"
    assert ran.finished.cost is None


async def test_a_free_model_has_no_cost_to_limit() -> None:
    model = ScriptedModel(["Hi"], capabilities=Capabilities(price=Price(input=0, output=0)))

    ran = await play("native", [], model=model, limits=Limits(max_cost=0))

    assert (ran.finished.status, ran.finished.answer) == ("completed", "Hi")


async def test_the_same_call_runs_as_often_in_a_row_as_allowed_and_no_more(voice: Voice) -> None:
    now = returning("now", "12:00")
    replies = [voice.calls(("now", {"zone": "UTC"}))] * 4

    ran = await play(voice.mode, replies, [now], limits=Limits(max_repeat_calls=3))

    assert ran.finished.status == "repeated_calls"
    assert exit_code(ran.finished) == 5
    assert len(now.received) == 3
    assert ran.finished.tool_calls == 3
    assert ran.finished.error == (
        "now was called 4 times in a row with the same arguments (max_repeat_calls is 3), in step 4; not run: now"
    )


async def test_another_call_in_between_begins_a_new_row(voice: Voice) -> None:
    same, other = voice.calls(("now", {})), voice.calls(("now", {"zone": "UTC"}))

    ran = await play(
        voice.mode,
        [same, other, same, other, voice.answer("12")],
        [returning("now", "12:00")],
        limits=Limits(max_repeat_calls=1),
    )

    assert ran.finished.status == "completed"


async def test_the_order_of_arguments_makes_no_other_call(voice: Voice) -> None:
    replies = [voice.calls(("add", {"a": 1, "b": 2})), voice.calls(("add", {"b": 2, "a": 1}))]

    ran = await play(voice.mode, replies, [returning("add", "3")], limits=Limits(max_repeat_calls=1))

    assert ran.finished.status == "repeated_calls"


async def test_repeats_in_one_reply_count_too(parallel_voice: Voice) -> None:
    now = returning("now", "12:00")

    ran = await play(
        parallel_voice.mode,
        [parallel_voice.calls(*[("now", {})] * 3)],
        [now],
        limits=Limits(max_repeat_calls=2),
    )

    assert (ran.finished.status, len(now.received)) == ("repeated_calls", 2)


@pytest.mark.parametrize(
    ("limits", "replies", "status"),
    [
        (Limits(max_steps=1), [("now", {})], "max_steps"),
        (Limits(max_tool_calls=1), [("now", {"n": 1}), ("now", {"n": 2})], "max_tool_calls"),
        (Limits(max_repeat_calls=1), [("now", {}), ("now", {})], "repeated_calls"),
    ],
    ids=["max_steps", "max_tool_calls", "repeated_calls"],
)
async def test_on_limit_answer_asks_exactly_once_more_without_tools(
    voice: Voice, limits: Limits, replies: list[tuple[str, dict[str, object]]], status: str
) -> None:
    """Field bug B52."""
    script = [*(voice.calls(each) for each in replies), voice.answer("About noon.")]

    ran = await play(voice.mode, script, [returning("now", "12:00")], limits=limits, on_limit="answer")

    assert ran.finished.status == status
    assert ran.finished.answer == "About noon."
    assert exit_code(ran.finished) == 5
    last = ran.model.requests[-1]
    assert not last.tools
    assert last.tool_choice is None
    assert "limit of this run is reached" in last.messages[-1]["content"]
    assert len(ran.of(ModelReplied)) == len(script)


async def test_calls_that_were_not_run_are_answered_before_the_last_words() -> None:
    native = VOICES["native"]
    script = [native.calls(("now", {"n": 1}), ("now", {"n": 2})), native.answer("Noon.")]

    ran = await play("native", script, [returning("now", "12:00")], limits=Limits(max_tool_calls=1), on_limit="answer")

    told = [message["content"] for message in ran.model.requests[-1].messages if message["role"] == "tool"]
    assert told == ["12:00", "not finished: tool call limit 1 reached in step 1; not run: now"]


async def test_a_limit_on_time_keeps_some_for_the_last_words() -> None:
    native = VOICES["native"]
    script = [native.calls(("slow", {})), native.answer("Not done in time.")]

    ran = await play(
        "native", script, [returning("slow", "late", seconds=30)], limits=Limits(timeout=2), on_limit="answer"
    )

    assert ran.finished.status == "timeout"
    assert ran.finished.answer == "Not done in time."
    assert ran.finished.seconds < 2


async def test_a_limit_on_tokens_keeps_some_for_the_last_words() -> None:
    native = VOICES["native"]
    script = [
        costing(native.calls(("now", {})), tokens=(100, 10)),
        costing(native.answer("Noon."), tokens=(130, 5)),
    ]

    ran = await play(
        "native", script, [returning("now", "12:00")], limits=Limits(max_total_tokens=650), on_limit="answer"
    )

    assert ran.finished.status == "max_total_tokens"
    assert ran.finished.answer == "Noon."
    assert ran.finished.usage.total_tokens <= 650


async def test_last_words_that_are_no_answer_leave_none(voice: Voice) -> None:
    script = [voice.calls(("now", {})), NO_WORDS]

    ran = await play(voice.mode, script, [returning("now", "12")], limits=Limits(max_steps=1), on_limit="answer")

    assert ran.finished.status == "max_steps"
    assert ran.finished.answer is None
    assert ran.finished.error is not None
    assert "the last reply was no answer" in ran.finished.error


NO_WORDS = ModelReply(text="", finish_reason="stop")


async def test_last_words_have_to_fit_the_output_schema() -> None:
    schema = {"type": "object", "properties": {"hour": {"type": "integer"}}, "required": ["hour"]}
    script = [VOICES["native"].calls(("now", {})), '{"hour": 12}']

    ran = await play(
        "native", script, [returning("now", "12")], limits=Limits(max_steps=1), on_limit="answer", schema=schema
    )

    assert ran.finished.status == "max_steps"
    assert ran.finished.output == {"hour": 12}


async def test_a_run_that_needs_no_last_words_gets_none() -> None:
    ran = await play("native", ["Hi"], limits=Limits(max_steps=1), on_limit="answer", tool_choice=ToolChoice())

    assert (ran.finished.status, ran.finished.steps) == ("completed", 1)


@pytest.mark.parametrize("limit", [1e300, 1e-300])
async def test_any_number_can_be_a_cost_limit(limit: float) -> None:
    model = ScriptedModel(["Hi"], capabilities=Capabilities(price=Price(input=1e-300, output=1e-300)))

    ran = await play("native", [], model=model, limits=Limits(max_cost=limit))

    assert ran.finished.status in ("completed", "max_cost")
