from dataclasses import replace
from typing import Any

import pytest

from runner.engine.approval import Approved
from runner.engine.events import RunFinished, Status
from runner.engine.journal import Entry
from runner.engine.messages import AssistantMessage, ToolResult, ToolResults, UserMessage
from runner.engine.ports import Usage
from runner.sessions.replay import replay
from runner.sessions.session import Unfinished
from tests.sessions.entries import began, call, decided, ended, finished, replied, started

A, B = call("a", n=1), call("b", n=2)
SAVED = ToolResult(content="saved")


def unfinished(*entries: Entry) -> Unfinished:
    found = replay([began(), *entries]).unfinished
    assert found is not None
    return found


def test_a_session_without_entries_has_nothing() -> None:
    assert (replay([]).history, replay([]).unfinished) == ((), None)


def test_entries_that_belong_to_no_run_are_refused() -> None:
    with pytest.raises(ValueError, match="the first entry is CallStarted"):
        replay([started("a")])


def test_history_is_what_was_said_in_order() -> None:
    reply = replied(1, A, B, text="saving")
    entries: list[Entry] = [
        began("Save both"),
        replied(1, text="hm", correction="write JSON"),
        replace(reply, step=2),
        started("a"),
        started("b"),
        ended("b", "saved b"),
        ended("a", "saved a"),
        finished(answer="Done."),
        began("Thanks"),
        finished(answer="You are welcome."),
    ]

    replayed = replay(entries)

    assert replayed.unfinished is None
    assert replayed.history == (
        UserMessage(text="Save both"),
        AssistantMessage(text="hm", raw="hm"),
        UserMessage(text="write JSON"),
        reply.message,
        ToolResults(results=((A, ToolResult(content="saved a")), (B, ToolResult(content="saved b")))),
        AssistantMessage(text="Done."),
        UserMessage(text="Thanks"),
        AssistantMessage(text="You are welcome."),
    )


@pytest.mark.parametrize("status", ["completed", "invalid_output", "config_invalid"])
def test_a_run_that_is_over_is_not_gone_on_with(status: Status) -> None:
    assert replay([began(), replied(1, A), ended("a"), finished(status)]).unfinished is None


@pytest.mark.parametrize(
    "status",
    [
        "waiting_for_approval",
        "interrupted",
        "model_error",
        "internal_error",
        "timeout",
        "max_steps",
        "max_tool_calls",
        "max_total_tokens",
        "max_cost",
        "repeated_calls",
    ],
)
def test_a_run_that_was_stopped_can_be_gone_on_with(status: Status) -> None:
    assert unfinished(replied(1, A), finished(status)).status == status


def test_a_run_that_broke_off_has_no_status() -> None:
    assert unfinished(replied(1, A)).status is None
    assert unfinished(replied(1, A), finished("interrupted"), started("a")).status is None


def test_a_run_in_which_the_model_said_nothing_leaves_no_history() -> None:
    entries: list[Entry] = [began("Hi"), finished("config_invalid"), began("Hi"), finished("interrupted"), began("Hi")]

    replayed = replay([*entries, finished(answer="Hello!")])

    assert replayed.history == (UserMessage(text="Hi"), AssistantMessage(text="Hello!"))


def test_a_run_that_was_not_gone_on_with_is_history_with_every_call_answered() -> None:
    entries: list[Entry] = [
        began("Go"),
        replied(1, A, B, call("c")),
        ended("a"),
        started("b"),
        finished("timeout", error="60 s"),
    ]

    said = replay([*entries, began("Next"), finished(answer="Yes")]).history

    results = said[2]
    assert isinstance(results, ToolResults)
    assert [result.content for _, result in results.results] == [
        "saved",
        "nobody knows what it did, it was running when the run ended: 60 s",
        "not run: 60 s",
    ]
    assert [result.is_error for _, result in results.results] == [False, True, True]
    assert unfinished(*entries[1:]).settled[1:] == said[1:3]


def test_last_words_are_part_of_what_was_said() -> None:
    going = unfinished(replied(1, A), ended("a"), finished("max_steps", answer="As far as I came: 4."))

    assert going.settled[-1] == AssistantMessage(text="As far as I came: 4.")
    assert going.past.messages == ()


def test_the_last_reply_is_unanswered_also_when_all_its_results_are_there() -> None:
    # The result of a return_direct tool may be the answer of the run, which only the engine knows.
    past = unfinished(replied(1, A, in_order=True), started("a"), ended("a")).past

    assert past.unanswered == replied(1, A).message
    assert past.in_order
    assert past.results == {"a": SAVED}
    assert past.started == {}


def test_replies_before_the_last_are_messages() -> None:
    past = unfinished(replied(1, A), ended("a"), replied(2, B), started("b", arguments={"n": 2})).past

    assert past.messages == (replied(1, A).message, ToolResults(results=((A, SAVED),)))
    assert past.unanswered == replied(2, B).message
    assert past.started == {"b": {"n": 2}}
    assert past.results == {}


def test_a_correction_is_no_unanswered_reply() -> None:
    past = unfinished(replied(1, A), ended("a"), replied(2, text="hm", correction="write JSON")).past

    assert past.unanswered is None
    assert past.messages[-2:] == (AssistantMessage(text="hm", raw="hm"), UserMessage(text="write JSON"))
    assert past.rejected == 1


def test_made_calls_are_counted_once_and_unusable_ones_never() -> None:
    bad = call("c", problem="no JSON")
    past = unfinished(
        replied(1, A, bad), started("a"), started("c"), ended("c"), finished("interrupted"), started("a"), ended("a")
    ).past

    assert past.calls == (A,)


def test_spending_is_summed_up_until_an_end_tells_it() -> None:
    going = unfinished(replied(1, A), ended("a"), replied(2, B, seconds=7.5))
    end = RunFinished(status="timeout", answer=None, usage=Usage(input_tokens=50), cost=2.0, seconds=60.0)
    ended_so = unfinished(replied(1, A), ended("a"), replied(2, B), finished(**fields_of(end)))

    past, later = going.past, ended_so.past
    assert (past.usage, past.cost, past.seconds, past.steps) == (
        Usage(input_tokens=20, output_tokens=2),
        0.5,
        7.5,
        2,
    )
    assert (later.usage, later.cost, later.seconds, later.steps) == (Usage(input_tokens=50), 2.0, 60.0, 2)


def test_spending_of_what_follows_an_end_is_added_to_it() -> None:
    end = finished("interrupted", usage=Usage(input_tokens=50), cost=2.0, seconds=60.0)
    past = unfinished(replied(1, A), end, ended("a"), replied(2, B, seconds=61.0)).past

    assert (past.usage, past.cost, past.seconds) == (Usage(input_tokens=60, output_tokens=1), 2.25, 61.0)


def test_the_unknown_cost_of_a_reply_broken_off_does_not_keep_a_run_from_going_on() -> None:
    assert unfinished(replied(1, A), finished("interrupted", cost=None)).past.cost == 0.25
    assert unfinished(replied(1, A, cost=None), finished("interrupted", cost=None)).past.cost is None


def fields_of(end: RunFinished) -> dict[str, Any]:
    return {name: getattr(end, name) for name in ("status", "answer", "usage", "cost", "seconds")}


WAITING: Status = "waiting_for_approval"


def test_calls_wait_for_a_decision_when_the_run_was_saved_for_that() -> None:
    deferred = [decided("b", "deferred"), decided("c", "deferred")]
    saved: list[Entry] = [replied(1, A, B, call("c")), *deferred, started("a"), ended("a"), finished(WAITING)]

    assert [each.id for each in unfinished(*saved).pending] == ["b", "c"]


def test_a_call_that_is_held_back_for_another_one_does_not_wait_itself() -> None:
    saved: list[Entry] = [replied(1, A, B, in_order=True), decided("a", "deferred"), finished("waiting_for_approval")]

    assert [each.id for each in unfinished(*saved).pending] == ["a"]


def test_a_call_goes_on_waiting_when_the_run_breaks_off_while_another_is_decided() -> None:
    deferred = [decided("a", "deferred"), decided("b", "deferred")]
    saved: list[Entry] = [replied(1, A, B), *deferred, finished(WAITING), decided("a", "approved", {"n": 1})]

    going = unfinished(*saved)

    assert [each.id for each in going.pending] == ["b"]
    assert going.past.decisions == {"a": Approved(by="mia")}


def test_a_call_that_may_have_run_waits_with_the_arguments_it_was_made_with() -> None:
    crashed: list[Entry] = [replied(1, A), decided("a", "edited", {"n": 9}), started("a", arguments={"n": 9})]

    assert unfinished(*crashed).pending == ()
    waiting = unfinished(*crashed, decided("a", "deferred"), finished(WAITING))
    assert waiting.pending == (replace(A, arguments={"n": 9}),)


def test_after_a_crash_open_calls_do_not_wait() -> None:
    assert unfinished(replied(1, A, B), started("a")).pending == ()


def test_a_decision_is_kept_until_it_is_carried_out() -> None:
    edited: list[Entry] = [replied(1, A), decided("a", "edited", {"n": 3})]

    assert unfinished(*edited).past.decisions == {"a": Approved(by="mia", arguments={"n": 3})}
    # The call was made: whether it is made again is a question of its own.
    assert unfinished(*edited, started("a", arguments={"n": 3})).past.decisions == {}


def test_a_rejection_that_was_not_carried_out_yet_is_not_asked_for_again() -> None:
    past = unfinished(replied(1, A), decided("a", "rejected", reason="not run, it was rejected: too early")).past

    assert past.results == {"a": ToolResult(content="not run, it was rejected: too early", is_error=True)}
    assert past.decisions == {}


def test_a_person_who_stopped_the_run_is_asked_again() -> None:
    past = unfinished(replied(1, A), decided("a", "stopped"), finished("interrupted")).past

    assert (past.decisions, past.results) == ({}, {})


def test_an_approval_for_the_whole_run_ends_with_the_process() -> None:
    approval = decided("a", "approved")
    for_run = replace(approval, resolution=replace(approval.resolution, for_run=True))

    past = unfinished(replied(1, A), for_run, started("a"), ended("a"), replied(2, B)).past

    # The tool of this name may do something else by now: who approved it is only told when it is asked about again.
    assert (past.approved, past.decisions) == ({"save": "mia"}, {})


def test_a_call_let_through_by_an_approval_for_the_run_is_asked_about_again_with_a_word_on_who_approved() -> None:
    approval = decided("a", "approved", {"n": 1})
    for_run = replace(approval, resolution=replace(approval.resolution, for_run=True))

    past = unfinished(replied(1, A), for_run).past

    assert past.decisions == {}
    assert past.approved == {A.name: approval.resolution.by}
