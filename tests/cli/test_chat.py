"""`runner chat`: on a terminal, typed at by a person, and in scripts."""

import io
import os
import re
import signal
import stat
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from runner.agent import load_agent
from runner.cli.chat_signals import ChatSignals
from runner.cli.chatting import ChatExecution
from runner.cli.orders import Order
from runner.cli.streams import Output
from runner.engine.scope import RunControl
from runner.language.overrides import Override
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


def test_a_text_can_have_several_lines_written_or_pasted(person: Person) -> None:
    person.types("one\\" + ENTER + "two" + ALT_ENTER + "three" + ENTER)
    person.sees("heard: one\ntwo\nthree\n", READY)
    person.types("\x1b[200~a\r\nb\nc\x1b[201~")
    person.sees("… c")
    person.types(ENTER)
    person.sees("three | a\nb\nc\n", READY)


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


def test_approvals_are_asked_inline_and_can_be_left_for_later(person: Person) -> None:
    person.types("wipe sda" + ENTER)
    person.sees("wipe", '"disk": "sda"', "approve?")
    person.types("n keep it\n")
    person.sees("the tool said: not run, it was rejected: keep it", READY)
    person.types("wipe sdb" + ENTER)
    person.sees("approve?")
    person.types(CTRL_D)
    person.sees("/continue asks about it, /undo takes the turn back", READY)
    person.types("/continue" + ENTER)
    person.sees("approve?")
    person.types("y\n")
    person.sees("the tool said: wiped sdb", READY)
    person.types("wipe sdc" + ENTER)
    person.sees("approve?")
    person.types(CTRL_C)
    person.sees("interrupted; /continue goes on with the turn", READY)
    person.types("one" + ENTER)
    person.sees("heard: wipe sda | wipe sdb | wipe sdc | one", READY)


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


def test_a_secret_that_was_written_is_not_kept(tmp_path: Path) -> None:
    with Person(DRIVER, str(tmp_path), environ={"TALKER_KEY": "sk-talker-1234"}) as person:
        person.sees(READY)
        person.types("it is sk-talker-1234" + ENTER)
        person.sees("heard: it is", READY)
        person.types(UP)
        person.sees("it is sk-talker-1234")  # in this chat it is as it was written
    kept = (tmp_path / "state" / "chat-history").read_text()
    assert "it is ***" in kept
    assert "sk-talker" not in kept


def test_a_chat_without_a_folder_for_its_history_remembers_itself_only(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("in the way")
    with Person(DRIVER, str(tmp_path)) as person:
        person.sees(READY)
        person.types("one" + ENTER)
        person.sees("heard: one", READY)
        person.types(UP + ENTER)
        person.sees("heard: one | one", READY)


def test_where_lines_cannot_be_edited_they_are_read_as_they_come(tmp_path: Path) -> None:
    with Person(DRIVER, str(tmp_path), environ={"TERM": "dumb"}) as person:
        person.sees("Ctrl-D leaves", "> ")
        person.types("wipe sda\n")
        person.sees("approve?")
        person.types("y\n")
        person.sees("the tool said: wiped sda", "> ")
        person.types(CTRL_D)
        assert person.leaves() == 0
        assert "\x1b" not in person.written


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
    ran = piped(DRIVER, str(tmp_path), "quiet=", text="one\nfail\n")
    assert (ran.returncode, ran.stdout) == (4, "heard: one\n")
    assert ran.stderr == "error: scripted/model: no credit left (402)\n"


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
    ("prompt", "inputs", "error"),
    [
        ("Tell a joke.", [], "a cannot chat: none of its templates has {{ input }}"),
        ("{{ input }}", ["x=1"], "unknown input 'x'"),
    ],
)
async def test_what_cannot_be_talked_to_like_this_is_a_usage_error(
    tmp_path: Path, prompt: str, inputs: list[str], error: str
) -> None:
    order = Order(file=agent_file(tmp_path, prompt), assignments=inputs)
    chat = ChatExecution(order, out=Output(io.BytesIO()), err=io.StringIO())
    with pytest.raises(click.UsageError, match=re.escape(error)):
        await chat.execute(load_agent, lambda spec: None)
    assert not (tmp_path / ".runner").exists()


async def test_an_input_that_its_schema_refuses_is_told_before_anything_begins(tmp_path: Path) -> None:
    file = agent_file(tmp_path, "{{ input }} {{ days }}")
    file.write_text(file.read_text() + "inputs: {days: {type: integer}}\n")
    err = io.StringIO()
    chat = ChatExecution(Order(file=file, assignments=["days=many"]), out=Output(io.BytesIO()), err=err)
    assert await chat.execute(load_agent, lambda spec: None) == 1
    assert "expected integer, found 'many'" in err.getvalue()


async def test_a_wrong_agent_is_told_before_anything_begins(tmp_path: Path) -> None:
    wrong = Override(option="--set limits.max_step", data={"limits": {"max_step": 5}})
    err = io.StringIO()
    order = Order(file=agent_file(tmp_path, "{{ input }}"), overrides=[wrong])
    chat = ChatExecution(order, out=Output(io.BytesIO()), err=err)
    assert await chat.execute(load_agent, lambda spec: None) == 1
    assert "unknown key 'max_step'" in err.getvalue()


def agent_file(folder: Path, prompt: str) -> Path:
    file = folder / "a.yaml"
    file.write_text(f"name: a\nmodel: local/smollm2\nprompt: '{prompt}'\n")
    return file


def test_the_command_line_says_who_is_talked_to_and_how(tmp_path: Path) -> None:
    agent_file(tmp_path, "{{ input }}")
    ran = piped("runner", "chat", str(tmp_path / "a.yaml"), "--model", "nonsense", "--session", "trip", text="one\n")
    assert ran.returncode == 1
    assert "--model" in ran.stderr
    assert ran.stdout == ""


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
