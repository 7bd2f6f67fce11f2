"""JMESPath expressions: what is wrong is found without data, at its place, and what is right selects."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.language import selection
from runner.language.selection import SelectionError


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "the expression is empty at column 1"),
        ("items[", "the expression is not complete, something is missing at column 7"),
        ("a b", "'b' is not expected at column 3"),
        ("a #b", "'#b' is not understood at column 3"),
        ('"x', "'\"x' is not understood at column 1"),
        ("a[].lenght(@)", "there is no function 'lenght' at column 5 (did you mean 'length'?)"),
        ("{a: sort(b), c: jq(d)}", "there is no function 'jq' at column 17"),
        ("(" * 3000, "the expression is nested too deep at column 1"),
    ],
)
def test_a_mistake_is_told_with_its_column(text: str, told: str) -> None:
    assert str(selection.check(text)) == told
    with pytest.raises(SelectionError) as caught:
        selection.compile(text)
    assert str(caught.value) == told


def test_what_is_selected_is_json_and_nothing_is_none() -> None:
    value = {"items": [{"title": "北京", "n": 1}, {"title": "b", "n": 2}]}

    assert selection.compile("items[?n > `1`].{t: title}").search(value) == [{"t": "b"}]
    assert selection.compile("items[?title == `b`].n").search(value) == [2]
    assert selection.compile("items[0].title").search(value) == "北京"
    assert selection.compile("nothing.here").search(value) is None


def test_a_function_that_does_not_take_a_value_is_an_error_of_one_line() -> None:
    with pytest.raises(SelectionError, match=r"^In function length\(\), invalid type for value: 3"):
        selection.compile("length(@)").search(3)


@given(text=st.text(alphabet="ab01.[]{}()*?&|@`'\":, <=!-\\", max_size=20))
def test_any_text_is_an_expression_or_a_mistake_inside_of_it(text: str) -> None:
    mistake = selection.check(text)

    if mistake is None:
        selection.compile(text)
    else:
        assert 0 <= mistake.start <= len(text)
        assert "\n" not in str(mistake)


def test_a_project_without_selections_never_loads_the_library() -> None:
    code = "import sys, runner.language.validation; sys.exit('jmespath' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
