"""What a run in a session says on stderr."""

import io
from pathlib import Path

import pytest

from runner.cli.errors import complain
from runner.cli.verdicts import Verdict
from runner.engine.journal import CallStarted
from runner.sessions.sqlite import SqliteStore
from tests.cli.conversing import piped
from tests.cli.mailbox import SEND, Mailbox, call

DRIVER = "tests.cli.chat_driver"
BOTH = call(("send", {"to": "anna@example.com"}), ("send", {"to": "ben@example.com"}))


@pytest.fixture
def mailbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mailbox:
    monkeypatch.chdir(tmp_path)
    return Mailbox(tmp_path)


async def test_a_session_of_another_agent_is_gone_on_with_and_a_note_says_so(mailbox: Mailbox) -> None:
    await mailbox.carry_out(mailbox.order(session="trip"), "Hello")
    again = await mailbox.carry_out(mailbox.order(session="trip"), "Hello")
    assert "note:" not in again.err
    text = mailbox.file.read_text().replace("name: mail", "name: post")
    mailbox.file.write_text(text)
    other = await mailbox.carry_out(mailbox.order(session="trip"), "Hello")
    assert other.code == 0
    assert "note: the last run of session trip is one of the agent mail; post is told what was said\n" in other.err


async def test_nothing_approved_and_nobody_there_read_differently(mailbox: Mailbox) -> None:
    none = await mailbox.carry_out(mailbox.order(approve="none"), SEND, "I could not")
    assert 'send(to="anna@example.com") · not approved (--approve none)\n' in none.err
    assert "nothing is approved in this run" in none.asked[1][-1]["content"]
    alone = await mailbox.carry_out(mailbox.order(), SEND, "I could not")
    assert 'send(to="anna@example.com") · not approved (nobody is there to ask)\n' in alone.err


async def test_what_is_wrong_with_new_arguments_is_told_in_lines(mailbox: Mailbox) -> None:
    await mailbox.carry_out(mailbox.order(session="trip", approve="ask"), SEND)
    verdict = Verdict(kind="edit", text='{"to": 1, "copies": "many", "bcc": "x"}')
    done = await mailbox.carry_out(mailbox.resumption(verdicts=[verdict]))
    assert done.code == 1
    assert r"\n" not in done.err
    first, *more = done.err.splitlines()
    assert first.startswith("error: --edit of send (call_1): ")
    assert more
    assert all(line.startswith("  ") for line in more)


def test_no_line_of_an_error_can_pass_for_one_of_ours() -> None:
    err = io.StringIO()
    complain("broken\nerror: wipe the disk\x1b[2J", hint="look", to=err)
    assert err.getvalue() == "error: broken\n  error: wipe the disk\\x1b[2J\n  look\n"


@pytest.mark.parametrize("waits", [True, False])
async def test_a_call_that_was_running_when_the_process_was_killed_may_have_been_done(
    mailbox: Mailbox, waits: bool
) -> None:
    await mailbox.carry_out(mailbox.order(session="trip", approve="ask"), BOTH if waits else SEND)
    with mailbox.store.open("trip", create=False) as opened:
        opened.session.journal.note(CallStarted(step=1, id="call_1", name="send", arguments={"to": "anna@example.com"}))
    done = await mailbox.carry_out(mailbox.resumption())
    assert (done.code, mailbox.sent) == (7, [])
    told = "may have been done" if waits else "nobody knows what it did"
    assert any("(call_1" in line and told in line and "was running" in line for line in done.err.splitlines())


def test_a_script_of_a_chat_is_told_how_to_decide(tmp_path: Path) -> None:
    ran = piped(DRIVER, str(tmp_path), "approve=ask", text="wipe sda\ntwo\n")
    (session,) = [each.id for each in SqliteStore(tmp_path / "state").list()]
    assert ran.returncode == 7
    assert ran.stderr.count(f"decide with: runner sessions resume {session} --project {tmp_path} --approve [CALL]") == 2
    assert "/continue asks" not in ran.stderr


def test_a_chat_in_a_session_of_another_agent_says_so(tmp_path: Path) -> None:
    piped(DRIVER, str(tmp_path), "session=trip", text="one\n")
    same = piped(DRIVER, str(tmp_path), "session=trip", text="two\n")
    assert "one of the agent" not in same.stderr
    other = piped(DRIVER, str(tmp_path), "session=trip", "name=clerk", text="three\n")
    assert "its last turn is one of the agent clock; clerk is told what was said" in other.stderr
    assert other.stdout == "heard: one | two | three\n"
