"""A run that goes on with an earlier part of itself: nothing is done twice, and what is spent stays spent."""

import re
from dataclasses import replace
from typing import Any

import pytest

from runner.engine.approval import Approved, Decision, Deferred, Rejected
from runner.engine.events import (
    ApprovalRequested,
    ApprovalResolved,
    FormatRejected,
    RunFinished,
    StepStarted,
    ToolCalled,
)
from runner.engine.journal import Began, CallEnded, CallStarted, Decided, Entry, Finished
from runner.engine.messages import AssistantMessage, Message, ToolCall, ToolResult, ToolResults, UserMessage
from runner.engine.past import Past
from runner.engine.ports import Capabilities, ModelError, ModelReply, Usage
from runner.models.scripted import ScriptedModel
from runner.sessions.replay import replay
from runner.sessions.session import Unfinished
from runner.spec import JsonObject, Limits, PermissionsSpec, Price
from tests.engine.voices import VOICES, FakeTool, Person, Ran, Recorder, Voice, play, returning

ASK = PermissionsSpec(ask=("mail",))
BEGAN = Began(agent="tested", file="/agent.yaml", model="scripted", text=None, inputs={}, prompt="Hello")


def asked(*calls: tuple[str, str, JsonObject]) -> AssistantMessage:
    """A reply with calls, as (id, name, arguments)."""
    return AssistantMessage(calls=tuple(ToolCall(id=id_, name=name, arguments=given) for id_, name, given in calls))


def done(reply: AssistantMessage, *results: str) -> tuple[Message, ...]:
    pairs = zip(reply.calls, (ToolResult(content=each) for each in results), strict=True)
    return reply, ToolResults(results=tuple(pairs))


def mail(**options: Any) -> FakeTool:
    return returning("mail", "sent", **options)


ONE = asked(("id_0", "mail", {"to": "bo"}))


# -- where it goes on -------------------------------------------------------------------------------------------------


async def test_what_was_said_is_sent_again_and_the_steps_go_on(voice: Voice) -> None:
    past = Past(messages=done(ONE, "sent"), steps=1, calls=ONE.calls)

    ran = await play(voice.mode, [voice.answer("done")], [mail()], past=past)

    assert voice.results(ran.model.requests[0]) == ["sent"]
    assert [event.step for event in ran.of(StepStarted)] == [2]
    assert (ran.finished.answer, ran.finished.steps, ran.finished.tool_calls) == ("done", 2, 1)


async def test_open_calls_are_made_before_the_model_is_asked(voice: Voice) -> None:
    tool = mail()

    ran = await play(voice.mode, [voice.answer("done")], [tool], past=Past(unanswered=ONE, steps=1))

    assert tool.received == [{"to": "bo"}]
    assert [event.step for event in ran.of(ToolCalled)] == [1]
    assert voice.results(ran.model.requests[0]) == ["sent"]
    assert (ran.finished.steps, ran.finished.tool_calls) == (2, 1)


async def test_of_half_done_calls_only_the_others_are_made_and_all_are_answered_in_order(voice: Voice) -> None:
    tool = returning("read", "new", idempotent=True)
    reply = asked(*((f"id_{n}", "read", {"n": n}) for n in range(4)))
    past = Past(
        unanswered=reply,
        in_order=not voice.parallel,
        results={"id_1": ToolResult(content="old 1"), "id_3": ToolResult(content="old 3")},
        calls=(reply.calls[1], reply.calls[3]),
        steps=1,
    )

    ran = await play(voice.mode, [voice.answer("done")], [tool], past=past)

    assert tool.received == [{"n": 0}, {"n": 2}]
    assert voice.results(ran.model.requests[0]) == ["new", "old 1", "new", "old 3"]
    assert ran.finished.tool_calls == 4
    assert [source.content for source in ran.finished.sources] == ["new", "old 1", "new", "old 3"]


async def test_a_result_that_is_the_answer_ends_the_run_without_the_model(voice: Voice) -> None:
    past = Past(unanswered=ONE, steps=1)

    ran = await play(voice.mode, [], [mail(return_direct=True)], past=past)

    assert (ran.finished.status, ran.finished.answer) == ("completed", "sent")


async def test_an_answer_that_was_there_when_the_run_broke_off_is_not_made_again(voice: Voice) -> None:
    tool = mail(return_direct=True)
    past = Past(unanswered=ONE, results={"id_0": ToolResult(content="sent")}, calls=ONE.calls, steps=1)

    ran = await play(voice.mode, [], [tool], past=past)

    assert (ran.finished.answer, tool.received) == ("sent", [])


async def test_ids_of_new_calls_are_none_of_the_old_ones(voice: Voice) -> None:
    past = Past(messages=done(ONE, "sent"), steps=1, calls=ONE.calls)

    ran = await play(voice.mode, [voice.calls(("mail", {"to": "cy"})), voice.answer("done")], [mail()], past=past)

    assert ran.of(ToolCalled)[0].id != "id_0"


async def test_a_tool_the_agent_has_no_more_is_told_to_the_model(voice: Voice) -> None:
    ran = await play(
        voice.mode, [voice.answer("done")], [returning("read", "text")], past=Past(unanswered=ONE, steps=1)
    )

    assert "there is no tool 'mail'" in voice.results(ran.model.requests[0])[0]


# -- calls that had started -------------------------------------------------------------------------------------------


STARTED = Past(unanswered=ONE, started={"id_0": {"to": "bo"}}, calls=ONE.calls, steps=1)


@pytest.mark.parametrize("permissions", [PermissionsSpec(), ASK])
async def test_a_call_that_had_started_is_made_again_if_that_does_no_harm(
    voice: Voice, permissions: PermissionsSpec
) -> None:
    tool = mail(idempotent=True)

    ran = await play(voice.mode, [voice.answer("done")], [tool], past=STARTED, permissions=permissions)

    assert (tool.received, ran.of(ApprovalRequested)) == ([{"to": "bo"}], [])
    assert ran.finished.tool_calls == 1  # it was counted when it was made first


async def test_else_nobody_knows_what_it_did_and_the_model_is_told(voice: Voice) -> None:
    tool = mail()

    ran = await play(voice.mode, [voice.answer("done")], [tool], past=STARTED)

    assert tool.received == []
    told = voice.results(ran.model.requests[0])[0]
    assert "it was running when the run broke off, and nobody knows what it did; it was not made again" in told
    assert ran.finished.tool_calls == 1


async def test_or_a_person_is_asked_who_can_have_it_made_again(voice: Voice) -> None:
    tool, person = mail(), Person([Approved(by="ana")])

    ran = await play(voice.mode, [voice.answer("done")], [tool], past=STARTED, approver=person)

    assert person.asked[0].started
    assert "nobody knows what it did" in person.asked[0].reason
    assert tool.received == [{"to": "bo"}]
    assert ran.finished.tool_calls == 1


async def test_a_tool_approved_for_the_run_is_asked_about_all_the_same_when_it_had_started(voice: Voice) -> None:
    tool, person = mail(), Person([Rejected(by="ana", reason="It has come.")])
    past = replace(STARTED, approved={"mail": "ada"})

    await play(voice.mode, [voice.answer("done")], [tool], past=past, approver=person, permissions=ASK)

    assert (len(person.asked), tool.received) == (1, [])


@pytest.mark.parametrize("edited", [{"to": "zoe"}, {}])
async def test_a_call_is_made_again_with_the_arguments_it_had_and_the_model_is_told(
    voice: Voice, edited: JsonObject
) -> None:
    tool = mail(idempotent=True)

    ran = await play(voice.mode, [voice.answer("done")], [tool], past=replace(STARTED, started={"id_0": edited}))

    assert tool.received == [edited]
    assert "A person changed the arguments" in str(ran.model.requests[0].messages)


UNKNOWN = "it was running when the run broke off, and nobody knows what it did; it was not made again: "


async def test_a_call_that_had_started_is_not_made_again_when_it_is_forbidden_meanwhile(voice: Voice) -> None:
    tool = mail(idempotent=True)

    ran = await play(
        voice.mode, [voice.answer("done")], [tool], past=STARTED, permissions=PermissionsSpec(deny=("mail",))
    )

    assert tool.received == []
    told = voice.results(ran.model.requests[0])[0]
    assert told.endswith(f"{UNKNOWN}the permissions of this agent forbid it (deny: mail)")
    assert ran.of(ApprovalResolved)[0].decision == "denied"


async def test_the_outcome_of_a_call_that_had_started_is_unknown_even_when_the_tool_is_gone(voice: Voice) -> None:
    journal = Recorder()

    ran = await play(voice.mode, [voice.answer("done")], [returning("read", "text")], past=STARTED, journal=journal)

    told = voice.results(ran.model.requests[0])[0]
    assert told.endswith(f"{UNKNOWN}this agent has no tool 'mail' any more")
    assert (ran.of(ToolCalled), ran.finished.tool_calls) == ([], 1)
    assert [(each.resolution.decision, each.resolution.by) for each in journal.of(Decided)] == [("rejected", "nobody")]
    assert [entry.result.content for entry in journal.of(CallEnded)] == [f"{UNKNOWN}{told.split(UNKNOWN)[1]}"]


async def test_the_outcome_of_a_call_is_unknown_even_when_the_tool_takes_other_arguments_now(voice: Voice) -> None:
    tool = mail(idempotent=True, allowed=frozenset({"rcpt"}))

    ran = await play(voice.mode, [voice.answer("done")], [tool], past=STARTED)

    assert tool.received == []
    told = voice.results(ran.model.requests[0])[0]
    assert told.endswith(f"{UNKNOWN}mail does not take these arguments any more")


async def test_a_person_who_has_it_made_again_hears_that_the_arguments_do_not_fit_any_more(voice: Voice) -> None:
    tool = mail(allowed=frozenset({"rcpt"}))

    ran = await play(voice.mode, [voice.answer("done")], [tool], past=STARTED, approver=Person([Approved(by="ana")]))

    assert tool.received == []
    (resolved,) = ran.of(ApprovalResolved)
    assert (resolved.decision, resolved.by) == ("rejected", "ana")
    assert (resolved.reason or "").startswith(UNKNOWN)


async def test_a_person_can_give_it_the_arguments_that_fit_now(voice: Voice) -> None:
    tool = mail(allowed=frozenset({"rcpt"}))
    person = Person([Approved(by="ana", arguments={"rcpt": "bo"})])

    ran = await play(voice.mode, [voice.answer("done")], [tool], past=STARTED, approver=person)

    assert tool.received == [{"rcpt": "bo"}]
    assert ran.of(ApprovalResolved)[0].decision == "edited"


async def test_arguments_that_cannot_be_used_do_not_hide_that_the_call_had_started(voice: Voice) -> None:
    tool = mail(allowed=frozenset({"to"}))
    person = Person([Approved(by="ana", arguments={"too": "bo"})])

    ran = await play(voice.mode, [voice.answer("done")], [tool], past=STARTED, approver=person)

    assert tool.received == []
    assert f"{UNKNOWN}the arguments that a person gave instead" in voice.results(ran.model.requests[0])[0]


@pytest.mark.parametrize("past", [STARTED, Past(unanswered=ONE, steps=1)])
@pytest.mark.parametrize("gone", [True, False])
async def test_a_rejection_is_told_whatever_has_become_of_the_tool(voice: Voice, past: Past, *, gone: bool) -> None:
    journal = Recorder()
    past = replace(past, decisions={"id_0": Rejected(by="ana", reason="It has come.")})

    ran = await play(
        voice.mode,
        [voice.answer("done")],
        [returning("read", "text") if gone else mail()],
        past=past,
        permissions=PermissionsSpec(deny=("mail",)),
        journal=journal,
    )

    told = voice.results(ran.model.requests[0])[0]
    assert told.endswith(f"{UNKNOWN}It has come." if past.started else "not run, it was rejected: It has come.")
    (decided,) = journal.of(Decided)
    assert (decided.resolution.decision, decided.resolution.by) == ("rejected", "ana")


@pytest.mark.parametrize("past", [STARTED, Past(unanswered=ONE, steps=1)])
async def test_who_approves_a_call_of_a_tool_that_is_gone_is_noted_and_the_model_told(voice: Voice, past: Past) -> None:
    past = replace(past, decisions={"id_0": Approved(by="ana")})

    ran = await play(voice.mode, [voice.answer("done")], [returning("read", "text")], past=past)

    told = voice.results(ran.model.requests[0])[0]
    assert told.endswith(f"{UNKNOWN if past.started else 'not run, '}this agent has no tool 'mail' any more")
    (resolved,) = ran.of(ApprovalResolved)
    assert (resolved.decision, resolved.by) == ("rejected", "ana")


async def test_a_limit_does_not_hide_that_a_call_had_started(voice: Voice) -> None:
    ran = await play(
        voice.mode,
        [voice.answer("Perhaps sent")],
        [mail()],
        past=replace(STARTED, seconds=50.0),
        limits=Limits(timeout=60.0),
        on_limit="answer",
    )

    assert ran.finished.status == "timeout"
    assert "nobody knows what it did" in str(ran.model.requests[0].messages)


async def test_started_arguments_that_python_takes_for_the_same_were_edited(voice: Voice) -> None:
    tool = mail(idempotent=True)
    past = replace(STARTED, unanswered=asked(("id_0", "mail", {"urgent": 1})), started={"id_0": {"urgent": True}})

    await play(voice.mode, [voice.answer("done")], [tool], past=past)

    assert repr(tool.received) == repr([{"urgent": True}])


async def test_a_call_that_had_started_can_wait_for_a_decision(voice: Voice) -> None:
    ran = await play(voice.mode, [], [mail()], past=STARTED, approver=Person([Deferred()]))

    assert ran.finished.status == "waiting_for_approval"


# -- decisions --------------------------------------------------------------------------------------------------------


async def test_decisions_that_were_given_are_carried_out_without_asking(voice: Voice) -> None:
    tool = mail()
    reply = asked(*((f"id_{n}", "mail", {"to": str(n)}) for n in range(3)))
    past = Past(
        unanswered=reply,
        steps=1,
        decisions={
            "id_0": Approved(by="ana"),
            "id_1": Rejected(by="ana", reason="no"),
            "id_2": Approved(by="bo", arguments={"to": "zoe"}),
        },
    )

    ran = await play(voice.mode, [voice.answer("done")], [tool], past=past, permissions=ASK, approver=Person([]))

    assert tool.received == [{"to": "0"}, {"to": "zoe"}]
    assert ran.of(ApprovalRequested) == []
    assert [(each.decision, each.by) for each in ran.of(ApprovalResolved)] == [
        ("approved", "ana"),
        ("rejected", "ana"),
        ("edited", "bo"),
    ]
    assert ran.finished.tool_calls == 2


async def test_a_call_that_nobody_would_have_been_asked_about_can_be_rejected(voice: Voice) -> None:
    tool = mail()
    past = Past(unanswered=ONE, steps=1, decisions={"id_0": Rejected(by="ana", reason="no")})

    await play(voice.mode, [voice.answer("done")], [tool], past=past)

    assert tool.received == []


async def test_calls_without_a_decision_still_wait(parallel_voice: Voice) -> None:
    tool = mail()
    reply = asked(("id_0", "mail", {"to": "a"}), ("id_1", "mail", {"to": "b"}))
    past = Past(unanswered=reply, steps=1, decisions={"id_1": Approved(by="ana")})

    ran = await play(parallel_voice.mode, [], [tool], past=past, permissions=ASK, approver=Person([Deferred()]))

    assert ran.finished.error == "waiting for approval of mail (id_0)"
    assert tool.received == [{"to": "b"}]


async def test_in_order_an_approved_call_waits_for_the_one_before_it(ordered_voice: Voice) -> None:
    tool = mail()
    reply = asked(("id_0", "mail", {"to": "a"}), ("id_1", "mail", {"to": "b"}))
    past = Past(unanswered=reply, in_order=True, steps=1, decisions={"id_1": Approved(by="ana")})

    ran = await play(ordered_voice.mode, [], [tool], past=past, permissions=ASK, approver=Person([Deferred()]))

    assert (ran.finished.status, tool.received) == ("waiting_for_approval", [])


async def test_what_was_approved_for_the_run_is_asked_again_since_the_tool_may_have_changed(voice: Voice) -> None:
    tool, person = mail(), Person([Rejected(by="ana", reason="no")])
    past = Past(messages=done(ONE, "sent"), steps=1, calls=ONE.calls, approved={"mail": "ada"})

    await play(
        voice.mode,
        [voice.calls(("mail", {"to": "cy"})), voice.answer("done")],
        [tool],
        past=past,
        permissions=ASK,
        approver=person,
    )

    assert tool.received == []
    assert person.asked[0].reason == "ask: mail; ada approved this tool before, but the run was broken off since"


# -- what is spent ----------------------------------------------------------------------------------------------------


async def test_tokens_cost_and_time_are_those_of_the_whole_run(voice: Voice) -> None:
    past = Past(steps=2, usage=Usage(input_tokens=100, output_tokens=20), cost=0.25, seconds=40.0)
    reply = replace(voice.answer("done"), usage=Usage(input_tokens=10, output_tokens=5), cost=0.5)

    ran = await play(voice.mode, [reply], past=past)

    assert (ran.finished.usage.input_tokens, ran.finished.usage.output_tokens) == (110, 25)
    assert ran.finished.cost == 0.75
    assert 40 <= ran.finished.seconds < 80


async def test_a_cost_that_was_not_known_is_not_known_now(voice: Voice) -> None:
    ran = await play(voice.mode, [replace(voice.answer("done"), cost=0.5)], past=Past(steps=1, cost=None))

    assert ran.finished.cost is None


async def test_spent_tokens_leave_no_room_for_another_request(voice: Voice) -> None:
    past = Past(steps=1, usage=Usage(input_tokens=990, output_tokens=5))

    ran = await play(voice.mode, [], past=past, limits=Limits(max_total_tokens=1000))

    assert ran.finished.status == "max_total_tokens"


async def test_spent_money_leaves_no_room_for_another_request(voice: Voice) -> None:
    model = ScriptedModel([], capabilities=Capabilities(price=Price(input=1000.0, output=1000.0)))

    ran = await play(voice.mode, [], model=model, past=Past(steps=1, cost=0.999), limits=Limits(max_cost=1.0))

    assert ran.finished.status == "max_cost"


async def test_spent_calls_stay_spent(voice: Voice) -> None:
    tool = mail()
    past = Past(messages=done(ONE, "sent"), steps=1, calls=ONE.calls)
    replies = [voice.calls(("mail", {"to": "a"}), ("mail", {"to": "b"}))]

    ran = await play(voice.mode, replies, [tool], past=past, limits=Limits(max_tool_calls=2))

    assert (ran.finished.status, tool.received) == ("max_tool_calls", [{"to": "a"}])


async def test_repeats_are_counted_on(voice: Voice) -> None:
    past = Past(messages=done(ONE, "sent") * 2, steps=2, calls=ONE.calls * 2)

    ran = await play(
        voice.mode, [voice.calls(("mail", {"to": "bo"}))], [mail()], past=past, limits=Limits(max_repeat_calls=2)
    )

    assert ran.finished.status == "repeated_calls"


async def test_repeats_are_counted_on_for_calls_that_were_denied(voice: Voice) -> None:
    past = Past(messages=done(ONE, "not run, the permissions of this agent forbid it (deny: mail)") * 2, steps=2)

    ran = await play(
        voice.mode,
        [voice.calls(("mail", {"to": "bo"}))],
        [mail()],
        past=past,
        permissions=PermissionsSpec(deny=("mail",)),
        limits=Limits(max_repeat_calls=2),
    )

    assert (ran.finished.status, ran.finished.tool_calls) == ("repeated_calls", 0)


async def test_of_the_open_reply_what_has_a_result_counts_as_a_repeat_once(voice: Voice) -> None:
    reply = asked(*((f"id_{n}", "mail", {"to": "bo"}) for n in range(3)))
    past = Past(unanswered=reply, results={"id_0": ToolResult(content="sent")}, calls=reply.calls[:1], steps=1)

    allowed = await play(voice.mode, [voice.answer("done")], [mail()], past=past, limits=Limits(max_repeat_calls=3))
    stopped = await play(voice.mode, [], [mail()], past=past, limits=Limits(max_repeat_calls=2))

    assert (allowed.finished.status, allowed.finished.tool_calls) == ("completed", 3)
    assert (stopped.finished.status, stopped.finished.tool_calls) == ("repeated_calls", 2)


async def test_calls_of_tools_there_are_not_are_no_repeats_in_an_earlier_part_either(voice: Voice) -> None:
    past = Past(messages=done(asked(("id_0", "mial", {"to": "bo"})), "there is no tool 'mial'") * 2, steps=2)

    ran = await play(
        voice.mode,
        [voice.calls(("mial", {"to": "bo"})), voice.answer("done")],
        [mail()],
        past=past,
        limits=Limits(max_repeat_calls=1),
    )

    assert ran.finished.status == "completed"


async def test_spent_time_stays_spent_and_open_calls_are_not_begun(voice: Voice) -> None:
    tool = mail()

    ran = await play(
        voice.mode, [], [tool], past=Past(unanswered=ONE, steps=1, seconds=61.0), limits=Limits(timeout=60.0)
    )

    assert (ran.finished.status, tool.received) == ("timeout", [])


async def test_last_words_are_asked_for_with_open_calls_answered(voice: Voice) -> None:
    tool = mail()

    ran = await play(
        voice.mode,
        [voice.answer("Not sent")],
        [tool],
        past=Past(unanswered=ONE, steps=1, seconds=50.0),
        limits=Limits(timeout=60.0),
        on_limit="answer",
    )

    assert (ran.finished.status, ran.finished.answer, tool.received) == ("timeout", "Not sent", [])
    assert "not finished: time limit of 60 s reached" in str(ran.model.requests[0].messages)


async def test_corrections_in_a_row_are_counted_on(voice: Voice) -> None:
    wrong = (AssistantMessage(text="Hmm."), UserMessage(text="That is no action."))
    past = Past(messages=wrong * 2, steps=2, rejected=2)

    ran = await play(voice.mode, [voice.nonsense()], [mail()], past=past, max_retries=2)

    assert (ran.finished.status, [each.attempt for each in ran.of(FormatRejected)]) == ("invalid_output", [3])


async def test_steps_are_counted_on(voice: Voice) -> None:
    past = Past(messages=done(ONE, "sent"), steps=2, calls=ONE.calls)

    ran = await play(voice.mode, [voice.calls(("mail", {"to": "cy"}))], [mail()], past=past, limits=Limits(max_steps=3))

    assert (ran.finished.status, ran.finished.steps) == ("max_steps", 3)


@pytest.mark.parametrize(
    "past",
    [
        Past(unanswered=ONE, steps=3),
        Past(messages=done(ONE, "sent"), calls=ONE.calls, steps=3),
    ],
)
async def test_a_run_without_steps_left_asks_nobody_and_calls_nothing(voice: Voice, past: Past) -> None:
    tool = mail()
    spare = ScriptedModel([voice.answer("done")])

    ran = await play(voice.mode, [], [tool], model=spare, past=past, limits=Limits(max_steps=3))

    assert (ran.finished.status, tool.received, spare.requests) == ("max_steps", [], [])


# -- other models -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("before", ["native", "json", "react"])
async def test_what_was_said_in_another_mode_is_put_into_the_words_of_this_one(voice: Voice, before: str) -> None:
    unfinished = await broken_off(VOICES[before])
    same = await play(voice.mode, [voice.answer("done")], [returning("read", "x")], past=unfinished.past)

    own = await broken_off(voice)
    other = await play(voice.mode, [voice.answer("done")], [returning("read", "x")], past=own.past)

    # What was said beside the call goes along; the other run's model had said nothing.
    assert without_ids(same).replace("hm\n", "") == without_ids(other)


async def broken_off(voice: Voice) -> Unfinished:
    """A run whose model failed after a call was made."""
    journal = Recorder()
    replies = [voice.calls(("read", {"n": 1})), ModelError("gone")]
    await play(voice.mode, replies, [returning("read", "x")], journal=journal)
    unfinished = replay([BEGAN, *journal.entries]).unfinished
    assert unfinished is not None
    return unfinished


def without_ids(ran: Ran) -> str:
    """What the model was sent, without what no mode but one has: ids of calls and thoughts."""
    sent = str(ran.model.requests[0].messages).replace("\\n", "\n").replace("'hm'", "None")
    return re.sub(r"id_0|call_\d+|Thought: hm\n", "", sent)


async def test_a_fallback_answers_in_its_own_form_after_open_calls_were_made(voice: Voice) -> None:
    tool = mail()
    fallback = ScriptedModel([voice.answer("done")], name="second")

    ran = await play(
        voice.mode,
        [ModelError("gone")],
        [tool],
        past=Past(unanswered=ONE, steps=1),
        fallbacks=[fallback],
    )

    assert (ran.finished.answer, tool.received) == ("done", [{"to": "bo"}])
    assert voice.results(fallback.requests[0]) == ["sent"]


# -- cut anywhere -----------------------------------------------------------------------------------------------------


def whole(voice: Voice) -> list[ModelReply]:
    return [
        voice.calls(("read", {"n": 1}), ("mail", {"to": "bo"}), ("mail", {"to": "cy"})),
        voice.nonsense(),
        voice.calls(("mail", {"to": "di"})),
        voice.answer("done"),
    ]


def tools() -> list[FakeTool]:
    return [returning("read", "text", idempotent=True), mail()]


DECISIONS: list[Decision] = [
    Approved(by="ana"),
    Rejected(by="ana", reason="no"),
    Approved(by="ana", arguments={"to": "zoe"}),
]


async def record(voice: Voice) -> list[Entry]:
    journal = Recorder()
    await play(voice.mode, whole(voice), tools(), permissions=ASK, approver=Person(DECISIONS), journal=journal)
    assert journal.kinds.count("CallStarted") == 3
    return journal.entries


@pytest.mark.parametrize("cut", range(1, 16))
async def test_wherever_a_run_breaks_off_no_call_is_made_twice_and_none_is_lost(voice: Voice, cut: int) -> None:
    entries = (await record(voice))[:cut]
    replied = sum(type(entry).__name__ == "Replied" for entry in entries)
    if isinstance(entries[-1], Finished):
        return
    unfinished = replay([BEGAN, *entries]).unfinished
    assert unfinished is not None
    given, journal = tools(), Recorder()
    began = [entry for entry in entries if isinstance(entry, CallStarted)]
    ended = {entry.id for entry in entries if isinstance(entry, CallEnded)}
    unknown = {entry.id for entry in began if entry.id not in ended}

    ran = await play(
        voice.mode,
        whole(voice)[replied:],
        given,
        permissions=ASK,
        approver=Scripted(unknown),
        journal=journal,
        past=unfinished.past,
    )

    assert ran.finished.answer == "done"
    made = [entry.arguments for entry in began] + [each for tool in given for each in tool.received]
    repeated = [entry.arguments for entry in began if entry.id in unknown and entry.name == "read"]
    expected: list[JsonObject] = [{"n": 1}, {"to": "bo"}, {"to": "zoe"}]
    assert sorted(map(str, made)) == sorted(map(str, expected + [each for each in repeated if each is not None]))
    assert ran.finished.tool_calls == 3
    assert replay([BEGAN, *entries, *journal.entries]).unfinished is None


class Scripted:
    """Decides as `DECISIONS` do, by what is asked; nothing that had started is made again."""

    def __init__(self, unknown: set[str]) -> None:
        self._unknown = unknown

    async def decide(self, request: Any) -> Any:
        assert request.started == (request.call.id in self._unknown)
        if request.started:
            return Rejected(by="ana", reason="leave it")
        return DECISIONS[["bo", "cy", "di"].index(request.call.arguments["to"])]


async def test_a_run_that_waits_is_decided_in_another_process_one_call_after_the_other(voice: Voice) -> None:
    journal, tool = Recorder(), mail()
    replies = [voice.calls(("mail", {"to": "a"}), ("mail", {"to": "b"}))]
    first = await play(
        voice.mode, replies, [tool], permissions=ASK, approver=Person([Deferred(), Deferred()]), journal=journal
    )
    statuses = [first.finished.status]
    finished: RunFinished | None = None
    for decision in (Rejected(by="ana", reason="no"), Approved(by="ana")):
        unfinished = replay([BEGAN, *journal.entries]).unfinished
        assert unfinished is not None
        past = replace(unfinished.past, decisions={unfinished.pending[0].id: decision})
        last = len(unfinished.pending) == 1
        ran = await play(
            voice.mode,
            [voice.answer("done")] if last else [],
            [tool],
            permissions=ASK,
            approver=Person([Deferred()]),
            journal=journal,
            past=past,
        )
        finished = ran.finished
        statuses.append(finished.status)

    assert statuses == ["waiting_for_approval", "waiting_for_approval", "completed"]
    assert tool.received == [{"to": "b"}]
    assert finished is not None
    assert (finished.steps, finished.tool_calls) == (2, 1)
