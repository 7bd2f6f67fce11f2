import asyncio
import os
import select
import signal
import stat
import termios
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from runner.cli.approving import ApprovesAll, ApprovesNone, DeferringApprover, TerminalApprover, choose_approver, person
from runner.cli.terminal import Terminal
from runner.engine.approval import ApprovalRequest, Approved, Decision, Deferred, Nobody, Rejected, Stopped
from runner.engine.messages import ToolCall
from runner.spec import JsonObject
from tests.cli.fakes import Terminal as Screen
from tests.cli.mailbox import SEND, Done, Mailbox, call
from tests.cli.person import Person

PROMPT = "approve? [y/a/e/n/s/l/v/?] "


def check(arguments: JsonObject) -> str | None:
    return None if isinstance(arguments.get("to"), str) else "to: expected text"


REQUEST = ApprovalRequest(
    step=1,
    call=ToolCall(id="call_1", name="send", arguments={"to": "anna@example.com"}),
    risk="high",
    reason="ask: send",
    said="",
    check=check,
)


@pytest.fixture
async def anna() -> AsyncIterator[Person]:
    async with Person() as at_terminal:
        yield at_terminal


@pytest.fixture(autouse=True)
def no_editor(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)


async def decided(anna: Person, *answers: str, request: ApprovalRequest = REQUEST, saved: bool = True) -> Decision:
    """What comes of a question when the person answers so, each answer at the next prompt."""
    approver = TerminalApprover(anna.terminal, saved=saved, by="anna")
    asking = asyncio.create_task(approver.decide(request))
    for answer in answers:
        await anna.answers("] ", answer)
    return await asyncio.wait_for(asking, 20)


@pytest.mark.parametrize(
    ("answer", "decision"),
    [
        ("y", Approved(by="anna")),
        ("Yes", Approved(by="anna")),
        ("a", Approved(by="anna", for_run=True)),
        ("n not on Sundays", Rejected(by="anna", reason="not on Sundays")),
        ("reject  zu spät ", Rejected(by="anna", reason="zu spät")),
        ("s", Stopped(by="anna")),
        ("l", Deferred()),
        ('e {"to": "bob@example.com"}', Approved(by="anna", arguments={"to": "bob@example.com"})),
    ],
)
async def test_a_letter_or_a_word_decides(anna: Person, answer: str, decision: Decision) -> None:
    assert await decided(anna, answer) == decision


@pytest.mark.parametrize("answer", ["", "maybe", "?", "y but only once", "yy"])
async def test_nothing_else_is_an_approval(anna: Person, answer: str) -> None:
    assert await decided(anna, answer, "n no") == Rejected(by="anna", reason="no")


@pytest.mark.parametrize(("answer", "letter"), [("yes please", "y"), ("a but only once", "a"), ("s now", "s")])
async def test_a_letter_with_more_behind_it_is_told_how_it_counts(anna: Person, answer: str, letter: str) -> None:
    await decided(anna, answer, "n no")
    assert f"nothing is decided; type {letter} and nothing else" in anna.screen


async def test_the_person_sees_what_is_asked_and_why(anna: Person) -> None:
    await decided(anna, "y", request=replace(REQUEST, said="I write to\nAnna.\x1b[2J"))
    assert anna.screen.splitlines()[:7] == [
        "      send waits for your approval · risk high",
        "      asked because of: ask: send",
        "      the model says: I write to Anna.\\x1b[2J",
        "      arguments:",
        "        {",
        '          "to": "anna@example.com"',
        "        }",
    ]


async def test_arguments_cannot_drive_the_terminal(anna: Person) -> None:
    hostile: Any = {"to": "\x1b[2Jx\u202ey\x9b", "x\x1b]0;": [1, {"b": "北京"}]}
    await decided(anna, "v", "y", request=replace(REQUEST, call=replace(REQUEST.call, arguments=hostile)))
    assert "\x1b" not in anna.screen
    assert "\u202e" not in anna.screen
    assert "北京" in anna.screen


async def test_long_arguments_are_cut_and_can_be_seen_in_full(anna: Person) -> None:
    long: Any = {"to": "x" * 1_000 + "END", "lines": list(range(100))}
    asking = asyncio.create_task(
        decided(anna, "v", "y", request=replace(REQUEST, call=replace(REQUEST.call, arguments=long)))
    )
    await asking
    before, _, after = anna.screen.partition("v shows all of them")
    assert "(603 more characters)" in before
    assert "END" not in before
    assert "END" in after
    assert "99" in after


async def test_a_call_that_may_have_been_made_is_explained(anna: Person) -> None:
    await decided(anna, "y", request=replace(REQUEST, started=True))
    assert "nobody knows whether it was done" in anna.screen
    assert "approving it makes the call again" in anna.screen


async def test_a_rejection_without_a_reason_asks_for_one(anna: Person) -> None:
    asking = asyncio.create_task(decided(anna, "n"))
    await anna.answers("The model is told: ", "too late")
    assert await asking == Rejected(by="anna", reason="too late")


async def test_a_rejection_needs_no_reason(anna: Person) -> None:
    asking = asyncio.create_task(decided(anna, "n"))
    await anna.answers("The model is told: ", "")
    assert await asking == Rejected(by="anna", reason="the person gave no reason")


async def test_without_an_editor_arguments_are_edited_on_a_line(anna: Person) -> None:
    asking = asyncio.create_task(decided(anna, "e"))
    await anna.answers("leave them): ", '{"to": "bob@example.com"}')
    assert await asking == Approved(by="anna", arguments={"to": "bob@example.com"})
    assert '{ "to": "anna@example.com" }' in anna.screen


async def test_leaving_the_editing_comes_back_to_the_question(anna: Person) -> None:
    asking = asyncio.create_task(decided(anna, "e"))
    await anna.answers("leave them): ", "")
    await anna.answers(PROMPT, "y")
    assert await asking == Approved(by="anna")


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ('{"to": 1}', "to: expected text"),
        ("{to: x}", "the arguments are not JSON"),
        ("[1]", "expected the arguments as a JSON object"),
        ('{"to": "anna@example.com"}', "nothing was changed"),
    ],
)
async def test_arguments_that_cannot_be_used_are_told_and_asked_again(anna: Person, written: str, problem: str) -> None:
    decision = await decided(anna, f"e {written}", 'e {"to": "b"}')
    assert decision == Approved(by="anna", arguments={"to": "b"})
    assert problem in anna.screen


@pytest.mark.parametrize(("proposed", "written"), [(1, "true"), (True, "1"), (0, "false")])
async def test_an_edit_counts_also_where_python_sees_no_difference(anna: Person, proposed: Any, written: str) -> None:
    request = replace(REQUEST, call=replace(REQUEST.call, arguments={"to": "a", "x": proposed}))
    decision = await decided(anna, f'e {{"to": "a", "x": {written}}}', request=request)
    assert isinstance(decision, Approved)
    assert decision.arguments is not None
    assert repr(decision.arguments["x"]) == written.title()


async def test_arguments_cannot_hide_anything(anna: Person) -> None:
    hostile: Any = {"to": "anna\u200b@\u2060example\xad.com\u200f", "text": "\U000e0041" + "\u2800" * 1_000}
    await decided(anna, "y", request=replace(REQUEST, call=replace(REQUEST.call, arguments=hostile)))
    assert r"anna\u200b@\u2060example\xad.com\u200f" in anna.screen
    assert r"\U000e0041\u2800\u2800" in anna.screen
    assert "\u2800" not in anna.screen


def editor(folder: Path, script: str) -> str:
    """An editor that is a shell script; `$1` is the file."""
    file = folder / "editor"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return str(file)


async def test_arguments_are_edited_in_the_editor(
    anna: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", editor(tmp_path, 'sed -i s/anna/北京/ "$1"'))
    assert await decided(anna, "e") == Approved(by="anna", arguments={"to": "北京@example.com"})


async def test_what_was_edited_badly_is_there_when_editing_again(
    anna: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VISUAL", editor(tmp_path, f'cat "$1" >> {tmp_path}/seen; echo \'{{"to": "b"\' > "$1"'))
    await decided(anna, "e", "e", "n no")
    assert "the arguments are not JSON" in anna.screen
    assert (tmp_path / "seen").read_text().endswith('}{"to": "b"\n')


@pytest.mark.parametrize(
    ("command", "problem"),
    [("false", "ended with exit code 1"), ("/nowhere/vi", "No such file"), ("vi 'x", "No closing quotation")],
)
async def test_an_editor_that_fails_leaves_the_question(
    anna: Person, monkeypatch: pytest.MonkeyPatch, command: str, problem: str
) -> None:
    monkeypatch.setenv("EDITOR", command)
    assert await decided(anna, "e", "y") == Approved(by="anna")
    assert problem in anna.screen


@pytest.mark.parametrize("first", ["", "trap '' TERM;"])
async def test_an_editor_that_the_run_ends_does_not_leave_the_terminal_as_it_needed_it(
    anna: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    monkeypatch.setenv("EDITOR", editor(tmp_path, f"{first} touch {tmp_path}/open; exec sleep 60"))
    descriptor = anna.err.fileno()
    before = termios.tcgetattr(descriptor)
    asking = asyncio.create_task(decided(anna, "e"))
    assert await wait_until((tmp_path / "open").exists)
    anna.raw()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert termios.tcgetattr(descriptor) == before


async def wait_until(true: Any) -> bool:
    for _ in range(1_000):
        if true():
            return True
        await asyncio.sleep(0.01)
    return False


@pytest.mark.parametrize(("saved", "decision"), [(True, Deferred()), (False, Stopped(by="anna"))])
async def test_closing_the_input_leaves_it_for_later_or_stops_the_run(
    anna: Person, decision: Decision, *, saved: bool
) -> None:
    asking = asyncio.create_task(decided(anna, saved=saved))
    await anna.sees("approve?")
    anna.types("\x04")
    assert await asking == decision


async def test_later_is_only_offered_where_the_run_is_saved(anna: Person) -> None:
    assert await decided(anna, "l", "y", saved=False) == Approved(by="anna")
    assert "decide later" not in anna.screen


async def test_what_was_typed_before_the_question_is_no_answer(anna: Person) -> None:
    anna.types("y\n")
    await asyncio.sleep(0.1)
    assert await decided(anna, "n no") == Rejected(by="anna", reason="no")


async def test_a_question_that_is_given_up_leaves_the_next_line_to_others(anna: Person) -> None:
    asking = asyncio.create_task(decided(anna))
    await anna.sees("approve?")
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    anna.types("mine\n")
    await asyncio.sleep(0.1)  # whoever still listened would take it now
    descriptor = anna.err.fileno()
    assert select.select([descriptor], [], [], 5)[0]
    assert os.read(descriptor, 100) == b"mine\n"


@pytest.mark.parametrize(
    ("approve", "kind"), [("all", ApprovesAll), ("none", ApprovesNone), ("ask", DeferringApprover), (None, Nobody)]
)
def test_without_a_terminal_the_option_decides(approve: Any, kind: type) -> None:
    assert type(choose_approver(approve, terminal=None, saved=True)) is kind


@pytest.mark.parametrize(
    ("approve", "kind"),
    [("all", ApprovesAll), ("none", ApprovesNone), ("ask", TerminalApprover), (None, TerminalApprover)],
)
async def test_on_a_terminal_the_person_is_asked_unless_they_said_otherwise(
    anna: Person, approve: Any, kind: type
) -> None:
    assert type(choose_approver(approve, terminal=anna.terminal, saved=False)) is kind


async def test_a_terminal_is_one_where_both_reading_and_typing_are_possible(anna: Person, tmp_path: Path) -> None:
    descriptor = anna.err.fileno()
    assert Terminal.of(anna.err, descriptor=descriptor) is not None
    with (tmp_path / "file").open("w+") as file:
        assert Terminal.of(file, descriptor=descriptor) is None
        assert Terminal.of(Screen(), descriptor=file.fileno()) is None
    assert Terminal.of(Screen(), descriptor=10_000) is None


def test_the_person_has_a_name_even_where_the_system_knows_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "anna")
    assert person() == "anna"
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000)
    assert person() == "a person"


@pytest.fixture
def mailbox(tmp_path: Path) -> Mailbox:
    return Mailbox(tmp_path)


def run(mailbox: Mailbox, anna: Person, *script: Any, **order: Any) -> asyncio.Task[Done]:
    made = mailbox.order(**{"output": "text", **order})
    return asyncio.create_task(mailbox.carry_out(made, *script, terminal=anna.terminal, err=anna.err))


async def test_a_run_asks_and_goes_on(mailbox: Mailbox, anna: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "anna")
    running = run(mailbox, anna, SEND, "It is sent")
    await anna.sees("the model says: I write to Anna.")
    await anna.answers("approve? [y/a/e/n/s/v/?] ", "y")
    done = await running
    assert (done.code, done.out, mailbox.sent) == (0, "It is sent\n", ["anna@example.com 1"])
    await anna.sees('send(to="anna@example.com") · approved by anna')


async def test_the_moving_line_is_gone_while_the_person_is_asked(mailbox: Mailbox, anna: Person) -> None:
    running = run(mailbox, anna, SEND, "It is sent")
    await anna.sees("approve? ")
    before = anna.screen
    await asyncio.sleep(0.4)  # some frames of the moving line
    assert anna.screen == before
    anna.types("y\n")
    assert (await running).code == 0


async def test_approving_for_the_run_asks_once(mailbox: Mailbox, anna: Person) -> None:
    both = call(("send", {"to": "a@example.com"}), ("send", {"to": "b@example.com"}))
    running = run(mailbox, anna, both, SEND, "Done")
    await anna.answers("approve? ", "a")
    assert (await running).code == 0
    assert len(mailbox.sent) == 3
    assert anna.screen.count("approve? ") == 1


async def test_stopping_ends_the_run(mailbox: Mailbox, anna: Person) -> None:
    running = run(mailbox, anna, SEND)
    await anna.answers("approve? ", "s")
    assert ((await running).code, mailbox.sent) == (130, [])


async def test_the_deadline_of_the_run_ends_the_question(mailbox: Mailbox, anna: Person) -> None:
    mailbox.file.write_text(mailbox.file.read_text() + "limits: {timeout: 300ms}\n")
    running = run(mailbox, anna, SEND)
    await anna.sees("approve? ")
    assert ((await running).code, mailbox.sent) == (5, [])
    await anna.sees("time limit of 0.3 s")


async def test_an_interrupt_ends_the_question_and_the_run(mailbox: Mailbox, anna: Person) -> None:
    running = run(mailbox, anna, SEND, session="trip")
    await anna.sees("approve? ")
    began = time.monotonic()
    os.kill(os.getpid(), signal.SIGINT)
    assert ((await running).code, mailbox.sent) == (130, [])
    assert time.monotonic() - began < 10
    with mailbox.store.open("trip", create=False) as opened:
        assert opened.session.unfinished is not None


async def test_a_decision_left_for_later_saves_the_run(mailbox: Mailbox, anna: Person) -> None:
    running = run(mailbox, anna, SEND, session="trip")
    await anna.answers("approve? ", "l")
    assert ((await running).code, mailbox.sent) == (7, [])
    resumed = asyncio.create_task(mailbox.carry_out(mailbox.resumption(), "Done", terminal=anna.terminal, err=anna.err))
    await anna.answers("approve? ", "y")
    assert ((await resumed).code, mailbox.sent) == (0, ["anna@example.com 1"])
