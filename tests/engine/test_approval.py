"""What a person can decide about a call, and what follows from it."""

import asyncio

import pytest

from runner.engine.approval import ApprovalRequest, Approved, Decision, Deferred, Rejected, Stopped
from runner.engine.events import ApprovalRequested, ApprovalResolved, ToolCalled, ToolReturned, exit_code
from runner.engine.journal import CallEnded, CallStarted, Decided, Finished, Replied
from runner.engine.messages import ToolResult
from runner.engine.scope import RunControl
from runner.spec import Limits, PermissionsSpec
from tests.engine.voices import FakeTool, Person, Ran, Recorder, Voice, play, returning

ASK = PermissionsSpec(ask=("mail",))
DENY_EVIL = PermissionsSpec(ask=("mail",), deny=("mail:to=*@evil.com",))
YES = Approved(by="ana")


def mail() -> FakeTool:
    return returning("mail", "sent", risk="medium", allowed=frozenset({"to", "text"}))


async def one(
    voice: Voice, tool: FakeTool, decision: Decision, *, permissions: PermissionsSpec = ASK
) -> tuple[Ran, Person]:
    """A run with one call that a person is asked about."""
    person = Person([decision])
    replies = [voice.calls(("mail", {"to": "bo"})), voice.answer("done")]
    ran = await play(voice.mode, replies, [tool], permissions=permissions, approver=person)
    return ran, person


async def test_the_person_sees_the_call_and_why_it_is_asked(voice: Voice) -> None:
    tool = mail()

    ran, person = await one(voice, tool, YES)

    (request,) = person.asked
    assert (request.call.name, request.call.arguments, request.step) == ("mail", {"to": "bo"}, 1)
    assert (request.risk, request.reason, request.started) == ("medium", "ask: mail", False)
    (asked,), (resolved,) = ran.of(ApprovalRequested), ran.of(ApprovalResolved)
    assert (asked.id, asked.arguments, asked.risk, asked.reason) == (
        request.call.id,
        {"to": "bo"},
        "medium",
        "ask: mail",
    )
    assert (resolved.id, resolved.decision, resolved.by) == (asked.id, "approved", "ana")
    assert tool.received == [{"to": "bo"}]
    assert voice.results(ran.model.requests[1]) == ["sent"]
    assert ran.finished.tool_calls == 1


async def test_nothing_is_made_before_all_calls_of_the_reply_are_decided(voice: Voice) -> None:
    calls = voice.calls(("read", {}), ("mail", {"to": "bo"}), ("mail", {"to": "cy"}))
    ran = await play(
        voice.mode,
        [calls, voice.answer("done")],
        [mail(), returning("read", "text")],
        permissions=ASK,
        approver=Person([YES, YES]),
    )

    kinds = [type(event).__name__ for event in ran.events]
    assert max(i for i, kind in enumerate(kinds) if kind == "ApprovalResolved") < kinds.index("ToolCalled")


async def test_approved_for_the_run_is_not_asked_again_about_the_tool_but_about_others(voice: Voice) -> None:
    tool, wipe = mail(), returning("wipe", "gone", risk="high")
    person = Person([Approved(by="ana", for_run=True), Rejected(by="ana", reason="no")])

    await play(
        voice.mode,
        [
            voice.calls(("mail", {"to": "a"}), ("mail", {"to": "b"})),
            voice.calls(("mail", {"to": "c"}), ("wipe", {})),
            voice.answer("done"),
        ],
        [tool, wipe],
        permissions=ASK,
        approver=person,
    )

    assert [request.call.name for request in person.asked] == ["mail", "wipe"]
    assert [each["to"] for each in tool.received] == ["a", "b", "c"]
    assert wipe.received == []


async def test_approved_for_the_run_is_no_way_around_a_deny(voice: Voice) -> None:
    tool = mail()

    await play(
        voice.mode,
        [voice.calls(("mail", {"to": "a"})), voice.calls(("mail", {"to": "eve@evil.com"})), voice.answer("done")],
        [tool],
        permissions=DENY_EVIL,
        approver=Person([Approved(by="ana", for_run=True)]),
    )

    assert tool.received == [{"to": "a"}]


# -- edit -------------------------------------------------------------------------------------------------------------


async def test_edited_arguments_are_used_and_the_model_is_told(voice: Voice) -> None:
    tool = mail()

    ran, _ = await one(voice, tool, Approved(by="ana", arguments={"to": "Zoë"}))

    assert tool.received == [{"to": "Zoë"}]
    (resolved,) = ran.of(ApprovalResolved)
    assert (resolved.decision, resolved.arguments) == ("edited", {"to": "Zoë"})
    told = 'changed the arguments to {"to": "Zoë"}'
    assert told in str(ran.model.requests[1].messages)
    assert ran.of(ToolReturned)[0].content == f"(A person {told}.)\nsent"
    assert ran.of(ToolCalled)[0].arguments == {"to": "Zoë"}
    assert ran.finished.sources[0].arguments == {"to": "Zoë"}


async def test_an_edit_can_be_for_the_whole_run(voice: Voice) -> None:
    tool = mail()
    person = Person([Approved(by="ana", arguments={"to": "zoe"}, for_run=True)])

    await play(
        voice.mode,
        [voice.calls(("mail", {"to": "a"}), ("mail", {"to": "b"})), voice.answer("done")],
        [tool],
        permissions=ASK,
        approver=person,
    )

    assert tool.received == [{"to": "zoe"}, {"to": "b"}]


async def test_edited_to_what_it_was_is_approved(voice: Voice) -> None:
    ran, _ = await one(voice, mail(), Approved(by="ana", arguments={"to": "bo"}))

    assert ran.of(ApprovalResolved)[0].decision == "approved"
    assert voice.results(ran.model.requests[1]) == ["sent"]


@pytest.mark.parametrize(
    ("written", "edited"), [(1, True), (True, 1), (0, False), ([1], [True]), ({"a": 1}, {"a": True})]
)
async def test_an_edit_that_python_takes_for_the_same_is_an_edit(voice: Voice, written: object, edited: object) -> None:
    tool, person = mail(), Person([Approved(by="ana", arguments={"to": edited})])
    replies = [voice.calls(("mail", {"to": written})), voice.answer("done")]

    ran = await play(voice.mode, replies, [tool], permissions=ASK, approver=person)

    assert ran.of(ApprovalResolved)[0].decision == "edited"
    assert repr(tool.received) == repr([{"to": edited}])


async def test_the_order_of_keys_is_no_edit(voice: Voice) -> None:
    person = Person([Approved(by="ana", arguments={"text": "b", "to": "a"})])
    replies = [voice.calls(("mail", {"to": "a", "text": "b"})), voice.answer("done")]

    ran = await play(voice.mode, replies, [mail()], permissions=ASK, approver=person)

    assert ran.of(ApprovalResolved)[0].decision == "approved"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [({"too": "bo"}, "no such argument"), ({"to": "x@evil.com"}, "forbid it (deny: mail:to=*@evil.com)")],
)
async def test_arguments_that_cannot_be_used_are_told_to_the_person(
    voice: Voice, arguments: dict[str, object], problem: str
) -> None:
    _, person = await one(voice, mail(), YES, permissions=DENY_EVIL)

    (request,) = person.asked
    assert problem in (request.check(arguments) or "")
    assert request.check({"to": "zoe"}) is None


@pytest.mark.parametrize("arguments", [{"too": "bo"}, {"to": "x@evil.com"}])
async def test_a_call_is_never_made_with_arguments_that_cannot_be_used(
    voice: Voice, arguments: dict[str, object]
) -> None:
    tool = mail()

    ran, _ = await one(voice, tool, Approved(by="ana", arguments=arguments), permissions=DENY_EVIL)

    assert tool.received == []
    assert ran.of(ApprovalResolved)[0].decision == "rejected"
    assert "cannot be used" in voice.results(ran.model.requests[1])[0]


async def test_a_note_of_an_edit_does_not_get_into_an_answer_that_is_a_result(voice: Voice) -> None:
    tool = returning("mail", "sent", return_direct=True)

    ran = await play(
        voice.mode,
        [voice.calls(("mail", {"to": "bo"}))],
        [tool],
        permissions=ASK,
        approver=Person([Approved(by="ana", arguments={"to": "zoe"})]),
    )

    assert (ran.finished.status, ran.finished.answer) == ("completed", "sent")


# -- reject, stop -----------------------------------------------------------------------------------------------------


async def test_a_rejected_call_is_not_made_and_the_model_reads_the_reason(voice: Voice) -> None:
    tool = mail()

    ran, _ = await one(voice, tool, Rejected(by="ana", reason="Ask Bo first."))

    assert tool.received == []
    assert voice.results(ran.model.requests[1])[0].endswith("not run, it was rejected: Ask Bo first.")
    assert (ran.finished.status, ran.finished.answer, ran.finished.tool_calls) == ("completed", "done", 0)


async def test_a_rejected_return_direct_call_is_no_answer(voice: Voice) -> None:
    tool = returning("mail", "sent", return_direct=True)

    ran, _ = await one(voice, tool, Rejected(by="ana", reason="no"))

    assert ran.finished.answer == "done"


async def test_without_an_approver_calls_are_rejected_and_the_model_reads_why(voice: Voice) -> None:
    tool = mail()

    ran = await play(
        voice.mode, [voice.calls(("mail", {"to": "bo"})), voice.answer("I would have")], [tool], permissions=ASK
    )

    assert tool.received == []
    assert "nobody is there to approve it" in voice.results(ran.model.requests[1])[0]
    assert ran.of(ApprovalResolved)[0].by == "nobody"


async def test_a_person_can_stop_the_run_before_any_call_of_the_reply_is_made(voice: Voice) -> None:
    tool, journal = mail(), Recorder()

    ran = await play(
        voice.mode,
        [voice.calls(("mail", {"to": "a"}), ("mail", {"to": "b"}))],
        [tool],
        permissions=ASK,
        approver=Person([YES, Stopped(by="ana")]),
        journal=journal,
    )

    assert tool.received == []
    assert (ran.finished.status, exit_code(ran.finished)) == ("interrupted", 130)
    assert ran.finished.error == "ana stopped the run when asked about mail"
    assert ran.finished.tool_calls == 0
    assert [entry.resolution.decision for entry in journal.of(Decided)] == ["approved", "stopped"]


# -- defer ------------------------------------------------------------------------------------------------------------


async def test_a_deferred_call_ends_the_run_as_one_that_waits(voice: Voice) -> None:
    tool, journal = mail(), Recorder()

    ran = await play(
        voice.mode,
        [voice.calls(("mail", {"to": "bo"}))],
        [tool],
        permissions=ASK,
        approver=Person([Deferred()]),
        journal=journal,
    )

    (asked,) = ran.of(ApprovalRequested)
    assert (ran.finished.status, exit_code(ran.finished)) == ("waiting_for_approval", 7)
    assert ran.finished.error == f"waiting for approval of mail ({asked.id})"
    assert (tool.received, ran.finished.tool_calls) == ([], 0)
    assert journal.kinds == ["Replied", "Decided", "Finished"]


async def test_calls_beside_a_deferred_one_are_made(parallel_voice: Voice) -> None:
    tool, read, journal = mail(), returning("read", "text"), Recorder()

    ran = await play(
        parallel_voice.mode,
        [parallel_voice.calls(("mail", {"to": "a"}), ("read", {}), ("mail", {"to": "b"}))],
        [tool, read],
        permissions=ASK,
        approver=Person([Deferred(), Deferred()]),
        journal=journal,
    )

    ids = [event.id for event in ran.of(ApprovalRequested)]
    assert ran.finished.error == f"waiting for approval of mail ({ids[0]}), mail ({ids[1]})"
    assert (tool.received, read.received, ran.finished.tool_calls) == ([], [{}], 1)
    assert [entry.name for entry in journal.of(CallEnded)] == ["read"]


async def test_in_order_a_call_after_a_deferred_one_waits_with_it(ordered_voice: Voice) -> None:
    tool, read = mail(), returning("read", "text")

    ran = await play(
        ordered_voice.mode,
        [ordered_voice.calls(("read", {"n": 1}), ("mail", {"to": "a"}), ("read", {"n": 2}))],
        [tool, read],
        permissions=ASK,
        approver=Person([Deferred()]),
    )

    assert read.received == [{"n": 1}]
    assert (ran.finished.error or "").count("mail") == 1
    assert "read" not in (ran.finished.error or "")
    assert ran.finished.tool_calls == 1


@pytest.mark.parametrize("on_limit", ["stop", "answer"])
async def test_a_call_that_waits_is_not_hidden_behind_a_limit_that_is_reached_in_the_same_reply(
    voice: Voice, on_limit: str
) -> None:
    tool = mail()

    ran = await play(
        voice.mode,
        [voice.calls(("look", {}), ("mail", {"to": "a"}), ("mail", {"to": "b"}))],
        [tool, returning("look", "text")],
        permissions=ASK,
        approver=Person([Deferred()]),
        limits=Limits(max_tool_calls=2),
        on_limit=on_limit,
    )

    (asked,) = ran.of(ApprovalRequested)
    assert (ran.finished.status, exit_code(ran.finished)) == ("waiting_for_approval", 7)
    assert ran.finished.error == f"waiting for approval of mail ({asked.id})"
    assert (tool.received, ran.finished.tool_calls) == ([], 1)


# -- time and interrupts ----------------------------------------------------------------------------------------------


class Slow:
    """Takes for ever to decide."""

    def __init__(self, control: RunControl | None = None) -> None:
        self.control = control
        self.cancelled = False

    async def decide(self, request: ApprovalRequest) -> Decision:
        del request
        if self.control is not None:
            self.control.interrupt("SIGINT")
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        return YES


async def test_waiting_for_a_person_is_on_the_clock_of_the_run(voice: Voice) -> None:
    slow, tool = Slow(), mail()

    ran = await play(
        voice.mode,
        [voice.calls(("mail", {"to": "bo"}))],
        [tool],
        permissions=ASK,
        approver=slow,
        limits=Limits(timeout=0.05),
    )

    assert (ran.finished.status, slow.cancelled, tool.received) == ("timeout", True, [])
    assert ran.finished.tool_calls == 0


async def test_an_interrupt_ends_the_wait_for_a_person(voice: Voice) -> None:
    control = RunControl()
    slow, tool = Slow(control), mail()

    ran = await play(
        voice.mode, [voice.calls(("mail", {"to": "bo"}))], [tool], permissions=ASK, approver=slow, control=control
    )

    assert (ran.finished.status, slow.cancelled, tool.received) == ("interrupted", True, [])
    assert ran.finished.tool_calls == 0


async def test_last_words_are_asked_for_with_the_open_question_answered(voice: Voice) -> None:
    ran = await play(
        voice.mode,
        [voice.calls(("mail", {"to": "bo"})), voice.answer("I was waiting for you")],
        [mail()],
        permissions=ASK,
        approver=Slow(),
        limits=Limits(timeout=0.2),
        on_limit="answer",
    )

    assert (ran.finished.status, ran.finished.answer) == ("timeout", "I was waiting for you")
    assert "not finished: time limit" in str(ran.model.requests[1].messages)


# -- the journal ------------------------------------------------------------------------------------------------------


async def test_everything_is_noted_in_the_order_it_happens(voice: Voice) -> None:
    journal = Recorder()

    ran = await play(
        voice.mode,
        [voice.calls(("mail", {"to": "bo"})), voice.nonsense(), voice.calls(("read", {})), voice.answer("done")],
        [mail(), returning("read", "text")],
        permissions=ASK,
        approver=Person([YES]),
        journal=journal,
    )

    assert journal.kinds == [
        *("Replied", "Decided", "CallStarted", "CallEnded"),
        *("Replied", "Replied", "CallStarted", "CallEnded"),
        "Finished",
    ]
    corrections = [entry.correction is None for entry in journal.of(Replied)]
    assert (corrections, [entry.rejected for entry in journal.of(Replied)]) == ([True, False, True], [0, 1, 0])
    assert journal.of(Finished)[0].finished == ran.finished
    started, ended = journal.of(CallStarted)[0], journal.of(CallEnded)[0]
    assert (started.arguments, started.id, ended.result.content) == ({"to": "bo"}, ended.id, "sent")


async def test_a_call_is_noted_as_started_before_the_tool_begins(voice: Voice) -> None:
    journal = Recorder()
    seen: list[list[str]] = []

    async def look(_: object) -> ToolResult:
        seen.append(journal.kinds)
        return ToolResult(content="text")

    tool = FakeTool(name="read", body=look)
    await play(voice.mode, [voice.calls(("read", {})), voice.answer("done")], [tool], journal=journal)

    assert seen == [["Replied", "CallStarted"]]


@pytest.mark.parametrize("room", range(7))
async def test_when_nothing_can_be_noted_any_more_nothing_more_happens(voice: Voice, room: int) -> None:
    tool, read, journal = mail(), returning("read", "text"), Recorder(room=room)
    # Replied, Decided, CallStarted, CallEnded; Replied, CallStarted, CallEnded; Finished.
    replies = [voice.calls(("mail", {"to": "bo"})), voice.calls(("read", {})), voice.answer("done")]
    used = 1 if room < 4 else 2 if room < 7 else 3

    ran = await play(voice.mode, replies[:used], [tool, read], permissions=ASK, approver=Person([YES]), journal=journal)

    assert (ran.finished.status, exit_code(ran.finished)) == ("internal_error", 3)
    assert ran.finished.error == "cannot write to the session: the disk is full"
    assert len(tool.received) == (room > 2)
    assert len(read.received) == (room > 5)
    assert len(ran.model.requests) == used


async def test_an_answer_that_cannot_be_noted_is_an_internal_error(voice: Voice) -> None:
    ran = await play(voice.mode, [voice.answer("done")], journal=Recorder(room=0))

    assert ran.finished.status == "internal_error"


async def test_calls_that_are_not_made_are_noted_as_ended_only(parallel_voice: Voice) -> None:
    journal = Recorder()

    await play(
        parallel_voice.mode,
        [parallel_voice.calls(("shell", {}), ("nothing", {}), ("read", {})), parallel_voice.answer("done")],
        [returning("shell", "done"), returning("read", "text")],
        permissions=PermissionsSpec(deny=("shell",)),
        journal=journal,
    )

    assert [entry.name for entry in journal.of(CallStarted)] == ["read"]
    assert sorted(entry.name for entry in journal.of(CallEnded)) == ["nothing", "read", "shell"]
