import asyncio
from dataclasses import replace
from itertools import pairwise

import pytest

from runner.engine.events import (
    EXIT_CODES,
    FormatRejected,
    FormatRepaired,
    LimitReached,
    ModelDelta,
    ModelReplied,
    RunStarted,
    StepStarted,
    ToolCalled,
    ToolReturned,
    exit_code,
)
from runner.engine.messages import AssistantMessage, ToolResult, UserMessage
from runner.engine.ports import ModelError, ModelReply, Usage
from runner.spec import JsonObject, Limits, ToolChoice
from tests.engine.voices import FakeTool, NativeVoice, Voice, play, returning


async def test_an_answer_at_once_is_one_step(voice: Voice) -> None:
    ran = await play(voice.mode, [voice.answer("Hi")], [returning("now", "12:00")])

    assert ran.finished.status == "completed"
    assert ran.finished.answer == "Hi"
    assert ran.finished.steps == 1
    assert ran.finished.error is None
    assert exit_code(ran.finished) == 0


async def test_a_tool_call_its_result_and_an_answer(voice: Voice) -> None:
    add = returning("add", "3")

    ran = await play(voice.mode, [voice.calls(("add", {"a": 1, "b": 2})), voice.answer("It is 3")], [add])

    assert add.received == [{"a": 1, "b": 2}]
    assert voice.results(ran.model.requests[1]) == ["3"]
    assert ran.finished.answer == "It is 3"
    assert (ran.finished.steps, ran.finished.tool_calls) == (2, 1)
    assert [(source.tool, source.arguments, source.content) for source in ran.finished.sources] == [
        ("add", {"a": 1, "b": 2}, "3")
    ]


async def test_events_tell_the_run_in_order(voice: Voice) -> None:
    ran = await play(voice.mode, [voice.calls(("add", {"a": 1})), voice.answer("3")], [returning("add", "3")])

    kinds = [type(event).__name__ for event in ran.events]
    assert kinds == [
        "RunStarted",
        "StepStarted",
        "ModelReplied",
        "ToolCalled",
        "ToolReturned",
        "StepStarted",
        "ModelReplied",
        "RunFinished",
    ]
    assert ran.of(RunStarted)[0].parsing == voice.mode
    assert [event.step for event in ran.of(StepStarted)] == [1, 2]
    assert ran.of(ToolCalled)[0].id == ran.of(ToolReturned)[0].id


async def test_parallel_calls_run_together_and_are_answered_in_call_order(parallel_voice: Voice) -> None:
    both = asyncio.Barrier(2)

    async def meet(arguments: object) -> ToolResult:
        await both.wait()  # passes only when the other call runs at the same time
        return ToolResult(content=str(arguments))

    slow = returning("slow", "slow", seconds=0.05)
    ran = await play(
        parallel_voice.mode,
        [parallel_voice.calls(("slow", {}), ("meet", {"n": 1}), ("meet", {"n": 2})), parallel_voice.answer("done")],
        [FakeTool(name="meet", body=meet), slow],
    )

    assert parallel_voice.results(ran.model.requests[1]) == ["slow", "{'n': 1}", "{'n': 2}"]
    assert ran.of(ToolReturned)[-1].name == "slow"


async def test_never_more_tools_at_once_than_allowed(parallel_voice: Voice) -> None:
    running, most = 0, 0

    async def count(_: object) -> ToolResult:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.01)
        running -= 1
        return ToolResult(content="ok")

    calls = parallel_voice.calls(*(("count", {"n": n}) for n in range(5)))
    await play(
        parallel_voice.mode,
        [calls, parallel_voice.answer("done")],
        [FakeTool(name="count", body=count)],
        limits=Limits(max_parallel_tools=2),
    )

    assert most == 2


async def test_written_actions_run_one_after_the_other(ordered_voice: Voice) -> None:
    log: list[str] = []

    async def note(arguments: JsonObject) -> ToolResult:
        log.append(f"{arguments['n']} starts")
        await asyncio.sleep(0.01)
        log.append(f"{arguments['n']} ends")
        return ToolResult(content="ok")

    calls = ordered_voice.calls(("note", {"n": 1}), ("note", {"n": 2}))
    await play(ordered_voice.mode, [calls, ordered_voice.answer("done")], [FakeTool(name="note", body=note)])

    assert log == ["1 starts", "1 ends", "2 starts", "2 ends"]


async def test_one_failing_call_of_several_leaves_the_others_their_results(voice: Voice) -> None:
    """Field bug B27."""
    tools = [returning("ok", "fine"), returning("boom", "ValueError: no such id", is_error=True)]

    ran = await play(voice.mode, [voice.calls(("ok", {}), ("boom", {}), ("ok", {})), voice.answer("done")], tools)

    assert voice.results(ran.model.requests[1]) == ["fine", "ValueError: no such id", "fine"]
    assert [source.tool for source in ran.finished.sources] == ["ok", "ok"]


async def test_an_unknown_tool_is_answered_with_the_names_there_are(voice: Voice) -> None:
    """Field bug B30."""
    replies = [voice.calls(("list_sites", {})), voice.calls(("get_sites", {})), voice.answer("done")]

    ran = await play(voice.mode, replies, [returning("get_sites", "a, b"), returning("now", "12:00")])

    (told,) = voice.results(ran.model.requests[1])
    assert told == "there is no tool 'list_sites'; the tools are: get_sites, now; did you mean 'get_sites'?"
    assert ran.finished.status == "completed"


async def test_the_step_limit_counts_replies_and_names_the_call_it_did_not_run(voice: Voice) -> None:
    """Field bug B52."""
    add = returning("add", "3")
    call = voice.calls(("add", {"a": 1}))

    ran = await play(voice.mode, [call, voice.calls(("add", {"a": 2}))], [add], limits=Limits(max_steps=2))

    assert ran.finished.status == "max_steps"
    assert ran.finished.error == "step limit 2 reached; not run: add"
    assert ran.finished.answer is None
    assert add.received == [{"a": 1}]
    assert ran.of(LimitReached)[0].limit == "max_steps"
    assert exit_code(ran.finished) == 5


async def test_one_allowed_step_is_enough_for_an_answer(voice: Voice) -> None:
    ran = await play(voice.mode, [voice.answer("Hi")], limits=Limits(max_steps=1))

    assert ran.finished.status == "completed"


async def test_calls_beyond_the_call_limit_are_not_run(voice: Voice) -> None:
    add = returning("add", "3")

    ran = await play(
        voice.mode,
        [voice.calls(("add", {"a": 1}), ("add", {"a": 2}), ("add", {"a": 3}))],
        [add],
        limits=Limits(max_tool_calls=2),
    )

    assert add.received == [{"a": 1}, {"a": 2}]
    assert ran.finished.status == "max_tool_calls"
    assert ran.finished.error == "tool call limit 2 reached in step 1; not run: add"
    assert ran.finished.tool_calls == 2


async def test_calls_that_cannot_run_are_not_counted_as_tool_calls(voice: Voice) -> None:
    add = returning("add", "3")
    unknown = voice.calls(("sub", {}), ("mul", {}))

    ran = await play(
        voice.mode,
        [unknown, voice.calls(("add", {"a": 1}), ("sub", {})), voice.answer("3")],
        [add],
        limits=Limits(max_tool_calls=1),
    )

    assert ran.finished.status == "completed"
    assert ran.finished.tool_calls == 1


async def test_a_bad_reply_is_corrected_once_and_the_run_goes_on(voice: Voice) -> None:
    """Field bug B10."""
    ran = await play(voice.mode, [voice.nonsense(), voice.answer("ok")], [returning("now", "12:00")])

    rejected = ran.of(FormatRejected)
    assert [event.attempt for event in rejected] == [1]
    assert ran.model.requests[1].messages[-1] == {"role": "user", "content": rejected[0].problem}
    assert ran.model.requests[1].messages[-2]["role"] == "assistant"
    assert ran.finished.answer == "ok"


async def test_a_small_slip_is_repaired_and_told_instead_of_asked_about(voice: Voice) -> None:
    """Field bug B68."""
    add = returning("add", "3", parameters={"type": "object", "properties": {"a": {"type": "integer"}}})
    slip = voice.calls(("add", {"a": 1}))
    slip = replace(
        slip,
        text=slip.text.replace("1}", "1,}"),
        tool_calls=tuple(replace(call, arguments='{"a": 1,}') for call in slip.tool_calls),
    )

    ran = await play(voice.mode, [slip, voice.answer("3")], [add])

    assert add.received == [{"a": 1}]
    assert [event.what for event in ran.of(FormatRepaired)] == ["the arguments of add: a trailing comma"]
    assert ran.of(FormatRejected) == []


async def test_bad_replies_end_the_run_after_the_allowed_corrections(voice: Voice) -> None:
    """Field bugs B11 and B47."""
    ran = await play(voice.mode, [voice.nonsense()] * 3, [returning("now", "12:00")], max_retries=2)

    assert ran.finished.status == "invalid_output"
    assert ran.finished.error is not None
    assert ran.finished.error.startswith("no valid action or answer after 3 replies; the last problem: ")
    assert ran.finished.answer is None
    assert exit_code(ran.finished) == 6


async def test_a_good_reply_starts_the_count_of_bad_ones_anew(voice: Voice) -> None:
    bad, good = voice.nonsense(), voice.calls(("now", {}))

    ran = await play(voice.mode, [bad, good, bad, good, voice.answer("ok")], [returning("now", "12:00")], max_retries=1)

    assert ran.finished.status == "completed"


async def test_a_call_cut_off_by_max_tokens_is_never_run(voice: Voice) -> None:
    """Field bug B23: even when its JSON happens to be whole."""
    write = returning("write", "written")
    cut = replace(voice.calls(("write", {"path": "a", "text": "half"})), finish_reason="length")

    ran = await play(voice.mode, [cut, cut, cut], [write], max_retries=2)

    assert write.received == []
    assert ran.finished.status == "invalid_output"
    assert "raise model.max_tokens" in (ran.finished.error or "")


async def test_an_answer_cut_off_by_max_tokens_is_not_taken_for_whole(voice: Voice) -> None:
    ran = await play(
        voice.mode,
        [replace(voice.answer("Once upon"), finish_reason="length"), voice.answer("Short.")],
        [returning("now", "12:00")],
    )

    assert ran.finished.answer == "Short."


async def test_a_blocked_reply_is_an_error_and_not_asked_for_again(voice: Voice) -> None:
    """Field bug B50."""
    ran = await play(voice.mode, [ModelReply(text="", finish_reason="content_filter")])

    assert ran.finished.status == "model_error"
    assert "content filter" in (ran.finished.error or "")
    assert exit_code(ran.finished) == 4


async def test_a_failing_model_ends_the_run_with_its_message(voice: Voice) -> None:
    ran = await play(voice.mode, [ModelError("500 from provider")])

    assert (ran.finished.status, ran.finished.error) == ("model_error", "500 from provider")
    assert (ran.finished.steps, ran.finished.cost) == (0, None)


async def test_a_required_call_holds_until_a_call_was_made(voice: Voice) -> None:
    """Field bug B49, and a model that ignores the choice."""
    ran = await play(
        voice.mode,
        [voice.answer("I guess noon"), voice.calls(("now", {})), voice.answer("12:00")],
        [returning("now", "12:00")],
        tool_choice=ToolChoice(mode="required"),
    )

    assert ran.of(FormatRejected)[0].problem.startswith("call a tool before you answer")
    assert ran.finished.answer == "12:00"


async def test_with_tool_choice_none_no_call_is_ever_run(voice: Voice) -> None:
    now = returning("now", "12:00")

    ran = await play(
        voice.mode,
        [voice.calls(("now", {})), voice.calls(("now", {})), voice.answer("It is late")],
        [now],
        tool_choice=ToolChoice(mode="none"),
    )

    assert now.received == []
    assert ran.finished.answer == "It is late"
    assert voice.results(ran.model.requests[2]) == ["no tool may be called now: answer the user"]


async def test_a_named_tool_is_the_one_that_has_to_be_called(voice: Voice) -> None:
    tools = [returning("add", "3"), returning("now", "12:00")]

    ran = await play(
        voice.mode,
        [voice.calls(("now", {})), voice.calls(("add", {"a": 1})), voice.answer("3")],
        tools,
        tool_choice=ToolChoice(mode="add"),
    )

    assert [tool.received for tool in tools] == [[{"a": 1}], []]
    assert voice.results(ran.model.requests[1]) == ["call the tool add first"]


async def test_one_tool_at_a_time_is_asked_of_the_provider_too() -> None:
    ran = await play(
        "native", [NativeVoice().answer("Hi")], [returning("now", "12")], limits=Limits(max_parallel_tools=1)
    )

    assert ran.model.requests[0].parallel_tool_calls is False


async def test_a_direct_result_is_the_answer_without_another_model_call(voice: Voice) -> None:
    report = returning("report", "the report", return_direct=True)

    ran = await play(voice.mode, [voice.calls(("report", {}))], [report])

    assert ran.finished.answer == "the report"
    assert ran.finished.steps == 1


async def test_a_failed_direct_tool_goes_back_to_the_model(voice: Voice) -> None:
    report = returning("report", "no data", is_error=True, return_direct=True)

    ran = await play(voice.mode, [voice.calls(("report", {})), voice.answer("There is no data")], [report])

    assert ran.finished.answer == "There is no data"


async def test_call_ids_are_made_unique_and_each_result_answers_its_own_call() -> None:
    """Field bug B29."""
    double = NativeVoice().calls(("echo", {"n": 1}), ("echo", {"n": 2}))
    double = replace(
        double, tool_calls=tuple(replace(call, id=i) for call, i in zip(double.tool_calls, "cc", strict=True))
    )
    again = replace(
        double, tool_calls=tuple(replace(call, id=i) for call, i in zip(double.tool_calls, ("c", ""), strict=True))
    )

    async def echo(arguments: object) -> ToolResult:
        return ToolResult(content=str(arguments))

    ran = await play(
        "native", [double, again, ModelReply(text="done", finish_reason="stop")], [FakeTool(name="echo", body=echo)]
    )

    messages = ran.model.requests[2].messages
    asked = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    answered = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    assert len(set(asked)) == 4
    assert answered == asked
    assert [message["content"] for message in messages if message["role"] == "tool"] == ["{'n': 1}", "{'n': 2}"] * 2


async def test_the_conversation_only_grows(voice: Voice) -> None:
    ran = await play(voice.mode, [voice.calls(("now", {}))] * 2 + [voice.answer("12")], [returning("now", "12:00")])

    sent = [list(request.messages) for request in ran.model.requests]
    assert all(later[: len(earlier)] == earlier for earlier, later in pairwise(sent))
    assert sent[0][0]["role"] == "system"
    assert sent[0][0]["content"].startswith("Be brief.")


async def test_examples_come_before_the_prompt(voice: Voice) -> None:
    ran = await play(
        voice.mode,
        [voice.answer("ok")],
        [returning("now", "12:00")],
        examples=(UserMessage(text="Time?"), AssistantMessage(text="12:00")),
    )

    roles = [message["role"] for message in ran.model.requests[0].messages]
    assert roles == ["system", "user", "assistant", "user"]
    assert ran.model.requests[0].messages[-1]["content"] == "Hello"


async def test_usage_adds_up_and_an_unknown_price_stays_unknown(voice: Voice) -> None:
    first = replace(voice.calls(("now", {})), usage=Usage(input_tokens=10, output_tokens=2), cost=0.5)
    last = replace(voice.answer("12"), usage=Usage(input_tokens=20, output_tokens=3, estimated=True))

    priced = await play(voice.mode, [first, replace(last, cost=0.25)], [returning("now", "12:00")])
    unknown = await play(voice.mode, [first, last], [returning("now", "12:00")])

    assert priced.finished.usage == Usage(input_tokens=30, output_tokens=5, estimated=True)
    assert priced.finished.cost == 0.75
    assert unknown.finished.cost is None
    assert [event.cost for event in unknown.of(ModelReplied)] == [0.5, None]


async def test_deltas_are_told_only_when_somebody_watches(voice: Voice) -> None:
    quiet = await play(voice.mode, [voice.answer("Hello there")])
    watched = await play(voice.mode, [voice.answer("Hello there")], watch=True)

    assert quiet.of(ModelDelta) == []
    assert "".join(event.text for event in watched.of(ModelDelta)) == voice.answer("Hello there").text


async def test_a_model_that_cannot_be_opened_is_a_matter_of_configuration() -> None:
    class Unready:
        name = "openai/x"
        closed = False

        async def open(self) -> object:
            raise ModelError("OPENAI_API_KEY is not set", configuration=True)

        async def close(self) -> None:
            self.closed = True

    model = Unready()
    ran = await play("native", [], model=model)  # type: ignore[arg-type]  # asked for nothing but open and close

    assert [type(event).__name__ for event in ran.events] == ["RunFinished"]
    assert ran.finished.status == "config_invalid"
    assert exit_code(ran.finished) == 1
    assert model.closed


@pytest.mark.parametrize("status", EXIT_CODES)
def test_only_completed_exits_with_zero(status: str) -> None:
    assert (EXIT_CODES[status] == 0) == (status == "completed")  # type: ignore[index]  # every key is a status
