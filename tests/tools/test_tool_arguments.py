"""Slips of models that have one meaning are mended; what has another meaning than it seems is refused."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.tools.arguments import WrongArgumentsError, explained, found, mended_arguments, read_arguments

INTEGER = {"type": "integer"}
OPTIONAL_INTEGER = {"anyOf": [INTEGER, {"type": "null"}]}
COLORS = {"enum": ["red", "blue", "Blue-ish"], "type": "string"}
LIST = {"type": "array", "items": INTEGER}
OBJECT = {"type": "object", "properties": {"n": INTEGER}, "required": ["n"]}


def read(value: Any, schema: Any) -> Any:
    values, problems = read_arguments({"x": value}, {"properties": {"x": schema}, "required": ["x"]})
    assert problems == {}
    return values["x"]


def problems(value: Any, schema: Any) -> list[str]:
    _, found_problems = read_arguments({"x": value}, {"properties": {"x": schema}, "required": ["x"]})
    return list(found_problems.values())


@pytest.mark.parametrize(
    ("sent", "schema", "meant"),
    [
        # field bug B44: one JSON level too deep
        ("3", INTEGER, 3),
        (" 3 ", INTEGER, 3),
        ("3.0", INTEGER, 3),
        (3.0, INTEGER, 3),
        ("2.5", {"type": "number"}, 2.5),
        ("-1e3", {"type": "number"}, -1000.0),
        ("false", {"type": "boolean"}, False),
        ("False", {"type": "boolean"}, False),
        ("true", {"type": "boolean"}, True),
        ("[1, 2]", LIST, [1, 2]),
        ('["1", "2"]', LIST, [1, 2]),
        ('{"n": "3"}', OBJECT, {"n": 3}),
        ("null", OPTIONAL_INTEGER, None),
        ("None", OPTIONAL_INTEGER, None),
        ("3", OPTIONAL_INTEGER, 3),
        ("3", {"type": ["integer", "null"]}, 3),
        # another case, or in quotes once more
        ("RED", COLORS, "red"),
        ("blue", COLORS, "blue"),
        ('"red"', COLORS, "red"),
        ("2", {"enum": [1, 2]}, 2),
        ("YES", {"const": "yes"}, "yes"),
        # deep inside
        ({"n": "3", "more": "4"}, OBJECT, {"n": 3, "more": "4"}),
        ([["1"]], {"type": "array", "items": LIST}, [[1]]),
        (["1", "2"], {"type": "array", "prefixItems": [INTEGER], "items": {"type": "string"}}, [1, "2"]),
        ({"k": "1"}, {"type": "object", "additionalProperties": INTEGER}, {"k": 1}),
        ({"n": "1"}, {"allOf": [OBJECT]}, {"n": 1}),
    ],
)
def test_a_slip_with_one_meaning_is_mended(sent: Any, schema: Any, meant: Any) -> None:
    value = read(sent, schema)

    assert (value, type(value)) == (meant, type(meant))


@pytest.mark.parametrize(
    ("sent", "schema"),
    [
        ("3", {"type": "string"}),
        ("true", {"type": "string"}),
        ("[1]", {"type": "string"}),
        ("3", {"anyOf": [INTEGER, {"type": "string"}]}),
        ("[1]", {}),
        ("three", INTEGER),
        ("", INTEGER),
        ("maybe", {"type": "boolean"}),
        ("3", LIST),
        ("1,2", LIST),
        ("BLUE", {"enum": ["blue", "Blue"]}),
        (3, {"type": "string"}),
        ("[" * 5000, LIST),
        (True, {"enum": [1, 2]}),
    ],
)
def test_what_could_mean_something_else_is_left_as_it_is(sent: Any, schema: Any) -> None:
    value = read(sent, schema)

    assert (value, type(value)) == (sent, type(sent))


@pytest.mark.parametrize(
    "number", [float("nan"), float("inf"), float("-inf"), "NaN", "Infinity", "-inf", "1e999", "9" * 5000]
)
def test_numbers_that_json_does_not_have_are_refused(number: Any) -> None:  # field bug B70
    assert problems(number, {"type": "number"})
    assert problems({"n": number}, OBJECT)
    assert problems(number, {"anyOf": [{"type": "number"}, {"type": "null"}]})


def test_a_number_that_json_does_not_have_is_found_where_any_value_is_allowed() -> None:
    assert problems({"a": [1, float("nan")]}, {}) == ["x.a[1]: expected a number that JSON has, found NaN"]
    assert read("NaN", {"type": "string"}) == "NaN"


def test_true_is_not_the_number_one() -> None:
    assert problems(True, INTEGER) == ["x: expected an integer, found true"]
    assert problems(False, OPTIONAL_INTEGER) == ["x: expected an integer or null, found false"]
    assert read(True, {"anyOf": [INTEGER, {"type": "boolean"}]}) is True


@pytest.mark.parametrize("value", [1, 0, 1.0, "1", "0", "yes", "No", "on", "f", " T "])
def test_only_true_and_false_are_booleans(value: Any) -> None:
    told = f"x: expected true or false, found {found(value)}"

    assert problems(value, {"type": "boolean"}) == [told]
    assert problems(value, {"anyOf": [{"type": "boolean"}, {"type": "null"}]}) == [
        told.replace("false,", "false or null,")
    ]
    assert read("TRUE", {"type": "boolean"}) is True


@pytest.mark.parametrize("value", ["1_000", "03", "+5", "3.5", ".5", "1e400"])
def test_a_number_is_what_json_takes_for_one(value: str) -> None:
    assert problems(value, INTEGER) == [f'x: expected an integer, found "{value}"']


def test_what_the_schema_allows_is_never_refused_for_looking_like_something_else() -> None:
    assert read(1, {"type": ["boolean", "integer"]}) == 1
    assert read("yes", {"type": ["boolean", "string"]}) == "yes"
    assert read("1_000", {"anyOf": [INTEGER, {"type": "string"}]}) == "1_000"


def test_branches_that_repeat_each_other_are_given_up() -> None:
    node = {"$ref": "#/$defs/node"}
    schema = {"$defs": {"node": {"properties": {"next": {"allOf": [node, node]}}}}, "properties": {"a": node}}
    value: Any = {}
    for _ in range(40):
        value = {"next": value}

    with pytest.raises(WrongArgumentsError, match="too much to check"):
        read_arguments({"a": value}, schema)
    assert mended_arguments({"a": value}, schema) == {"a": value}


def test_a_long_list_is_not_too_much() -> None:
    row = {"type": "object", "properties": {"n": INTEGER, "m": OPTIONAL_INTEGER}}
    rows = [{"n": "1", "m": None}] * 30_000

    assert read(rows, {"type": "array", "items": row})[-1] == {"n": 1, "m": None}


@pytest.mark.parametrize("kind", ["date-time", "date", "time", "duration"])
def test_a_number_is_not_a_date(kind: str) -> None:
    schema = {"type": "string", "format": kind}

    assert problems("2024", schema)
    assert problems(2024, schema)
    assert read("2024-05-31", schema) == "2024-05-31"
    assert "such as" in problems(5, schema)[0]


def test_null_for_an_optional_argument_means_it_is_not_given() -> None:
    schema = {"properties": {"a": INTEGER, "b": OPTIONAL_INTEGER, "c": INTEGER}, "required": ["c"]}

    assert read_arguments({"a": None, "b": None, "c": None}, schema) == ({"b": None, "c": None}, {})


def test_the_branch_of_a_union_is_chosen_by_its_fixed_parts() -> None:
    text = {"type": "object", "properties": {"kind": {"const": "text"}, "value": {"type": "string"}}}
    number = {"type": "object", "properties": {"kind": {"const": "number"}, "value": INTEGER}}
    either = {"oneOf": [text, number]}

    assert read({"kind": "number", "value": "3"}, either) == {"kind": "number", "value": 3}
    assert read({"kind": "text", "value": "3"}, either) == {"kind": "text", "value": "3"}


def test_references_are_followed() -> None:
    schema = {
        "$defs": {"n": INTEGER, "list": {"type": "array", "items": {"$ref": "#/$defs/list"}}},
        "properties": {"n": {"$ref": "#/$defs/n"}, "deep": {"$ref": "#/$defs/list"}, "lost": {"$ref": "#/$defs/no"}},
    }

    assert read_arguments({"n": "1", "deep": "[[], [[]]]", "lost": "1"}, schema)[0] == {
        "n": 1,
        "deep": [[], [[]]],
        "lost": "1",
    }


def test_a_reference_to_itself_ends() -> None:
    schema = {"$defs": {"a": {"$ref": "#/$defs/a"}}, "properties": {"a": {"$ref": "#/$defs/a"}}}

    with pytest.raises(WrongArgumentsError):
        read_arguments({"a": 1}, schema)


def test_values_nested_without_end_are_refused() -> None:
    deep: list[Any] = []
    for _ in range(20_000):
        deep = [deep]

    with pytest.raises(WrongArgumentsError, match="nested too deeply"):
        read_arguments({"a": deep}, {"properties": {"a": {}}})


def test_the_explanation_lists_every_problem_and_every_argument() -> None:
    schema = {"properties": {"city": {}, "unit": {}}, "required": ["city"]}

    assert explained("get_weather", ["city: missing", "zzz: there is no such argument"], schema) == (
        "get_weather was not run, its arguments are wrong:\n"
        "- city: missing\n"
        "- zzz: there is no such argument\n"
        "get_weather: its arguments are: city (required), unit"
    )
    assert explained("now", ["x: there is no such argument"], {}).endswith("now: it takes no arguments")


def test_a_flood_of_problems_is_cut_to_what_can_be_read() -> None:
    text = explained("f", [f"x[{n}]: wrong" for n in range(1000)], {})

    assert text.count("\n- x[") == 20
    assert "- and 980 more" in text


def test_a_long_value_is_shown_by_its_beginning_and_letters_stay_readable() -> None:
    assert found("é" * 500) == '"' + "é" * 79 + "…"


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["1", "[1]", "null"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abn"), inner, max_size=3),
    max_leaves=10,
)
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "null"])
SCHEMAS = st.recursive(
    st.fixed_dictionaries({"type": TYPES}) | st.just({}) | st.just(COLORS) | st.booleans(),
    lambda inner: (
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)})
        | st.fixed_dictionaries({"type": st.just("array"), "items": inner})
        | st.fixed_dictionaries(
            {"type": st.just("object"), "properties": st.dictionaries(st.sampled_from("abn"), inner)}
        )
    ),
    max_leaves=6,
)


@given(JSON, SCHEMAS)
def test_reading_twice_changes_nothing_more(value: Any, schema: Any) -> None:
    whole = {"properties": {"x": schema}, "required": ["x"]}
    once, _ = read_arguments({"x": value}, whole)
    twice, _ = read_arguments(once, whole)

    assert json.dumps(once) == json.dumps(twice)


@given(JSON)
def test_what_needs_no_mending_comes_back_equal_and_new(value: Any) -> None:
    values, _ = read_arguments({"x": value}, {"properties": {"x": {}}, "required": ["x"]})

    assert json.dumps(values["x"]) == json.dumps(value)
    assert values["x"] is not value or not isinstance(value, list | dict)
