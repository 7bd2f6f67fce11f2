"""JSON Schemas that people write: well-formed, complete in themselves, and values held against them."""

import socket

import pytest
from jsonschema import Draft202012Validator

from runner.diagnostics import Diagnostic
from runner.language.document import parse_document
from runner.language.schema import Kind, check, problems
from runner.language.schema.authored import KEYWORDS, check_authored
from runner.spec import Json, JsonObject

COMPLETE = "name: a\nprompt: x\n"


def checked(text: str, kind: Kind = "agent") -> list[Diagnostic]:
    found, mistakes = parse_document(text.encode(), display="f.yaml")
    assert mistakes == []
    assert found is not None
    return check(found, kind)


# -- JSON Schemas in documents ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "path", "message", "suggestion"),
    [
        (
            "{type: str}",
            "type",
            "expected one of array, boolean, integer, null, number, object, string; found 'str'",
            "did you mean 'string'?",
        ),
        ("{type: strin}", "type", "found 'strin'", "did you mean 'string'?"),
        ("{type: [string, nul]}", "type[1]", "found 'nul'", "did you mean 'null'?"),
        (
            "{items: {properties: {a: {type: dict}}}}",
            "items.properties.a.type",
            "found 'dict'",
            "did you mean 'object'?",
        ),
        (
            "{required: true}",
            "required",
            "expected a list, found true",
            "'required' is the list of the keys an object must have",
        ),
        ("{enum: x}", "enum", "expected a list, found the text 'x'", "write [x]"),
        ("{minimum: '3'}", "minimum", "expected a number, found the text '3'", "write 3, without quotes"),
        ("{minLength: -1}", "minLength", "must be at least 0, found -1", None),
        ("{pattern: '('}", "pattern", "'(' is not a valid regular expression", None),
        ("{properties: [a]}", "properties", "expected a mapping, found a list", None),
    ],
)
def test_a_json_schema_that_is_not_well_formed_is_told_inside_it(
    written: str, path: str, message: str, suggestion: str | None
) -> None:
    (problem,) = checked(f"{COMPLETE}inputs: {{city: {written}}}")

    assert problem.code == "RUN210"
    assert problem.message.startswith(f"inputs.city.{path}: ")
    assert message in problem.message
    assert problem.message.endswith(" (in a JSON Schema)")
    assert problem.suggestion == suggestion


# field bug B97
@pytest.mark.parametrize(
    ("written", "message", "suggestion"),
    [
        ("{$ref: 'https://example.org/s.json'}", "'https://example.org/s.json' is outside the JSON Schema", None),
        ("{$ref: ./out.yaml}", "'./out.yaml' is outside the JSON Schema", None),
        ("{$ref: 'file:///etc/passwd'}", "'file:///etc/passwd' is outside", None),
        ("{$ref: '#name', $defs: {a: {$anchor: name}}}", "'#name' is outside", None),
        ("{items: {$ref: '#/$defs/missing'}}", "'#/$defs/missing' finds nothing in the JSON Schema", None),
        ("{$ref: '#/$defs/addres', $defs: {address: {}}}", "finds nothing", "did you mean '#/$defs/address'?"),
        ("{$ref: '#/allOf/1', allOf: [{}]}", "finds nothing", None),
        ("{$ref: '#/type', type: string}", "finds nothing", None),
        ("{$ref: '#'}", "'#' leads back to itself without end", None),
        ("{allOf: [{$ref: '#/$defs/a'}], $defs: {a: {anyOf: [{$ref: '#/$defs/a'}]}}}", "leads back to itself", None),
    ],
)
def test_a_reference_that_cannot_be_followed_is_refused_without_a_socket(
    written: str, message: str, suggestion: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "socket", None)

    found = checked(f"{COMPLETE}inputs: {{city: {written}}}")

    assert {one.code for one in found} == {"RUN211"}
    assert message in found[0].message
    assert found[0].suggestion == suggestion


def test_references_inside_a_json_schema_are_fine_recursive_ones_too() -> None:
    node = "{properties: {next: {$ref: '#'}}, items: {$ref: '#/$defs/n~1o~0de'}, prefixItems: [{$ref: '#/anyOf/0'}]}"

    assert (
        checked(f"{COMPLETE}inputs: {{tree: {{$ref: '#/$defs/n~1o~0de', anyOf: [{{}}], $defs: {{n/o~de: {node}}}}}}}")
        == []
    )


def test_a_misspelt_keyword_is_a_warning_at_its_place() -> None:
    (problem,) = checked(
        f"{COMPLETE}inputs: {{city: {{type: string, properties: {{}}, defualt: x, x-note: 1, unit: C}}}}"
    )

    assert (problem.code, problem.severity, str(problem.location)) == ("RUN212", "warning", "f.yaml:3:47")
    assert problem.message == "inputs.city: JSON Schema has no keyword 'defualt', it is ignored"
    assert problem.suggestion == "did you mean 'default'?"


def test_every_keyword_that_jsonschema_looks_at_is_known() -> None:
    assert Draft202012Validator.VALIDATORS.keys() <= KEYWORDS


def test_a_json_schema_may_be_as_deep_as_yaml_and_never_overflows_the_stack() -> None:
    text = f"{COMPLETE}inputs: {{city: {'{items: ' * 96}{{type: strin}}{'}' * 96}}}"

    assert [problem.code for problem in checked(text)] == ["RUN210"]
    assert [problem.code for problem in below(300, text + " ")] == ["RUN210"]


def below(frames: int, text: str) -> list[Diagnostic]:
    """Check from that much deeper in the stack."""
    return below(frames - 1, text) if frames else checked(text.replace("strin}", "strin, title: b}"))


def test_parameters_of_tools_are_checked_in_agents_and_toolsets() -> None:
    tool = "{name: a, type: python, function: 'b:c', parameters: {type: object, properties: {x: {type: int}}}}"

    for found in (checked(f"{COMPLETE}tools: [t, {tool}]"), checked(f"kind: toolset\ntools: [{tool}]", "toolset")):
        (problem,) = found
        assert (problem.code, problem.suggestion) == ("RUN210", "did you mean 'integer'?")
        assert ".parameters.properties.x.type: expected one of" in problem.message


@pytest.mark.parametrize("written", ["{type: string}", "{properties: {}}", "{}"])
def test_parameters_are_always_an_object(written: str) -> None:
    (problem,) = checked(
        f"kind: toolset\ntools: [{{name: a, type: python, function: 'b:c', parameters: {written}}}]", "toolset"
    )

    assert problem.message.startswith("tools[0].parameters")


TWO_KINDS = {
    "oneOf": [
        {
            "type": "object",
            "properties": {"type": {"const": "http"}, "url": {"type": "string"}},
            "required": ["type", "url"],
            "additionalProperties": False,
        },
        {
            "type": "object",
            "properties": {"type": {"const": "python"}, "import": {"type": "string"}},
            "required": ["type", "import"],
            "additionalProperties": False,
        },
        {"type": "string", "minLength": 2},
    ]
}


# field bug B95, for the schemas people write
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"type": "http", "ulr": "x"}, ["unknown key 'ulr' (did you mean 'url'?)"]),
        ({"type": "python"}, ["missing key 'import'"]),
        ({"type": "python", "import": 3}, ['import: expected text, found the number 3 (write "3", in quotes)']),
        ("x", ["must have at least 2 characters, found 1"]),
        (3, ["found the number 3, which fits none of the 3 alternatives"]),
    ],
)
def test_the_branch_of_a_union_is_chosen_by_what_was_written(value: Json, expected: list[str]) -> None:
    assert problems(value, TWO_KINDS) == expected


@pytest.mark.parametrize("written", ["{}", "{type: string}", "{type: array, items: {$ref: '#'}}", "{enum: [yes, 1]}"])
def test_an_answer_may_be_of_any_type(written: str) -> None:
    assert checked(f"{COMPLETE}output_schema: {written}") == []


def test_the_schema_of_the_answer_is_checked_like_the_others() -> None:
    found = checked(f"{COMPLETE}output_schema: {{properties: {{a: {{$ref: ./a.json}}, b: {{$ref: '#/$defs/b'}}}}}}")

    assert [(one.code, one.message.partition(": ")[0]) for one in found] == [
        ("RUN211", "output_schema.properties.a.$ref"),
        ("RUN211", "output_schema.properties.b.$ref"),
    ]
    assert [one.code for one in checked(f"{COMPLETE}output_schema: {{type: strin}}")] == ["RUN210"]


@pytest.mark.parametrize("written", ["[a]", "string", "true"])
def test_the_schema_of_the_answer_is_a_mapping(written: str) -> None:
    assert [one.code for one in checked(f"{COMPLETE}output_schema: {written}")] == ["RUN203"]


# -- values against schemas people wrote ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "written", "expected"),
    [
        ({"city": "Oslo"}, {"type": "object", "required": ["city"]}, []),
        ({}, {"required": ["city"]}, ["missing key 'city'"]),
        (
            {"ctiy": 1},
            {"properties": {"city": {}}, "required": ["city"], "additionalProperties": False},
            ["unknown key 'ctiy' (did you mean 'city'?)"],
        ),
        ({"n": "x"}, {"properties": {"n": {"type": "integer"}}}, ["n: expected a whole number, found the text 'x'"]),
        ({"n": 5}, {"properties": {"n": {"exclusiveMaximum": 5}}}, ["n: must be less than 5, found 5"]),
        ({"n": 5}, {"properties": {"n": False}}, ["the number 5 is not allowed here"]),
        (
            [1, 1],
            {"uniqueItems": True, "maxItems": 1},
            ["holds the same item twice", "must have at most 1 item, found 2"],
        ),
        ({}, {"minProperties": 1}, ["must not be empty"]),
        ("x", {"pattern": "^a"}, ["'x' is not allowed: it must match ^a"]),
        (
            "x",
            {"oneOf": [{"minLength": 1}, {"maxLength": 1}]},
            ["the text 'x' fits more than one of the 2 alternatives"],
        ),
        (
            {"propertyNames": 3},
            {"properties": {"propertyNames": {"type": "null"}}},
            ["propertyNames: expected nothing, found the number 3"],
        ),
        ({"a b": 3}, {"propertyNames": {"pattern": "^a$"}}, ["'a b' is not allowed: it must match ^a$"]),
        (7, {"multipleOf": 2}, ["7 is not a multiple of 2"]),
        (7, {"not": {"type": "integer"}}, ["7 is not allowed: the schema excludes it"]),
        ("2024-13-99", {"format": "date"}, []),
        (
            "x",
            {"$ref": "https://example.org/s.json"},
            ["the JSON Schema cannot be used: its reference 'https://example.org/s.json' cannot be followed"],
        ),
        ([[[]]], {"$ref": "#"}, ["the JSON Schema cannot be used: it refers back to itself without end"]),
    ],
)
def test_problems_of_a_value_are_sentences(value: Json, written: JsonObject, expected: list[str]) -> None:
    assert problems(value, written) == expected


def test_problems_name_the_place_they_are_given() -> None:
    assert problems({"a": [1]}, {"properties": {"a": {"items": {"type": "string"}}}}, at=("inputs", "x y")) == [
        "inputs.'x y'.a[0]: expected text, found the number 1 (write \"1\", in quotes)"
    ]


@pytest.mark.parametrize("schema", [{"properties": {"\ud800": {}}}, {"$id": "\ud800"}, {"$anchor": "\ud800"}])
def test_half_a_surrogate_pair_is_no_reason_to_fail(schema: JsonObject) -> None:
    assert isinstance(check_authored(schema), tuple)
