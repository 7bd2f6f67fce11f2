import json
import time

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.parsing.repair import MAX_CHARS, Repaired, repair


def anything(_: object) -> bool:
    return True


@pytest.mark.parametrize(
    ("text", "value", "what"),
    [
        ('{"a": 1,}', {"a": 1}, "a trailing comma"),
        ('{"a": [1, 2,], "b": {"c": 3,},}', {"a": [1, 2], "b": {"c": 3}}, "a trailing comma"),
        ("{'a': 'x'}", {"a": "x"}, "single quotes"),
        ("""{'a': 'say "hi"', 'b': 'it\\'s'}""", {"a": 'say "hi"', "b": "it's"}, "single quotes"),
        ('{"a": 1} // one', {"a": 1}, "comments"),
        ('{"a": 1, # one\n"b": /* 3, */ 2}', {"a": 1, "b": 2}, "comments"),
        ('{"a": true, "b": {"c": 1}', {"a": True, "b": {"c": 1}}, "a missing last bracket"),
        ("[1, 2", [1, 2], "a missing last bracket"),
        ('{"a": True, "b": None, "c": False}', {"a": True, "b": None, "c": False}, "Python's True, False or None"),
        ("{a: 1, b_c: 2}", {"a": 1, "b_c": 2}, "names without quotes"),
        ("{'a': 1.50e3, 'b': None,", None, None),
        (
            "{'a': [True,], 'b': '北',}",
            {"a": [True], "b": "北"},
            "single quotes, Python's True, False or None, a trailing comma",
        ),
        ('{"code": "a // b # c",}', {"code": "a // b # c"}, "a trailing comma"),
        ('{"code": "a\nb",}', {"code": "a\nb"}, "a trailing comma"),
    ],
)
def test_small_slips_are_repaired_and_named(text: str, value: object, what: str | None) -> None:
    """Field bug B68."""
    expected = None if what is None else Repaired(value=value, what=what)

    assert repair(text, anything) == expected


@pytest.mark.parametrize(
    "text",
    [
        '{"path": "a", "text": "half',
        '{"path": "a", "text":',
        '{"a": 1,',
        '{"a": {"b": {"c": 1',
        '{"a": [1, 2',
        '{"a": 1]',
        '{"a": 1}}',
        '{"a": 1} {"b": 2}',
        'Here: {"a": 1,}',
        '{"a": 1,} and more',
        '{"a": 1, "a": 2,}',
        '{"a": list}',
        '{"a": yes, "b": 1}',
        '{"a" 1}',
        '{"a": 1 "b": 2}',
        '{"a": [1,,2]}',
        '{"a": "x" "y"}',
        '{"a": "he said "hi", ok"}',
        "{'a': 'it's'}",
        '{"a": NaN,}',
        '{"a": 1e999,}',
        "('a',)",
        "{1, 2}",
        "",
        "   ",
        "// nothing",
        "hello",
        "[" * 5000,
    ],
)
def test_what_is_cut_off_or_could_mean_two_things_is_not_repaired(text: str) -> None:
    """Field bugs B22, B23, B68 and B70."""
    assert repair(text, anything) is None


def test_an_inner_object_that_fits_by_chance_is_never_picked() -> None:
    """Field bug B68."""
    fits = jsonschema.Draft202012Validator({"type": "object", "required": ["a"]}).is_valid

    assert repair('{"x": {"a": 1}', fits) is None
    assert repair('{"a": {"a": 1}', fits) == Repaired(value={"a": {"a": 1}}, what="a missing last bracket")


def test_what_does_not_satisfy_is_no_repair_and_json_needs_none() -> None:
    assert repair('{"a": 1,}', lambda value: value != {"a": 1}) is None
    assert repair('{"a": 1}', anything) is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(), children, max_size=4),
    max_leaves=10,
)


@given(st.lists(json_values, min_size=1) | st.dictionaries(st.text(), json_values, min_size=1), st.booleans())
def test_a_whole_value_with_a_trailing_comma_or_without_its_last_bracket_comes_back_or_nothing_does(
    value: object, missing: bool
) -> None:
    whole = json.dumps(value)
    repaired = repair(whole[:-1] if missing else f"{whole[:-1]},{whole[-1]}", anything)

    assert repaired is None or repaired.value == value


@given(st.lists(st.integers() | st.booleans() | st.text(alphabet="abc '"), min_size=1))
def test_plain_python_values_come_back(value: list[object]) -> None:
    repaired = repair(f"{{'a': {value!r},}}", anything)

    assert repaired is not None
    assert repaired.value == {"a": value}


@given(st.text() | st.text(alphabet="{}[]:,'\"\\/*#ab1 \nTrue"))
def test_any_text_is_repaired_or_not(text: str) -> None:
    repaired = repair(text, anything)

    if repaired is not None:
        json.dumps(repaired.value, allow_nan=False)
        assert repaired.what


@pytest.mark.parametrize("unit", ["[", '{"a":', "'", '"', "/*", "a:", "{'a':1,", "[1],", "\\'", "#", ","])
def test_long_nonsense_takes_no_time(unit: str) -> None:
    started = time.process_time()

    repair(unit * (MAX_CHARS // len(unit)), anything)
    repair("{'a': [" + unit * (MAX_CHARS // len(unit) - 10) + "]}", anything)
    repair(unit * MAX_CHARS * 2, anything)

    assert time.process_time() - started < 10  # quadratic work would take minutes
