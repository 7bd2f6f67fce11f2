import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.engine.events import Retried, RunFinished
from runner.engine.ports import Usage
from runner.report import phrases, run_phrases
from runner.spec import JsonObject

ANY_TEXT = st.text(st.characters(codec=None))
JSON_VALUES = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5)


def drives_a_terminal(text: str) -> bool:
    return any(unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} for character in text)


@given(ANY_TEXT)
def test_visible_text_has_nothing_that_drives_a_terminal(text: str) -> None:
    assert not drives_a_terminal(phrases.visible(text))


@given(ANY_TEXT)
def test_visible_text_can_keep_line_breaks_and_tabs_only(text: str) -> None:
    kept = phrases.visible(text, keep="\n\t")
    assert not drives_a_terminal(kept.replace("\n", "").replace("\t", ""))
    assert kept.count("\n") == text.count("\n")


def test_ordinary_text_of_any_script_is_left_as_it_is() -> None:
    text = "Zażółć 北京 עברית 👩‍💻 ❤️‍🔥 1️⃣ → نمی\u200cشود क्\u200dष 葛\U000e0100 ⠁\u2800⠃"
    assert phrases.visible(text) == text


def test_a_colour_code_and_a_reordering_mark_are_shown_not_obeyed() -> None:
    assert phrases.visible("\x1b[31mred\x9b \u202egnp.exe") == r"\x1b[31mred\x9b \u202egnp.exe"


@pytest.mark.parametrize(
    "hidden",
    [
        *(
            "\u200b",
            "\u2060",
            "\ufeff",
            "\xad",
            "\u200e",
            "\u200f",
            "\u061c",
            "\u180e",
            "\u3164",
            "\u2800",
            "\U000e0041",
        ),
        *("\u200c", "\u200d", "\ufe0f\ufe0f", " \ufe0f", "\U000e0101"),
    ],
)
def test_what_nobody_could_see_is_shown(hidden: str) -> None:
    shown = phrases.visible(f"pay{hidden}pal")
    assert shown.isascii() or hidden == "\ufe0f\ufe0f"
    assert shown.replace("\ufe0f", "") != "paypal"
    assert "\\" in shown


@given(st.text(st.sampled_from("a❤م⠁葛 \u2800\u200d\ufe0f\U000e0101👩")))
def test_what_was_made_visible_once_stays_as_it_is(text: str) -> None:
    shown = phrases.visible(text)
    assert phrases.visible(shown) == shown


@given(ANY_TEXT, st.integers(2, 50))
def test_shortened_text_is_one_line_within_its_limit(text: str, limit: int) -> None:
    line = phrases.shortened(text, limit)
    assert len(line) <= limit
    assert not drives_a_terminal(line)


def test_shortening_says_that_something_was_cut() -> None:
    assert phrases.shortened("one\n  two", 20) == "one two"
    assert phrases.shortened("word " * 100, 12) == "word word w…"
    assert phrases.shortened(" " * 100 + "x", 12).endswith("…")


@given(st.dictionaries(st.text(), JSON_VALUES))
def test_a_full_call_shows_every_argument_as_json(arguments: JsonObject) -> None:
    shown = run_phrases.call("tool", arguments, limit=None)
    for value in arguments.values():
        assert phrases.visible(json.dumps(value, ensure_ascii=False)) in shown


def test_a_call_reads_like_code() -> None:
    assert run_phrases.call("f", {"place": "北京", "n": 3, "deep": {"a": [None]}}, limit=60) == (
        'f(place="北京", n=3, deep={"a": [null]})'
    )
    assert run_phrases.call("f", {}, limit=60) == "f()"
    assert run_phrases.call("f", None, limit=60) == "f(?)"


def test_a_call_with_huge_arguments_stays_short() -> None:
    shown = run_phrases.call("f" * 500, {f"key{n}": "x" * 10_000 for n in range(200)}, limit=60)
    assert len(shown) <= 60 + 2 + 180


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "0 ms"), (0.002, "2 ms"), (0.0999, "100 ms"), (0.6, "0.6 s"), (59.94, "59.9 s"), (125, "2 min 5 s")],
)
def test_durations(seconds: float, shown: str) -> None:
    assert phrases.duration(seconds) == shown


@pytest.mark.parametrize(
    ("dollars", "shown"),
    [
        (None, "cost unknown"),
        (0, "$0"),
        (0.42, "$0.42"),
        (1234.5, "$1,234.50"),
        (0.01, "$0.01"),
        (0.00031, "$0.00031"),
        (0.0000001234, "$0.00000012"),
    ],
)
def test_money_never_rounds_a_real_price_to_nothing(dollars: float | None, shown: str) -> None:
    assert phrases.money(dollars) == shown


def test_the_summary_counts_in_singular_and_plural_and_marks_estimates() -> None:
    usage = Usage(input_tokens=12_000, output_tokens=345)
    finished = RunFinished(status="completed", answer="", steps=1, tool_calls=2, usage=usage, cost=0.5, seconds=61)
    assert run_phrases.summary(finished) == "1 step · 2 tool calls · 12,345 tokens · $0.50 · 1 min 1 s"
    guess = RunFinished(status="completed", answer="", usage=Usage(input_tokens=1, estimated=True))
    assert run_phrases.summary(guess) == "0 steps · 0 tool calls · ~1 token · cost unknown · 0 ms"


def test_what_a_step_took_marks_estimates() -> None:
    guess = Usage(input_tokens=1, output_tokens=2, estimated=True)
    assert run_phrases.spent(guess, None) == "~1 token in, 2 out · cost unknown"


def test_a_model_that_is_asked_again_is_named_once() -> None:
    problem = "openai/x refused the request (429): slow down"
    event = Retried(step=1, model="openai/x", problem=problem, attempt=1, wait=1.2, next_model="openai/x")

    told = run_phrases.retried(event, limit=None)

    assert told == "openai/x · refused the request (429): slow down · again in 1.2 s (attempt 2)"
