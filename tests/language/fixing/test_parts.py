"""Edits, and which slips are sure."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.language.codes import CODES
from runner.language.fixing.edits import Edit, Fix, apply, compatible
from runner.language.fixing.fixers import FIXERS
from runner.language.fixing.likeness import is_slip


def fix(start: int, end: int, text: str = "") -> Fix:
    return Fix(what="", edits=(Edit(start=start, end=end, text=text),))


def test_edits_are_made_at_their_places_in_any_order() -> None:
    edits = [Edit(start=0, end=1, text="long"), Edit(start=3, end=3, text="!"), Edit(start=2, end=3, text="")]

    assert apply("abcd", edits) == "longb!d"


def test_of_two_fixes_at_one_place_the_first_is_taken() -> None:
    assert compatible([fix(0, 2), fix(2, 3), fix(4, 5)]) == [fix(0, 2), fix(4, 5)]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("promt", "prompt"),
        ("tolos", "tools"),
        ("maxSteps", "max_steps"),
        ("HTTP", "http"),
        ("instrucions", "instructions"),
    ],
)
def test_a_slip_of_the_fingers_is_sure(written: str, meant: str) -> None:
    assert is_slip(written, meant)


@pytest.mark.parametrize(("written", "meant"), [("in", "on"), ("max_time", "max_steps"), ("promts", "prompt_file")])
def test_words_that_may_mean_something_else_are_not(written: str, meant: str) -> None:
    assert not is_slip(written, meant)


@given(st.text("abc_", min_size=4, max_size=12), st.data())
def test_a_word_without_one_letter_is_a_slip(word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(word) - 1))

    assert is_slip(word[:at] + word[at + 1 :], word) == is_slip(word, word[:at] + word[at + 1 :])


def test_there_are_fixers_only_for_diagnostics_that_exist() -> None:
    assert FIXERS.keys() <= CODES.keys()
