"""The word somebody probably meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.language.wording import clip
from runner.suggest import closest, did_you_mean


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        ("promt", ["prompt", "prompt_file"], "prompt"),
        ("ulr", ["url", "name"], "url"),
        ("Max-Steps", ["max_steps", "timeout"], "max_steps"),
        ("desc", ["description", "name"], "description"),
        ("de", ["description"], None),
        ("tool", ["tool_timeout_seconds", "tooling_and_more_words"], None),
        ("xyz", ["prompt"], None),
        ("", ["prompt"], None),
        ("prompt", [], None),
        ("城市名", ["城市名称"], "城市名称"),
    ],
)
def test_the_closest_known_word_is_found(word: str, known: list[str], meant: str | None) -> None:
    assert closest(word, known) == meant
    assert did_you_mean(word, known) == (None if meant is None else f"did you mean '{meant}'?")


@given(st.text(), st.lists(st.text()))
def test_a_suggestion_is_always_one_of_the_known_words(word: str, known: list[str]) -> None:
    assert closest(word, known) in {None, *known}
    assert closest(word, known) == closest(word, reversed(known)), "whatever their order"


@given(st.text(max_size=200))
def test_a_text_in_a_message_is_short_and_on_one_line(text: str) -> None:
    assert len(clip(text)) <= 120
    assert "\n" not in clip(text)
    assert clip(text) == text or len(text) > 60 or "\n" in text or "\r" in text


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        ("trin", ["string", "trim"], "trim"),  # difflib alone takes the one with more letters in common
        ("trmi", ["string", "trim"], "trim"),
        ("tim", ["title", "trim"], "trim"),
        ("trrim", ["string", "trim"], "trim"),
        ("unot", ["unit", "note"], "unit"),
        ("strin", ["string", "trim"], "string"),
        ("city", ["town"], None),
    ],
)
def test_a_word_one_slip_away_is_closer_than_one_with_more_common_letters(
    word: str, known: list[str], meant: str | None
) -> None:
    assert closest(word, known) == meant
