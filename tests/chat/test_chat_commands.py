"""What is a command in a chat, and what is said to the agent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.chat.commands import COMMANDS, Ordered, Said, Wrong, help_lines, read


@pytest.mark.parametrize("text", ["", " ", "\n\t\n"])
def test_blank_lines_are_nothing(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(
    "text",
    ["Hello", " indented", "What is 3/4?", "/etc/hosts has what?", "/etc/hosts", "/tmp", "/2 of it"],
)
def test_what_is_no_command_is_said_as_it_was_written(text: str) -> None:
    expected = Wrong if text == "/tmp" else Said
    assert isinstance(read(text), expected)
    if expected is Said:
        assert read(text) == Said(text=text)


@pytest.mark.parametrize(
    ("text", "ordered"),
    [
        ("/help", Ordered(command="help")),
        ("/?", Ordered(command="help")),
        ("/quit", Ordered(command="exit")),
        (" /UNDO \n", Ordered(command="undo")),
        ("/model openai/gpt-5-mini", Ordered(command="model", argument="openai/gpt-5-mini")),
        ("/model   ", Ordered(command="model")),
        ("/save  trip ", Ordered(command="save", argument="trip")),
    ],
)
def test_a_command_has_a_slash_and_at_most_one_argument(text: str, ordered: Ordered) -> None:
    assert read(text) == ordered


@pytest.mark.parametrize(
    ("text", "problem", "hint"),
    [
        ("/udno", "there is no command /udno", "did you mean '/undo'? (a text that begins with / is written //…)"),
        ("/zzzz", "there is no command /zzzz", "/help shows the commands (a text that begins with / is written //…)"),
        ("/", "there is no command /", "/help shows the commands (a text that begins with / is written //…)"),
        ("/undo two", "/undo takes nothing", "write /undo"),
    ],
)
def test_a_wrong_command_is_told_with_what_to_write(text: str, problem: str, hint: str) -> None:
    assert read(text) == Wrong(problem=problem, hint=hint)


def test_two_slashes_say_a_text_that_would_be_a_command() -> None:
    assert read("//help me") == Said(text="/help me")


@given(st.text(alphabet="/ahelp \n?é", max_size=12))
def test_any_text_can_be_read_and_nothing_said_is_lost(text: str) -> None:
    match read(text):
        case None:
            assert not text.strip()
        case Said(text=said):
            assert said in text
        case Ordered(command=command):
            assert command in COMMANDS
        case Wrong(problem=problem, hint=hint):
            assert problem
            assert hint


def test_help_has_a_line_for_every_command() -> None:
    lines = help_lines()
    assert [line.split()[0] for line in lines] == [f"/{name}" for name in COMMANDS]
    assert "/save [ID]" in lines[-2]
