"""JSON Schemas that ask for years of work: refused, or given up, and ordinary ones give jsonschema's own verdicts."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from runner.diagnostics import Diagnostic
from runner.language.document import parse_document
from runner.language.schema import check, problems
from runner.spec import Json, JsonObject

TOO_MUCH = ["this is too much to check: the JSON Schema allows the same value in too many ways"]
# So generous that only what never ends exceeds it.
LONG_SECONDS = 30


def checked(schema: str) -> list[Diagnostic]:
    found, mistakes = parse_document(f"name: a\nprompt: x\ninputs: {{city: {schema}}}".encode(), display="f.yaml")
    assert (mistakes, found is None) == ([], False)
    assert found is not None
    return check(found, "agent")


def nested(depth: int, inner: Json) -> Json:
    value = inner
    for _ in range(depth):
        value = {"next": value}
    return value


NODE: JsonObject = {"$ref": "#/$defs/node"}
LEVELS: JsonObject = {
    f"L{level}": {"type": "object", "properties": {"next": {"oneOf": [{"$ref": f"#/$defs/L{level + 1}"}] * 2}}}
    for level in range(40)
}


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        (
            nested(23, {"v": "x"}),
            {
                **NODE,
                "$defs": {"node": {"properties": {"next": {"anyOf": [NODE, NODE]}, "v": {"type": "integer"}}}},
            },
        ),
        (nested(40, {}), {"$ref": "#/$defs/L0", "$defs": {**LEVELS, "L40": {}}}),
    ],
    ids=["equal branches that refer back", "oneOf at forty levels"],
)
def test_what_would_take_for_ever_is_given_up(value: Json, schema: JsonObject) -> None:
    started = time.monotonic()

    assert problems(value, schema) == TOO_MUCH
    assert time.monotonic() - started < LONG_SECONDS


def test_long_lists_are_no_attack() -> None:
    rows: Json = [{"id": number, "tags": ["a", "b"]} for number in range(20_000)]
    row = {"properties": {"id": {"type": "integer"}, "tags": {"items": {"type": "string"}}}, "required": ["id"]}

    assert problems(rows, {"type": "array", "items": row, "uniqueItems": True}) == []


def test_equal_items_of_a_long_list_are_found_in_linear_time() -> None:
    objects: list[Json] = [{"id": number} for number in range(30_000)]
    started = time.monotonic()

    assert problems(objects, {"uniqueItems": True}) == []
    assert problems([*objects, {"id": 0.0}], {"uniqueItems": True}) == ["holds the same item twice"]
    assert time.monotonic() - started < LONG_SECONDS


@pytest.mark.parametrize(
    ("schema", "place", "why"),
    [
        ("{pattern: '^(a+)+(?=x)$'}", "pattern", "lookahead (?=…) is not supported"),
        (r"{pattern: '(a)\1'}", "pattern", r"a backreference \1 is not supported"),
        ("{items: {patternProperties: {'(?!x)': {}}}}", "items.patternProperties.'(?!x)'", "lookahead (?!…)"),
    ],
)
def test_a_pattern_that_cannot_be_searched_in_linear_time_is_refused(schema: str, place: str, why: str) -> None:
    (problem,) = checked(schema)

    assert (problem.code, problem.severity) == ("RUN210", "error")
    assert problem.message.startswith(f"inputs.city.{place}: '")
    assert f"cannot be used: {why}" in problem.message


def test_what_patterns_leave_over_can_only_be_told_by_additional_properties() -> None:
    (problem,) = checked("{patternProperties: {'^a': {}}, unevaluatedProperties: false}")

    assert problem.message == (
        "inputs.city.unevaluatedProperties: cannot be checked in a JSON Schema that has patternProperties; "
        "write additionalProperties"
    )
    assert checked("{patternProperties: {'^a': {}}, additionalProperties: false}") == []


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ("a" * 40, {"pattern": "^(a+)+(?=x)$"}),
        ({"a" * 40: 1}, {"patternProperties": {"^(a+)+(?=x)$": False}}),
        ({"a" * 40: 1}, {"patternProperties": {"^(a+)+$": {}, "^(a+)+(?=x)$": {}}, "additionalProperties": False}),
        ({"a" * 40 + "b": 1}, {"patternProperties": {"^(a+)+$": False}, "unevaluatedProperties": False}),
    ],
)
def test_no_pattern_is_ever_searched_by_backtracking(value: Json, schema: JsonObject) -> None:
    started = time.monotonic()

    assert problems(value, schema) == []
    assert time.monotonic() - started < LONG_SECONDS


def test_patterns_of_keys_hold() -> None:
    schema: JsonObject = {"patternProperties": {"^n": {"type": "integer"}}, "additionalProperties": False}

    assert problems({"n1": 1}, schema) == []
    assert problems({"n1": "x"}, schema) == ["n1: expected a whole number, found the text 'x'"]
    assert problems({"m1": 1}, schema) == ["unknown key 'm1'"]


def test_the_branch_false_is_meant_by_nobody() -> None:
    assert problems("a", {"anyOf": [False, {"type": "integer"}]}) == [
        "found the text 'a', which fits none of the 2 alternatives"
    ]


VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([1.0, 0.5, "", "a", "ab", "b1"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["a", "b", "n1"]), inner, max_size=3),
    max_leaves=12,
)
SCHEMAS: st.SearchStrategy[Json] = st.recursive(
    st.sampled_from(
        [
            True,
            False,
            {},
            {"type": "string"},
            {"type": ["integer", "null"]},
            {"type": "boolean"},
            {"pattern": "^a"},
            {"minimum": 1},
            {"uniqueItems": True},
            {"enum": [1, "a", [1], None]},
            {"const": True},
            {"maxLength": 1},
            {"required": ["a"]},
            {"minItems": 2},
        ]
    ),
    lambda inner: st.one_of(
        st.fixed_dictionaries({}, optional={"items": inner, "uniqueItems": st.booleans(), "contains": inner}),
        st.fixed_dictionaries(
            {},
            optional={
                "properties": st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2),
                "patternProperties": st.dictionaries(st.sampled_from(["^n", "1$", "^[ab]$"]), inner, max_size=2),
                "additionalProperties": inner,
                "propertyNames": inner,
            },
        ),
        st.fixed_dictionaries(
            {},
            optional={
                "properties": st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2),
                "unevaluatedProperties": inner,
            },
        ),
        st.builds(
            lambda key, parts: {key: parts},
            st.sampled_from(["anyOf", "oneOf", "allOf"]),
            st.lists(inner, min_size=1, max_size=3),
        ),
        st.builds(lambda part: {"not": part}, inner),
        st.fixed_dictionaries({"if": inner}, optional={"then": inner, "else": inner}),
    ),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(value=VALUES, schema=SCHEMAS.filter(lambda schema: isinstance(schema, dict)))
def test_ordinary_schemas_give_the_verdict_of_jsonschema(value: Json, schema: JsonObject) -> None:
    text = str(schema)
    if "patternProperties" in text and "unevaluatedProperties" in text:
        return  # refused by `check`

    assert (problems(value, schema) == []) is Draft202012Validator(schema).is_valid(value)


@given(items=st.lists(VALUES, max_size=8))
def test_items_are_the_same_where_jsonschema_finds_them_so(items: list[Json]) -> None:
    expected = all(not _equal(one, other) for place, one in enumerate(items) for other in items[:place])

    assert (problems(items, {"uniqueItems": True}) == []) is expected


def _equal(one: Json, other: Json) -> bool:
    return Draft202012Validator({"const": one}).is_valid(other)
