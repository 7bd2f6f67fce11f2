"""`runner chat`: on a terminal, typed at by a person, and in scripts."""

import io
import os
import signal
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.cli.chat_signals import ChatSignals
from runner.engine.scope import RunControl
from tests.cli.conversing import READY, Person, piped

DRIVER = "tests.cli.chat_driver"
ENTER, ALT_ENTER, CTRL_C, CTRL_D, UP, TAB = "\r", "\x1b\r", "\x03", "\x04", "\x1b[A", "\t"


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    """A person in a chat that has just begun."""
    with Person(DRIVER, str(tmp_path)) as someone:
        someone.sees("clock · scripted/model · /help shows the commands, Ctrl-D leaves", READY)
        yield someone


def test_a_person_talks_and_leaves(person: Person) -> None:
    person.types("one" + ENTER)
    person.sees("1 · scripted/model", "heard: one", "1 step", READY)
    person.types("two" + ENTER)
    person.sees("heard: one | two", READY)
    person.types(CTRL_D)
    assert person.leaves() == 0


def test_a_text_can_have_several_lines(person: Person) -> None:
    person.types("one\\" + ENTER + "two" + ALT_ENTER + "three" + ENTER)
    person.sees("heard: one\ntwo\nthree\n", READY)


def test_pasted_lines_are_one_text(person: Person) -> None:
    person.types("\x1b[200~a\r\nb\nc\x1b[201~")
    person.sees("… c")
    person.types(ENTER)
    person.sees("heard: a\nb\nc\n", READY)


def test_an_interrupt_stops_the_answer_and_not_the_chat(person: Person) -> None:
    person.types("one" + ENTER)
    person.sees("heard: one", READY)
    person.types("wait" + ENTER)
    person.sees("It is half", "[waiting]")
    person.types(CTRL_C)
    shown = person.sees("interrupted; /continue goes on with the turn, /undo takes it back", READY)
    assert "error" not in shown
    person.types("two" + ENTER)
    person.sees("heard: one | two", READY)


def test_an_interrupt_at_the_prompt_throws_the_line_away(person: Person) -> None:
    person.types("not this" + CTRL_C)
    person.sees(READY)
    person.types("one" + ENTER)
    person.sees("heard: one\n", READY)
    person.types(CTRL_C)
    person.sees("Ctrl-D leaves the chat", READY)


def test_approvals_are_asked_inline(person: Person) -> None:
    person.types("wipe sda" + ENTER)
    person.sees("wipe", '"disk": "sda"', "approve?")
    person.types("y\n")
    person.sees("the tool said: wiped sda", READY)
    person.types("wipe sdb" + ENTER)
    person.sees("approve?")
    person.types("n keep it\n")
    person.sees("the tool said: not run, it was rejected: keep it", READY)


def test_a_decision_can_be_left_for_later(person: Person) -> None:
    person.types("wipe sda" + ENTER)
    person.sees("approve?")
    person.types(CTRL_D)
    person.sees("/continue asks about it, /undo takes the turn back", READY)
    person.types("/continue" + ENTER)
    person.sees("approve?")
    person.types("y\n")
    person.sees("the tool said: wiped sda", READY)


def test_an_interrupt_at_an_approval_stops_the_turn(person: Person) -> None:
    person.types("wipe sda" + ENTER)
    person.sees("approve?")
    person.types(CTRL_C)
    person.sees("interrupted; /continue goes on with the turn", READY)
    person.types("one" + ENTER)
    person.sees("heard: wipe sda | one", READY)


def test_commands_are_completed(person: Person) -> None:
    person.types("/he")
    person.sees("show this")
    person.types(TAB)
    person.sees("/help")
    person.types(ENTER)
    person.sees("/help ", "/tools ", "/exit", READY)


def test_errors_are_one_line_and_the_chat_goes_on(person: Person) -> None:
    person.types("fail" + ENTER)
    person.sees("error: scripted/model: no credit left (402)\n", READY)
    person.types("break" + ENTER)
    shown = person.sees("internal error: ZeroDivisionError: a mistake of ours", READY)
    assert "Traceback" not in shown
    person.types("/model nonsense" + ENTER)
    person.sees("error[RUN999]: no model is called 'nonsense'", READY)
    person.types("/model scripted/other" + ENTER)
    person.sees("scripted/other answers", READY)
    person.types("one" + ENTER)
    person.sees("1 · scripted/other", "heard: one", READY)
    person.types(CTRL_D)
    assert person.leaves() == 0


def test_a_termination_at_the_prompt_leaves_the_terminal_as_it_was(person: Person) -> None:
    person.types("half a line")
    person.sees("half a line")
    person.signals(signal.SIGTERM)
    assert person.leaves() == 143
    assert person.cooked()


def test_a_termination_in_a_turn_ends_both(person: Person) -> None:
    person.types("wait" + ENTER)
    person.sees("[waiting]")
    person.signals(signal.SIGTERM)
    assert person.leaves() == 143
    assert person.cooked()


def test_what_was_written_is_remembered_for_this_user_only(tmp_path: Path) -> None:
    with Person(DRIVER, str(tmp_path)) as person:
        person.sees(READY)
        person.types("one" + ENTER)
        person.sees("heard: one", READY)
        person.types(" a secret" + ENTER)
        person.sees("heard: one |  a secret", READY)
    history = tmp_path / "state" / "chat-history"
    assert stat.S_IMODE(history.stat().st_mode) == 0o600
    assert stat.S_IMODE(history.parent.stat().st_mode) == 0o700
    assert "secret" not in history.read_text()
    with Person(DRIVER, str(tmp_path)) as person:
        person.sees(READY)
        person.types(UP)
        person.sees("one")
        person.types(ENTER)
        person.sees("heard: one\n", READY)


def test_a_chat_without_a_folder_for_its_history_remembers_itself_only(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("in the way")
    with Person(DRIVER, str(tmp_path)) as person:
        person.sees(READY)
        person.types("one" + ENTER)
        person.sees("heard: one", READY)
        person.types(UP + ENTER)
        person.sees("heard: one | one", READY)


def test_a_session_is_gone_on_with(tmp_path: Path) -> None:
    with Person(DRIVER, str(tmp_path), "session=trip") as person:
        person.sees("session trip", READY)
        person.types("one" + ENTER)
        person.sees("heard: one", READY)
        person.types("wait" + ENTER)
        person.sees("[waiting]")
    # That was kill -9.
    with Person(DRIVER, str(tmp_path), "session=trip") as person:
        person.sees("session trip goes on after 2 turns", "its last turn broke off; /continue goes on with it", READY)
        person.types("/undo" + ENTER)
        person.sees("taken back: wait", "session trip still has it", READY)
        person.types("two" + ENTER)
        person.sees("heard: one | two", READY)


def test_each_line_of_a_script_is_a_turn_and_stdout_has_the_answers(tmp_path: Path) -> None:
    ran = piped(DRIVER, str(tmp_path), text="one\n\ntwo\\\nlines\n/undo\nwipe sda\n")
    assert ran.stdout.splitlines()[:3] == ["heard: one", "heard: one | two", "lines"]
    assert "not run, it was rejected: nobody is there" in ran.stdout.splitlines()[3]
    assert "taken back: two lines" in ran.stderr
    assert ">" not in ran.stderr
    assert ran.returncode == 0
    assert not (tmp_path / "state").exists()


def test_the_exit_code_of_a_script_is_that_of_its_last_turn(tmp_path: Path) -> None:
    ran = piped(DRIVER, str(tmp_path), "quiet=", text="fail\n")
    assert (ran.returncode, ran.stdout, ran.stderr) == (4, "", "error: scripted/model: no credit left (402)\n")
    assert piped(DRIVER, str(tmp_path), text="fail\none\n").returncode == 0
    assert piped(DRIVER, str(tmp_path), text="").returncode == 0


def test_a_script_that_asks_for_approval_is_kept_as_a_session(tmp_path: Path) -> None:
    ran = piped(DRIVER, str(tmp_path), "approve=ask", text="wipe sda\n")
    assert ran.returncode == 7
    assert "waiting for approval of wipe" in ran.stderr
    session = ran.stderr.split()[1]
    again = piped(DRIVER, str(tmp_path), f"session={session}", "approve=all", text="/continue\n")
    assert (again.returncode, again.stdout) == (0, "the tool said: wiped sda\n")


def test_a_script_can_have_the_events_of_every_turn(tmp_path: Path) -> None:
    lines = piped(DRIVER, str(tmp_path), "output=events", text="one\ntwo\n").stdout.splitlines()
    assert sum('"RunFinished"' in line for line in lines) == 2


def test_a_session_in_use_is_told(tmp_path: Path) -> None:
    with Person(DRIVER, str(tmp_path), "session=trip") as person:
        person.sees(READY)
        ran = piped(DRIVER, str(tmp_path), "session=trip", text="one\n")
    assert ran.returncode == 1
    assert "trip" in ran.stderr
    assert "--wait waits for it" in ran.stderr


@pytest.mark.parametrize(
    ("prompt", "options", "code", "error"),
    [
        ("Tell a joke.", [], 2, "a cannot chat: none of its templates has {{ input }}"),
        ("{{ input }}", ["-i", "x=1"], 2, "unknown input 'x'"),
        ("{{ input }}", ["--set", "limits.max_step=5"], 1, "unknown key 'max_step'"),
        ("{{ input }}", ["--session", "../x"], 2, "cannot be the id of a session"),
    ],
)
def test_what_cannot_be_talked_to_is_told_before_anything_begins(
    tmp_path: Path, prompt: str, options: list[str], code: int, error: str
) -> None:
    agent = tmp_path / "a.yaml"
    agent.write_text(f"name: a\nmodel: local/smollm2\nprompt: '{prompt}'\n")
    ran = piped("runner", "chat", str(agent), *options, text="one\n")
    assert (ran.returncode, ran.stdout) == (code, "")
    assert error in ran.stderr
    assert not (tmp_path / ".runner").exists()


async def test_the_first_interrupt_stops_the_turn_and_the_second_only_tells(capfd: pytest.CaptureFixture[str]) -> None:
    signals, control = ChatSignals(person=True), RunControl()
    with signals.heard(), signals.steering(control):
        os.kill(os.getpid(), signal.SIGINT)
        assert control.signal == "SIGINT"
        os.kill(os.getpid(), signal.SIGINT)
    assert "Ctrl-C once more leaves the chat" in capfd.readouterr().err
    assert signals.code is None


async def test_without_a_person_an_interrupt_ends_the_chat() -> None:
    signals, control = ChatSignals(person=False), RunControl()
    with signals.heard(), signals.steering(control):
        os.kill(os.getpid(), signal.SIGINT)
    assert (control.signal, signals.code) == ("SIGINT", 130)

    async def reading() -> str:
        return io.StringIO("more").read()

    with pytest.raises(EOFError):
        await signals.read(reading())
