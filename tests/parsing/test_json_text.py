import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.parsing.json_text import NotJsonError, loads, scan
from runner.spec import Json

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(), children, max_size=4),
    max_leaves=12,
)


def test_nested_braces_and_braces_in_strings_stay_whole() -> None:
    """Field bugs B05 and B65."""
    text = 'For {project}: {"a": {"b": "}"}} - see {"type": "object"}.'

    assert scan(text).values == ({"a": {"b": "}"}}, {"type": "object"})


def test_a_value_inside_a_code_fence_is_found_and_its_inner_fence_is_kept() -> None:
    """Field bug B63."""
    assert scan('Here:\n```json\n{"a": "```"}\n```\nDone.').values == ({"a": "```"},)


def test_nothing_inside_a_broken_value_is_taken_for_a_value() -> None:
    """Field bug B68."""
    found = scan('{"x": {"a": 1}')

    assert found.values == ()
    assert found.broken == ("invalid JSON at line 1 column 15: Expecting ',' delimiter",)


def test_braces_in_prose_are_no_broken_json() -> None:
    assert scan("Use {name} and [x] here").broken == ()


def test_a_real_line_break_inside_a_string_is_read() -> None:
    """Field bug B06."""
    assert scan('{"code": "a = 1\nb = 2"}').values == ({"code": "a = 1\nb = 2"},)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_numbers_that_json_does_not_have_are_refused(number: str) -> None:
    """Field bug B70."""
    with pytest.raises(NotJsonError, match=r"JSON number"):
        loads(f'{{"score": {number}}}')
    assert scan(f'{{"score": {number}}}').values == ()


@pytest.mark.parametrize("digits", [1_001, 5_000, 200_000])
def test_endless_numbers_are_refused_by_us_and_not_by_python(digits: int) -> None:
    with pytest.raises(NotJsonError, match=r"digits is too long"):
        loads("9" * digits)
    assert scan(f"[{'9' * digits}]").values == ()


def test_the_message_says_where_the_json_is_broken() -> None:
    """Field bug B22."""
    with pytest.raises(NotJsonError, match=r"invalid JSON at line 1 column 12: Expecting value"):
        loads('{"action": list}')


@pytest.mark.parametrize("unit", ["[", '{"a":', "{", "[{", '{"a', "[[1],", '"', "\\", "{}[]", "[a", '{"a{'])
def test_a_megabyte_of_anything_is_read_in_linear_time(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    started = time.process_time()

    scan(text)

    assert time.process_time() - started < 5  # quadratic work would take minutes


@given(st.text())
def test_any_text_gives_a_scan(text: str) -> None:
    scan(text)


@given(st.lists(json_values.filter(lambda value: isinstance(value, dict | list)), max_size=4))
def test_values_written_one_after_another_are_all_found(values: list[object]) -> None:
    text = " then ".join(json.dumps(value, ensure_ascii=False) for value in values)

    assert list(scan(text).values) == values


@given(json_values)
def test_what_json_writes_is_read_back(value: object) -> None:
    assert loads(json.dumps(value, ensure_ascii=False)) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'{"a": ["\ud800x", {"\uDFFF": 1}]}', {"a": ["\ufffdx", {"\ufffd": 1}]}),
        ('["\ud83d"]', ["\ufffd"]),
        (r'["\ud83d\ude00 \\ud800"]', ["😀 \\ud800"]),
    ],
)
def test_half_of_a_surrogate_pair_is_replaced_for_no_provider_takes_it_back(text: str, value: Json) -> None:
    assert loads(text) == value
    assert scan(f"so: {text}").values == (value,)
