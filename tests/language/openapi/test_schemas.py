"""Schemas of OpenAPI become JSON Schema that fits what the server takes."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.language.openapi.definitions import settle
from runner.language.openapi.reading import SpecFiles, parse_spec
from runner.language.openapi.references import Node, ReferenceProblem, References
from runner.language.openapi.schemas import Schemas
from runner.language.schema import problems
from runner.language.schema.authored import check_authored
from tests.language.openapi.specs import codes, expanded, json_body, only_tool, operation, properties, spec
from tests.language.projects import Write


def converted(schema: Any, version: str = "3.0.3", **schemas: Any) -> Any:
    """A schema of a document with these `components/schemas`, as the schema of an argument."""
    root = {"openapi": version, "paths": {}, "components": {"schemas": schemas}, "here": schema}
    document = parse_spec(json.dumps(root).encode(), Path("/api.json"))
    found = Schemas(References(SpecFiles(), Path("/")))
    result = found.convert(Node(spec=document, path=("here",), value=schema))
    return settle({"it": result}, found.definitions)


def one(schema: Any, version: str = "3.0.3", **schemas: Any) -> Any:
    """The same, without definitions."""
    result = converted(schema, version, **schemas)
    assert result.keys() == {"it"}
    return result["it"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "nullable": False}, {"type": "string"}),
        (
            {"type": "string", "nullable": True, "enum": ["a", "b"]},
            {"type": ["string", "null"], "enum": ["a", "b", None]},
        ),
        ({"type": "integer", "minimum": 1, "exclusiveMinimum": True}, {"type": "integer", "exclusiveMinimum": 1}),
        ({"type": "integer", "maximum": 1, "exclusiveMaximum": False}, {"type": "integer", "maximum": 1}),
        ({"type": "number", "exclusiveMinimum": True}, {"type": "number"}),
        ({"type": "string", "example": "a"}, {"type": "string", "examples": ["a"]}),
        (
            {"oneOf": [{"type": "string"}], "nullable": True, "description": "D"},
            {"description": "D", "anyOf": [{"anyOf": [{"type": "string"}]}, {"type": "null"}]},
        ),
        (
            {"oneOf": [{"type": "string"}, {"type": "integer"}], "discriminator": {"propertyName": "kind"}},
            {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        ),
        (
            {"type": "object", "xml": {}, "externalDocs": {}, "discriminator": {}, "x-internal": 1, "properties": {}},
            {"type": "object", "properties": {}},
        ),
        (
            {"type": "string", "format": "date-time", "title": "T"},
            {"type": "string", "format": "date-time", "title": "T"},
        ),
        (
            {"type": "array", "items": {"type": "string", "nullable": True}},
            {"type": "array", "items": {"type": ["string", "null"]}},
        ),
    ],
)
def test_what_3_0_writes_in_ways_of_its_own_is_translated(written: Any, meant: Any) -> None:
    assert one(written) == meant


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["string", "null"], "const": "a"},
        {"type": "integer", "exclusiveMinimum": 1},
        {"prefixItems": [{"type": "string"}], "items": False},
        {"if": {"properties": {"a": {"const": 1}}}, "then": {"required": ["b"]}},
        {"patternProperties": {"^x": {"type": "string"}}, "unevaluatedProperties": False},
        {"type": "string", "examples": ["a", "b"]},
    ],
)
def test_what_3_1_writes_is_json_schema_as_it_is(schema: Any) -> None:
    assert one(schema, "3.1.0") == schema


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ({"type": "file"}, {}),
        ({"type": "string", "required": True}, {"type": "string"}),
        ({"type": "string", "pattern": r"^(?=\w)\w+$"}, {"type": "string"}),
        ({"type": "string", "pattern": r"^\p{L}+$"}, {"type": "string", "pattern": r"^\p{L}+$"}),
        ({"type": "integer", "minimum": "1"}, {"type": "integer"}),
        ({"type": "array", "items": [{"type": "string"}]}, {"type": "array"}),
        ({"type": "number", "multipleOf": 0}, {"type": "number"}),
        ({"enum": "abc"}, {}),
        ({"anyOf": []}, {}),
        ({"patternProperties": {"(": {}}}, {"patternProperties": {}}),
        ("string", True),
    ],
)
def test_what_is_no_json_schema_is_left_out_and_does_not_spoil_the_rest(written: Any, meant: Any) -> None:
    assert one(written) == meant


def test_what_only_the_server_sets_is_not_asked_for() -> None:
    stamp = {"type": "string", "readOnly": True}
    schema = {
        "properties": {"id": stamp, "at": {"$ref": "#/components/schemas/Stamp"}, "a": {}},
        "required": ["id", "a"],
    }

    assert one(schema, Stamp=stamp) == {"properties": {"a": {}}, "required": ["a"]}


def test_a_key_called_ref_is_no_reference() -> None:
    schema = {"properties": {"$ref": {"type": "string"}}, "enum": [{"$ref": "#/x"}]}

    assert one(schema) == schema


def test_a_schema_used_once_stands_where_it_is_used_and_one_used_more_often_under_its_name() -> None:
    words = {"type": "string", "description": "long " * 100}
    ref = {"$ref": "#/components/schemas/Words"}

    assert one({"items": ref}, Words=words) == {"items": words}
    assert converted({"properties": {"a": ref, "b": ref}}, Words=words, Other={}) == {
        "it": {"properties": {"a": {"$ref": "#/$defs/Words"}, "b": {"$ref": "#/$defs/Words"}}},
        "$defs": {"Words": words},
    }


def test_a_short_schema_is_repeated_rather_than_named() -> None:
    ref = {"$ref": "#/components/schemas/Id"}

    assert one({"properties": {"a": ref, "b": ref}}, Id={"type": "integer"}) == {
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}
    }


def test_a_recursive_schema_stays_one() -> None:
    node = {
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}}},
    }

    result = converted({"$ref": "#/components/schemas/Node"}, Node=node)

    assert result["it"] == {"$ref": "#/$defs/Node"}
    assert result["$defs"]["Node"]["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}
    assert problems({"children": [{"children": []}]}, {**result["it"], "$defs": result["$defs"]}) == []
    assert problems({"children": [{"children": 1}]}, {**result["it"], "$defs": result["$defs"]}) != []


def test_schemas_that_refer_to_each_other_are_settled() -> None:
    a = {"properties": {"b": {"$ref": "#/components/schemas/B"}}}
    b = {"properties": {"a": {"$ref": "#/components/schemas/A"}}}

    result = converted({"properties": {"x": {"$ref": "#/components/schemas/A"}}}, A=a, B=b)

    assert result["$defs"] == {"A": {"properties": {"b": {"properties": {"a": {"$ref": "#/$defs/A"}}}}}}


def test_what_stands_beside_a_reference_counts_in_3_1_and_not_in_3_0() -> None:
    word = {"type": "string", "description": "theirs"}
    beside = {"$ref": "#/components/schemas/Word", "description": "ours"}

    assert one(beside, "3.0.3", Word=word)["description"] == "theirs"
    assert one(beside, "3.1.0", Word=word)["description"] == "ours"
    assert one({**beside, "maxLength": 3}, "3.1.0", Word=word) == {
        "description": "ours",
        "maxLength": 3,
        "allOf": [word],
    }
    assert one({"allOf": [{"$ref": "#/components/schemas/Word"}], "description": "ours"}, Word=word) == {
        "type": "string",
        "description": "ours",
    }


def test_definitions_of_the_same_name_from_different_places_stay_apart() -> None:
    long = "long " * 100
    inner = {"type": "string", "description": long}
    refs = [{"$ref": "#/components/schemas/Kind"}, {"$ref": "#/components/schemas/Other/properties/Kind"}]
    other = {"properties": {"Kind": {"type": "integer", "description": long}}}

    result = converted({"anyOf": [*refs, *refs]}, Kind=inner, Other=other)

    assert [each["$ref"] for each in result["it"]["anyOf"]] == ["#/$defs/Kind", "#/$defs/Kind_2"] * 2
    assert result["$defs"]["Kind_2"]["type"] == "integer"


def test_a_reference_that_leads_back_to_itself_is_a_problem() -> None:
    ref = {"$ref": "#/components/schemas/A"}

    with pytest.raises(ReferenceProblem, match="leads back to itself"):
        converted(ref, A={"$ref": "#/components/schemas/B"}, B=ref)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["string", "object", "a", "("]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "type", "$ref"]), inner, max_size=3)
    ),
    max_leaves=4,
)
KEYS = st.sampled_from(
    [
        *("type", "nullable", "enum", "required", "properties", "items", "allOf", "anyOf", "not", "minimum", "pattern"),
        *("exclusiveMinimum", "readOnly", "example", "examples", "default", "additionalProperties", "multipleOf"),
        *("minLength", "uniqueItems", "patternProperties", "prefixItems", "dependentRequired", "description", "format"),
    ]
)
SCHEMAS = st.recursive(
    st.dictionaries(KEYS, JSON, max_size=4) | st.just({"$ref": "#/components/schemas/A"}),
    lambda inner: st.dictionaries(
        KEYS, inner | JSON | st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab("), inner), max_size=4
    ),
    max_leaves=6,
)


@given(schema=SCHEMAS, other=SCHEMAS, version=st.sampled_from(["3.0.3", "3.1.0"]))
def test_whatever_a_document_says_the_result_is_well_formed_or_the_document_is_wrong(
    schema: Any, other: Any, version: str
) -> None:
    try:
        result = converted(schema, version, A=other)
    except ReferenceProblem:
        return

    parameters = {"type": "object", "properties": {"it": result["it"]}, "$defs": result.get("$defs", {})}
    ill_formed = [
        each for each in check_authored(parameters) if each.code != "RUN212" and "without end" not in str(each.text)
    ]
    assert ill_formed == []


def test_the_schemas_of_a_tool_carry_what_they_use_and_nothing_else(project: Write) -> None:
    tree = {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}}}
    body = json_body({"properties": {"tree": {"$ref": "#/components/schemas/Tree"}}})
    document = spec({"/a": {"post": operation(requestBody=body)}}, components={"schemas": {"Tree": tree, "Unused": {}}})

    tool = only_tool(project, document)

    assert properties(tool) == {"tree": {"$ref": "#/$defs/Tree"}}
    assert tool["parameters"]["$defs"].keys() == {"Tree"}


def test_nothing_is_too_deep_to_be_told(project: Write) -> None:
    deep: dict[str, Any] = {}
    for _ in range(400):
        deep = {"items": deep}
    document = spec({"/a": {"post": operation(requestBody=json_body(deep))}, "/b": {"get": operation(operationId="b")}})

    expansion = expanded(project, document)

    assert [tool["name"] for tool in expansion.tools][-1] == "b"
    assert set(codes(expansion)) <= {"RUN529"}
