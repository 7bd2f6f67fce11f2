import json
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.parsing.streaming import Everything, JsonAnswer, Nothing


def fed(text: str, cuts: list[int]) -> str:
    """What the filter lets through of a text that arrives in pieces."""
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    answer = JsonAnswer()
    return "".join(answer.feed(text[begin:end]) for begin, end in pairwise(places))


@given(st.text(), st.booleans(), st.lists(st.integers(min_value=0)))
def test_an_answer_comes_out_whole_however_it_is_cut(content: str, ascii_only: bool, cuts: list[int]) -> None:
    text = json.dumps({"type": "text", "content": content}, ensure_ascii=ascii_only)

    assert fed(text, cuts) == content


@given(st.text(), st.lists(st.integers(min_value=0)))
def test_what_is_shown_is_always_a_beginning_of_the_answer(content: str, cuts: list[int]) -> None:
    text = json.dumps({"type": "text", "content": content})

    assert content.startswith(fed(text[:-3], cuts))


@pytest.mark.parametrize(
    "text",
    [
        '{"type": "tool", "name": "add", "arguments": {"content": "no"}}',
        '[{"type": "text", "content": "no"}]',
        'Well: {"type": "text", "content": "no"}',
        '{"type": "text", "content": {"a": "no"}}',
        "Hello there, this is prose that goes on and on." * 20,
    ],
)
def test_nothing_else_is_taken_for_an_answer(text: str) -> None:
    assert fed(text, list(range(len(text)))) == ""


def test_nothing_is_shown_behind_the_end_of_the_answer() -> None:
    assert fed('{"type": "text", "content": "yes"} and "more" {"type": "text", "content": "no"}', [5, 31, 40]) == "yes"


def test_a_broken_surrogate_never_comes_out() -> None:
    assert fed('{"type": "text", "content": "a\\ud83d', []) == "a"


def test_a_megabyte_in_small_pieces_is_streamed_in_linear_time() -> None:
    text = json.dumps({"type": "text", "content": "ab\n" * 100_000})
    answer = JsonAnswer()
    started = time.process_time()

    shown = [answer.feed(text[place : place + 4]) for place in range(0, len(text), 4)]

    assert len("".join(shown)) == 300_000
    assert time.process_time() - started < 10  # quadratic work would take minutes


def test_the_other_filters_show_everything_or_nothing() -> None:
    assert Everything().feed("a") == "a"
    assert Nothing().feed("a") == ""
