import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from runner.engine.ports import Answer, Capabilities, ModelReply, ToolDefinition
from runner.parsing.react import ReactMode
from runner.parsing.text_mode import TextMode
from runner.spec import ToolChoice
from tests.parsing.test_text_mode import LINES

NOW = ToolDefinition(name="now", description="", parameters={"type": "object", "properties": {}})
MODE = ReactMode([NOW], Capabilities())


def streamed(*pieces: str, mode: ReactMode | TextMode = MODE) -> list[str]:
    answer = mode.answer_filter()
    return [answer.feed(piece) for piece in pieces]


def test_an_answer_is_shown_as_it_arrives() -> None:
    assert streamed("Thought: I kn", "ow.\nFinal An", "swer", ": It", " is", " 12 C.") == [
        "",
        "",
        "",
        "It",
        " is",
        " 12 C.",
    ]


def test_white_space_is_shown_when_more_follows() -> None:
    assert streamed("Final Answer: \n", "a ", "\n", " b\n\n") == ["", "a", "", " \n b"]


def test_a_line_that_may_be_an_observation_waits() -> None:
    assert streamed("Final Answer: a", "\nObs", "erve this", " well, for it is long") == [
        "a",
        "",
        "",
        "\nObserve this well, for it is long",
    ]
    assert streamed("Final Answer: a", "\nObs", "ervation", ": b", " c") == ["a", "", "", "", ""]
    assert streamed("Final Answer: a\nb", "Observation: c") == ["a\nb", "Observation: c"]


@pytest.mark.parametrize(
    "text",
    [
        "Action: now\nFinal Answer: made up",
        "Observation: 12\nFinal Answer: made up",
        "Thought: t. Action: now. Final Answer: 12 Observation: 12",
        "```\nFinal Answer: fenced\n```",
        "**Final Answer: bold**",
        "Hmm.",
    ],
)
def test_what_is_no_answer_or_no_plain_one_is_not_shown(text: str) -> None:
    assert "".join(streamed(*text)) == ""


def test_without_tools_everything_is_shown_and_in_a_declared_protocol_nothing() -> None:
    assert streamed("Final", " x", mode=ReactMode([], Capabilities())) == ["Final", " x"]
    assert streamed("ANSWER:", " x", mode=TextMode([], Capabilities(), protocol=LINES)) == ["ANSWER:", " x"]
    assert streamed("ANSWER:", " x", mode=TextMode([NOW], Capabilities(), protocol=LINES)) == ["", ""]


PIECES = [
    "Thought:",
    "Action:",
    "Action Input:",
    "Observation",
    "Observation:",
    "Final Answer:",
    "Final",
    " Answer",
    "**",
]
PIECES += ["\n", "\n\n", " ", ". ", ":", "now", "None", "{", "}", '"', "```", "\t", "Obs", "x", "1", "\u2003"]
pieces = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=30)


@given(st.booleans(), pieces)
@example(True, ["a", "\n", "Observation", " 12", ":"])
def test_what_is_shown_is_the_beginning_of_the_answer(begun: bool, parts: list[str]) -> None:
    reply = ["Thought: t\nFinal Answer:" if begun else "", *parts]
    shown = "".join(streamed(*reply))
    reading = MODE.read(ModelReply(text="".join(reply), finish_reason="stop"), ToolChoice())

    assert (reading.message.text if isinstance(reading, Answer) else "").startswith(shown)


@pytest.mark.parametrize("unit", ["Final Answer: ", "\n", "a", "Observation\n", "\nO", " "])
def test_a_long_reply_is_streamed_in_linear_time(unit: str) -> None:
    text = f"Final Answer: {unit * (200_000 // len(unit))}"
    started = time.process_time()

    streamed(*(text[place : place + 4] for place in range(0, len(text), 4)))
    streamed(*(text[place : place + 4] for place in range(14, len(text), 4)))

    assert time.process_time() - started < 10  # quadratic work would take minutes
