"""Values that are said to fit without asking jsonschema: it would say the same."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from runner.language.schema.ordinary import surely_fits
from runner.spec import Json, JsonObject

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from([0.5, 1.0, float("nan"), "", "a", "ab"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
TYPE = st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "null"])
SIZE = st.integers(0, 3)
SCHEMAS = st.recursive(
    st.booleans()
    | st.fixed_dictionaries(
        {},
        optional={
            "type": TYPE | st.lists(TYPE, min_size=1, max_size=2, unique=True),
            "enum": st.lists(VALUES, min_size=1, max_size=3),
            "minimum": st.integers(-2, 3),
            "maximum": st.floats(-2, 3),
            "minLength": SIZE,
            "maxLength": SIZE,
            "minItems": SIZE,
            "maxItems": SIZE,
            "multipleOf": st.sampled_from([1, 2, 0.5]),
            "const": VALUES,
            "uniqueItems": st.booleans(),
        },
    ),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": TYPE,
            "items": inner,
            "properties": st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
            "required": st.lists(st.sampled_from("abc"), max_size=2, unique=True),
            "additionalProperties": inner,
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "not": inner,
            "title": st.just("t"),
        },
    ),
    max_leaves=6,
)


@settings(max_examples=600, deadline=None)
@given(value=VALUES, schema=SCHEMAS)
def test_what_surely_fits_fits_for_jsonschema_too(value: Json, schema: Json) -> None:
    if surely_fits(value, schema):
        assert Draft202012Validator(schema).is_valid(value)


PLACE: JsonObject = {
    "type": "object",
    "properties": {"city": {"type": "string", "minLength": 1}, "days": {"type": ["integer", "null"], "minimum": 1}},
    "required": ["city"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ("English", {"type": "string", "default": "English", "description": "Language of the answers"}),
        ({"city": "Oslo", "days": 3}, PLACE),
        ({"city": "Oslo", "days": None}, PLACE),
        ([{"city": "Oslo"}], {"type": "array", "items": PLACE, "maxItems": 3}),
        ("celsius", {"enum": ["celsius", "fahrenheit"]}),
        ({"limit": 2, "deep": True}, {"properties": {"limit": {"const": 2}, "deep": {"const": True}}}),
        (1, {"anyOf": [{"type": "string"}, {"type": "number", "maximum": 1}]}),
        ({"a": [1, {"b": None}]}, {}),
    ],
)
def test_ordinary_values_surely_fit(value: Json, schema: JsonObject) -> None:
    assert surely_fits(value, schema)


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ({"days": 3}, PLACE),
        ({"city": "Oslo", "country": "Norway"}, PLACE),
        ({"city": ""}, PLACE),
        (True, {"type": "integer"}),
        (1, {"enum": [True]}),
        (1, {"const": 1.0}),
        ("a", {"pattern": "a"}),
        ("a", {"$ref": "#/$defs/a", "$defs": {"a": {}}}),
        ("a" * 20_000, {"type": "string"}),
        (("a",), {}),
    ],
)
def test_what_does_not_fit_or_is_unusual_is_left_to_jsonschema(value: Json, schema: JsonObject) -> None:
    assert not surely_fits(value, schema)


def test_what_takes_long_to_tell_is_not_told() -> None:
    branching: JsonObject = {"type": "string"}
    for _ in range(10):
        branching = {"anyOf": [branching, branching]}

    assert not surely_fits([1] * 9_999, {"items": {"anyOf": [branching, {"type": "integer"}]}})
    assert not surely_fits(["z"] * 9_999, {"items": {"enum": [*map(str, range(5_000)), "z"]}})
    assert surely_fits(["z"] * 5_000, {"items": {"enum": ["y", "z"]}})
