"""Entries of a session become runs, steps and calls."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.engine.events import Status
from runner.engine.journal import CallStarted, Decided, Summarized
from runner.engine.ports import Usage
from runner.report.noted import NotedCall, NotedEnd, NotedRun, Outcome
from runner.report.reading import runs_of, total_of
from tests.report.noting import DAY, Noting, call, realistic

SEND = call("c1", "send", to="kim")


def only_run(session: Noting) -> NotedRun:
    (run,) = runs_of(session.stored)
    return run


def only_call(session: Noting) -> NotedCall:
    (found,) = only_run(session).calls
    return found


def sending() -> Noting:
    return Noting().began("p").replied(1, SEND)


def test_a_session_is_told_run_by_run_and_step_by_step() -> None:
    first, second = runs_of(realistic())

    assert [step.number for step in first.steps] == [1, 2, 3, 4, 5]
    assert [len(step.calls) for step in first.steps] == [2, 0, 1, 1, 0]
    assert [step.is_answer for step in second.steps] == [False, False, True]
    assert second.end is not None
    assert second.end.finished.status == "completed"


def test_what_a_run_took_is_what_its_end_says_and_of_one_without_an_end_what_its_entries_tell() -> None:
    ended, broken = runs_of(realistic()[:18]), runs_of(realistic()[:12])

    assert (ended[0].total.steps, ended[0].total.tool_calls) == (5, 4)
    assert (broken[0].end, broken[0].total.steps, broken[0].total.tool_calls) == (None, 4, 3)
    assert broken[0].total.cost == pytest.approx(0.004)
    assert broken[0].total.usage == Usage(input_tokens=380 + 460 + 540 + 620, output_tokens=4 * 32)


def test_a_session_took_what_its_runs_took() -> None:
    runs = runs_of(realistic())
    total = total_of(runs)

    assert (total.steps, total.tool_calls) == (8, 6)
    assert total.seconds == pytest.approx(sum(run.total.seconds for run in runs))


def test_the_answer_has_the_tokens_and_the_cost_that_no_other_reply_took() -> None:
    session = sending().started(1, SEND).ended(1, SEND, "sent").finished(answer="Done.", steps=2, tool_calls=1)
    answer = only_run(session).steps[-1]

    assert answer.usage == Usage(input_tokens=900 - 380, output_tokens=70 - 32)
    assert answer.cost == pytest.approx(0.001)


def test_a_result_that_is_the_answer_is_no_step_of_its_own() -> None:
    session = sending().started(1, SEND).ended(1, SEND, "sent").finished(answer="sent", steps=1, tool_calls=1)

    assert len(only_run(session).steps) == 1


@pytest.mark.parametrize(
    ("session", "outcome"),
    [
        (sending().started(1, SEND).ended(1, SEND, "sent"), "ok"),
        (sending().started(1, SEND).ended(1, SEND, "no", error=True), "error"),
        (sending().started(1, SEND), "unknown"),
        (sending().started(1, SEND).finished("interrupted"), "unknown"),
        (sending(), "not made"),
        (sending().finished("max_steps"), "not made"),
        (sending().decided(1, SEND, "stopped").finished("interrupted"), "not made"),
        (sending().decided(1, SEND, "rejected").ended(1, SEND, "not run", error=True), "not made"),
        (sending().decided(1, SEND, "denied", by="permissions").ended(1, SEND, "not run", error=True), "not made"),
        (sending().finished("waiting_for_approval"), "waiting"),
        (sending().finished("waiting_for_approval").decided(1, SEND, "approved").started(1, SEND), "unknown"),
        # It broke off while it ran, and a person did not let it be made again.
        (sending().started(1, SEND).decided(1, SEND, "rejected").ended(1, SEND, "not again", error=True), "unknown"),
    ],
)
def test_every_call_has_an_outcome(session: Noting, outcome: Outcome) -> None:
    assert only_call(session).outcome == outcome


def test_only_what_nobody_has_decided_waits() -> None:
    one, two = call("c1", "send"), call("c2", "send")
    session = Noting().began("p").replied(1, one, two).decided(1, one, "approved").started(1, one)
    session.ended(1, one, "sent").finished("waiting_for_approval")

    assert [each.outcome for each in only_run(session).calls] == ["ok", "waiting"]


def test_a_call_that_may_be_made_after_one_that_waits_waits_with_it_and_is_not_to_be_decided() -> None:
    one, two = call("c1", "send"), call("c2", "look")
    session = Noting().began("p").replied(1, one, two).deferred(1, one).finished("waiting_for_approval")
    calls = only_run(session).calls

    assert [each.outcome for each in calls] == ["waiting", "waiting"]
    assert [each.waiting for each in calls] == [True, False]


def test_what_is_left_open_goes_on_waiting_when_the_run_breaks_off_after_another_decision() -> None:
    one, two = call("c1", "send"), call("c2", "send")
    session = Noting().began("p").replied(1, one, two).deferred(1, one).deferred(1, two)
    session.finished("waiting_for_approval").decided(1, one, "approved")

    assert [each.waiting for each in only_run(session).calls] == [False, True]


def test_a_call_that_broke_off_is_asked_about_in_spite_of_an_approval_for_the_run() -> None:
    session = sending().decided(1, SEND, "approved", for_run=True).started(1, SEND)
    session.decided(1, SEND, "approved", by="ben", for_run=True)

    assert [each.follows for each in only_call(session).decisions] == [False, False]


@pytest.mark.parametrize(("pause", "after", "follows"), [("end", 0.1, False), ("crash", 9.0, False), (None, 0.1, True)])
def test_an_approval_for_the_run_ends_when_the_run_does(pause: str | None, after: float, follows: bool) -> None:
    again = call("c2", "send")
    session = sending().decided(1, SEND, "approved", for_run=True).started(1, SEND).ended(1, SEND, "sent")
    session.replied(2, again)
    if pause == "end":
        session.finished("interrupted")
    session.decided(2, again, "approved", for_run=True, after=after)

    assert [each.follows for each in only_run(session).calls[1].decisions] == [follows]


def test_nobody_is_waited_for_once_another_run_has_begun() -> None:
    session = sending().finished("waiting_for_approval").began("something else")

    assert runs_of(session.stored)[0].calls[0].outcome == "not made"


def test_a_call_that_was_made_again_after_a_crash_counts_its_starts_and_keeps_all_decisions() -> None:
    session = sending().decided(1, SEND, "approved", by="anna").started(1, SEND)
    session.decided(1, SEND, "approved", by="ben", after=DAY).started(1, SEND).ended(1, SEND, "sent")
    sent = only_call(session)

    assert (sent.starts, sent.outcome) == (2, "ok")
    assert [each.resolution.by for each in sent.decisions] == ["anna", "ben"]


def test_a_call_has_the_arguments_that_it_was_made_with() -> None:
    edited = {"to": "lee"}
    session = sending().decided(1, SEND, "edited", arguments=edited)

    assert only_call(session).arguments == edited
    assert only_call(session.started(1, SEND, edited)).arguments == edited
    assert only_call(session).edited


def test_hours_in_which_nothing_ran_take_no_room() -> None:
    session = sending().finished("waiting_for_approval", after=0.0).decided(1, SEND, "approved", after=2 * DAY)
    session.started(1, SEND).ended(1, SEND, "sent", took=0.5, after=0.5).finished(answer="Done.", steps=2, after=1.0)
    run = only_run(session)

    assert run.length == pytest.approx(2.5)
    assert run.calls[0].decisions[0].waited == pytest.approx(2 * DAY)


def test_parallel_calls_lie_beside_each_other() -> None:
    one, two = call("c1", "a"), call("c2", "b")
    session = Noting().began("p").replied(1, one, two, after=1.0).started(1, one).started(1, two)
    session.ended(1, two, "b", took=0.5, after=0.5).ended(1, one, "a", took=2.0, after=1.5)
    spans = [each.span for each in only_run(session).calls]

    assert [(span.start, span.end) for span in spans if span] == [(1.0, 3.0), (1.0, 1.5)]


def test_a_run_that_went_on_says_when() -> None:
    session = sending().finished("model_error", error="503", after=0.0).replied(2, after=DAY).finished(steps=2)
    first = next(part for part in only_run(session).parts if isinstance(part, NotedEnd))

    assert first.resumed == session.stored[3].at


@given(order=st.randoms(use_true_random=False), size=st.integers(0, 60))
def test_whatever_the_entries_are_none_of_their_calls_is_lost(order: random.Random, size: int) -> None:
    entries = [order.choice(realistic()) for _ in range(size)]

    runs = runs_of(entries)

    calls = [each for run in runs for each in run.calls]
    assert sum(each.starts for each in calls) == sum(isinstance(stored.entry, CallStarted) for stored in entries)
    assert sum(len(each.decisions) for each in calls) == sum(isinstance(stored.entry, Decided) for stored in entries)
    assert all(0 <= each.span.start <= each.span.end <= run.length for run in runs for each in run.calls if each.span)


@pytest.mark.parametrize("status", ["completed", "timeout", "waiting_for_approval"])
def test_a_run_without_a_step_has_an_end(status: Status) -> None:
    end = only_run(Noting().began("p").finished(status, steps=0)).end

    assert end is not None
    assert end.finished.status == status


def test_a_session_of_no_entries_has_no_runs() -> None:
    assert runs_of([]) == []
    assert total_of([]).cost == 0


def test_what_summaries_took_is_in_the_total_of_a_run_without_an_end() -> None:
    session = Noting().began("p").replied(1, SEND, after=1.0)
    session.note(Summarized(model="m/x", usage=Usage(input_tokens=5_000), cost=0.5, clock=3.0), after=2.0)
    before = Noting().began("p").replied(1, SEND, after=1.0).replied(2, after=1.0)

    run = only_run(session.replied(2, after=1.0))

    assert run.total.usage == only_run(before).total.usage + Usage(input_tokens=5_000)
    assert run.total.cost == pytest.approx(0.502)
