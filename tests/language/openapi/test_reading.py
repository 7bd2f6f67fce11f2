"""The file of an OpenAPI document is found, read once, and understood; or its mistake is shown where it is."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.language.openapi.reading import SpecError, SpecFiles, SpecTextError, looks_like_openapi, parse_spec
from runner.language.validation import validate_paths
from tests.language.openapi.specs import (
    codes,
    expanded,
    expansion_of,
    json_body,
    only_tool,
    operation,
    properties,
    spec,
)
from tests.language.projects import Write

GOOD = spec({"/a": {"get": operation()}})
YAML = """
openapi: 3.0.3
info: {title: Shop, version: 1.0}
servers: [{url: https://api.example.com}]
paths:
  /a:
    get:
      operationId: listThings
      parameters:
        - {name: since, in: query, schema: {type: string, example: 2024-01-01}}
      responses:
        200: {description: "Fine: yes"}
"""


def test_json_and_yaml_are_read_alike(project: Write) -> None:
    project({"tools.d/api.yaml": YAML})

    (tool,) = expanded(project, "", spec="api.yaml").tools

    assert tool["name"] == "listThings"
    assert properties(tool)["since"]["examples"] == ["2024-01-01"]


def test_a_byte_order_mark_is_passed_over(project: Write) -> None:
    assert len(expanded(project, "\ufeff" + json.dumps(GOOD)).tools) == 1


def test_a_repeated_key_in_somebody_elses_document_is_no_reason_to_refuse_it(project: Write) -> None:
    project({"tools.d/api.yaml": YAML + "x-a: 1\nx-a: 2\n"})

    assert codes(expanded(project, "", spec="api.yaml")) == []


def test_a_file_that_is_missing_is_told_with_the_one_that_was_meant(project: Write) -> None:
    project({"tools.d/shop-api.json": "{}"})

    (problem,) = expanded(project, "{}", spec="./shop_api.json").diagnostics

    assert problem.code == "RUN521"
    assert problem.message.startswith("cannot read the OpenAPI document: no such file or directory (looked for /")
    assert problem.suggestion == "did you mean 'shop-api.json'?"
    assert str(problem.location).startswith("tools.d/shop.yaml:1:")


@pytest.mark.parametrize("name", ["../../outside.json", "/etc/hostname", "sub", "pipe", "nul\0"])
def test_only_regular_files_of_the_project_are_read(project: Write, name: str) -> None:
    root = project({"tools.d/sub/x": ""})
    os.mkfifo(root / "tools.d" / "pipe")
    (root.parent / "outside.json").write_text(json.dumps(GOOD))

    assert codes(expanded(project, "{}", spec=name)) == ["RUN521"]


def test_a_link_that_leads_out_of_the_project_is_not_followed(project: Write) -> None:
    root = project({"tools.d/x": ""})
    (root.parent / "outside.json").write_text(json.dumps(GOOD))
    (root / "tools.d" / "link.json").symlink_to(root.parent / "outside.json")

    (problem,) = expanded(project, "{}", spec="link.json").diagnostics

    assert "lies outside of the project" in problem.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"swagger": "2.0", "paths": {}}', "tools.d/api.json is Swagger 2.0, expected OpenAPI 3.0 or 3.1"),
        ('{"openapi": "2.5", "paths": {}}', "tools.d/api.json is OpenAPI 2.5, expected 3.0 or 3.1"),
        ('{"openapi": "4.0.0", "paths": {}}', "tools.d/api.json is OpenAPI 4.0.0, expected 3.0 or 3.1"),
        ('{"kind": "toolset"}', "tools.d/api.json is no OpenAPI document: it has no 'openapi: 3.…'"),
        ('{"openapi": "3.1.0"}', "tools.d/api.json has no 'paths', so there are no operations in it"),
    ],
)
def test_what_is_not_openapi_3_is_refused(project: Write, text: str, message: str) -> None:
    (problem,) = expanded(project, text).diagnostics

    assert (problem.code, problem.message) == ("RUN522", message)
    assert ("convert it" in (problem.suggestion or "")) == ("swagger" in text)


def test_a_mistake_in_the_text_is_shown_in_the_document(project: Write) -> None:
    (problem,) = expanded(project, '{"openapi": "3.1.0",\n "paths": {"/a": [}}').diagnostics

    assert problem.code == "RUN107"
    assert str(problem.location).startswith("tools.d/api.json:2:")


def test_a_document_that_is_too_large_is_refused(project: Write) -> None:
    (problem,) = expanded(project, json.dumps({**GOOD, "x": "x" * 20_000_000})).diagnostics

    assert (problem.code, problem.message) == ("RUN521", "tools.d/api.json is larger than 20 MB")


def test_json_may_be_larger_than_a_document_of_ours(project: Write) -> None:
    assert len(expanded(project, json.dumps({**GOOD, "x": "x" * 12_000_000})).tools) == 1


def test_yaml_may_be_as_large_as_a_document_of_ours(project: Write) -> None:
    project({"tools.d/api.yaml": f"{YAML}x-long: {'x' * 10_000_000}\n"})

    (problem,) = expanded(project, "", spec="api.yaml").diagnostics

    assert problem.code == "RUN103"


def test_a_document_is_read_once_until_it_changes(project: Write) -> None:
    root = project({"api.json": json.dumps(GOOD)})
    files = SpecFiles()

    first = files.read(root / "api.json", root)
    again = files.read(root / "." / "api.json", root)
    (root / "api.json").write_text(json.dumps(spec({})))
    changed = files.read(root / "api.json", root)

    assert first is again
    assert changed.data["paths"] == {}


def test_a_reference_into_another_file_is_followed(project: Write) -> None:
    project(
        {
            "tools.d/schemas/order.yaml": "Order: {properties: {item: {$ref: 'item.yaml'}}}\n",
            "tools.d/schemas/item.yaml": "{type: string, maxLength: 9}\n",
        }
    )
    body = json_body({"$ref": "schemas/order.yaml#/Order"})

    tool = only_tool(project, spec({"/a": {"post": operation(requestBody=body)}}))

    assert properties(tool) == {"item": {"type": "string", "maxLength": 9}}


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("#/components/schemas/Ordr", "'#/components/schemas/Ordr' finds nothing: there is no 'Ordr'"),
        ("#Order", "cannot follow '#Order': expected a place like #/components/schemas/Name"),
        ("https://example.com/a.json#/x", "'https://example.com/a.json' is not fetched; save it beside this file"),
        ("../../../x.yaml#/x", "lies outside of the project"),
        ("gone.yaml", "cannot read the OpenAPI document"),
    ],
)
def test_a_reference_that_cannot_be_followed_is_shown_where_it_stands(
    project: Write, reference: str, message: str
) -> None:
    document = spec(
        {"/a": {"post": operation(requestBody=json_body({"$ref": reference}))}}, components={"schemas": {"Order": {}}}
    )

    expansion = expanded(project, json.dumps(document, indent=1))

    (problem,) = expansion.diagnostics
    assert problem.code == "RUN523"
    assert message in problem.message
    assert problem.location.file == "tools.d/api.json"
    assert f'"$ref": "{reference}"' in (problem.source or "")
    assert (problem.suggestion == "did you mean 'Order'?") == ("Ordr" in reference)
    assert expansion.tools == ()


def test_references_of_parameters_bodies_and_paths_are_followed(project: Write) -> None:
    components = {
        "parameters": {"Id": {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}},
        "requestBodies": {"New": json_body({"properties": {"a~b/c": {}}})},
        "pathItems": {
            "Item": {
                "post": operation(
                    parameters=[{"$ref": "#/components/parameters/Id"}],
                    requestBody={"$ref": "#/components/requestBodies/New"},
                )
            }
        },
    }

    tool = only_tool(project, spec({"/a/{id}": {"$ref": "#/components/pathItems/Item"}}, components=components))

    assert properties(tool) == {"id": {"type": "integer"}, "a_b_c": {}}


def test_special_characters_of_a_reference_are_read_as_json_pointer_has_them(project: Write) -> None:
    body = json_body({"$ref": "#/paths/~1a%20~0b/x-schema"})
    paths = {"/a ~b": {"x-schema": {"properties": {"c": {}}}, "post": operation(requestBody=body)}}

    assert list(properties(only_tool(project, spec(paths)))) == ["c"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("openapi: 3.1.0\n", True),
        ("# note\ninfo: {}\n'openapi': 3.1.0\n", True),
        ('{"openapi": "3.0.0"}', True),
        ("swagger: '2.0'\n", True),
        ("components:\n  schemas: {}\nopenapi: 3.0.1\n", True),
        ("kind: toolset\ntools:\n  - type: openapi\n    spec: openapi.yaml\n", False),
        ("name: a\ninputs:\n  info: {type: string}\n", False),
        ("", False),
    ],
)
def test_an_openapi_document_is_told_from_ours(tmp_path: Path, text: str, *, expected: bool) -> None:
    (tmp_path / "a.yaml").write_text(text)

    assert looks_like_openapi(tmp_path / "a.yaml") is expected


def test_a_document_beside_the_toolsets_is_not_taken_for_one(project: Write) -> None:
    project(
        {
            "agents.d/a.yaml": "name: a\nmodel: openai/x\nprompt: hi\ntools: [listThings]\n",
            "tools.d/shop.yaml": "kind: toolset\ntools: [{type: openapi, spec: api.yaml}]\n",
            "tools.d/api.yaml": YAML,
        }
    )

    report = validate_paths([])

    assert report.diagnostics == ()
    assert report.files == 2


def test_a_document_beside_the_agents_is_not_taken_for_one(project: Write) -> None:
    tools = "tools: [{type: openapi, spec: api.yaml}]\n"
    project({"agents.d/a.yaml": f"name: a\nmodel: openai/x\nprompt: hi\n{tools}", "agents.d/api.yaml": YAML})

    report = validate_paths([])

    assert report.diagnostics == ()
    assert report.files == 1


@given(text=st.text() | st.binary().map(lambda data: data.decode("latin-1")))
def test_any_text_is_a_document_or_a_problem(text: str) -> None:
    try:
        found = parse_spec(text.encode("utf-8", "surrogatepass"), Path("/api.yaml"))
    except SpecTextError as error:
        assert error.problems  # noqa: PT017 - most texts end here
    except SpecError as error:
        assert error.message  # noqa: PT017 - as above
    else:
        assert isinstance(found.data, dict)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", "query", "a", "#/paths", "{a}"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                [
                    *(
                        "get",
                        "post",
                        "parameters",
                        "in",
                        "name",
                        "schema",
                        "content",
                        "requestBody",
                        "$ref",
                        "operationId",
                    ),
                    *(
                        "application/json",
                        "properties",
                        "required",
                        "type",
                        "allOf",
                        "servers",
                        "url",
                        "security",
                        "style",
                    ),
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(
    paths=st.dictionaries(st.sampled_from(["/a", "/a/{a}", "/{", "x", "//"]), VALUES), servers=VALUES, security=VALUES
)
def test_any_document_gives_tools_or_problems(
    tmp_path_factory: pytest.TempPathFactory, paths: object, servers: object, security: object
) -> None:
    root = tmp_path_factory.getbasetemp() / "any"
    (root / "tools.d").mkdir(parents=True, exist_ok=True)
    (root / "tools.d" / "shop.yaml").write_text("kind: toolset\ntools: [{type: openapi, spec: api.json}]\n")
    document = {"openapi": "3.1.0", "paths": paths, "servers": servers, "security": security, "components": servers}
    (root / "tools.d" / "api.json").write_text(json.dumps(document))

    assert all(tool["type"] == "http" for tool in expansion_of(root).tools)


@pytest.mark.parametrize("step", ["1" * 5000, "\u0661", "-1", "1e3", "99"])
def test_a_step_that_is_no_place_of_a_list_finds_nothing(project: Write, step: str) -> None:
    document = spec({"/x": {"post": operation(requestBody=json_body({"$ref": f"#/x/{step}"}))}}, x=[1])

    assert codes(expanded(project, document)) == ["RUN523"]


def test_no_file_of_our_own_is_suggested_for_a_missing_document(project: Write) -> None:
    project({"tools.d/runner.yaml": "version: '1'\n", "tools.d/apis.yaml": "kind: toolset\ntools: []\n"})

    for name in ("runners.yaml", "runer.json", "api.yaml", "apis.yml"):
        (problem,) = expanded(project, GOOD, spec=name).diagnostics
        assert problem.suggestion in (None, "did you mean 'api.json'?"), name
    missing = spec({"/a": {"post": operation(requestBody=json_body({"$ref": "./runer.yaml#/a"}))}})
    assert expanded(project, missing).diagnostics[0].suggestion is None


def test_a_document_from_the_web_is_named_by_its_address() -> None:
    address = "http://127.0.0.1:8000/openapi.yaml"

    assert parse_spec(YAML.encode(), Path(address), display=address).file == address
    with pytest.raises(SpecTextError) as caught:
        parse_spec(b"a: [", Path(address), display=address)
    assert caught.value.problems[0].location.file == address
