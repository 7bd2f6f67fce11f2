"""Parameters and bodies become arguments, each sent to its own place."""

from typing import Any

import pytest

from tests.language.openapi.specs import codes, expanded, json_body, only_tool, operation, parameter, properties, spec
from tests.language.projects import Write

ID = {"type": "integer", "description": "Number in the shop."}


def test_an_operation_becomes_an_http_tool(project: Write) -> None:
    listing = operation(
        operationId="listOrders",
        summary="List orders",
        description="The newest first.",
        parameters=[
            parameter("shop", "path", ID, required=True),
            parameter("limit", "query", {"type": "integer", "maximum": 100}, description="How many."),
            parameter("X-Trace", "header"),
        ],
    )

    tool = only_tool(project, spec({"/shops/{shop}/orders": {"get": listing}}), name="acme")

    assert tool == {
        "name": "acme_listOrders",
        "type": "http",
        "method": "GET",
        "url": "https://api.example.com/v1/shops/{{ shop }}/orders",
        "description": "List orders.\nThe newest first.",
        "parameters": {
            "type": "object",
            "properties": {
                "shop": {"type": "integer", "description": "Number in the shop."},
                "limit": {"type": "integer", "maximum": 100, "description": "How many."},
                "X_Trace": {"type": "string"},
            },
            "required": ["shop"],
            "additionalProperties": False,
        },
        "query": {"limit": "{{ limit }}"},
        "headers": {"X-Trace": "{{ X_Trace }}"},
        "risk": "low",
    }


def test_the_same_name_in_path_and_body_is_two_arguments_each_sent_to_its_place(project: Write) -> None:
    # Field bug B110.
    body = json_body({"type": "object", "properties": {"id": {"type": "string"}, "name": {}}, "required": ["id"]})
    update = operation(parameters=[parameter("id", "path", ID, required=True)], requestBody=body)

    tool = only_tool(project, spec({"/users/{id}": {"put": update}}))

    assert tool["url"].endswith("/users/{{ id }}")
    assert tool["body"] == {"json": {"id": "{{ id_body }}", "name": "{{ name }}"}}
    assert properties(tool) == {"id": ID, "id_body": {"type": "string"}, "name": {}}
    assert tool["parameters"]["required"] == ["id", "id_body"]


def test_of_equal_names_the_order_of_places_decides_not_that_of_the_document(project: Write) -> None:
    update = operation(
        parameters=[parameter("id", "header"), parameter("id", "query"), parameter("id", "path", required=True)],
        requestBody=json_body({"properties": {"id": {}, "id_body": {}}}),
    )

    tool = only_tool(project, spec({"/users/{id}": {"post": update}}))

    assert list(properties(tool)) == ["id", "id_query", "id_header", "id_body", "id_body_body"]
    assert tool["query"] == {"id": "{{ id_query }}"}
    assert tool["headers"] == {"id": "{{ id_header }}"}
    assert tool["body"]["json"] == {"id": "{{ id_body }}", "id_body": "{{ id_body_body }}"}


@pytest.mark.parametrize(
    ("written", "argument"),
    [
        ("page[size]", "page_size"),
        ("filter.name", "filter_name"),
        ("2fa", "_2fa"),
        ("größe", "gr_e"),
        ("价格", "_"),
        ("not", "not_"),
        ("range", "range_"),
        ("ids[]", "ids"),
    ],
)
def test_a_name_that_templates_cannot_use_is_made_one(project: Write, written: str, argument: str) -> None:
    tool = only_tool(project, spec({"/a": {"get": operation(parameters=[parameter(written, "query")])}}))

    assert tool["query"] == {written: f"{{{{ {argument} }}}}"}
    assert list(properties(tool)) == [argument]


def test_parameters_of_a_path_hold_for_its_operations_which_may_replace_them(project: Write) -> None:
    shared = [parameter("id", "path", required=True), parameter("lang", "query", description="shared")]
    own = operation(parameters=[parameter("lang", "query", description="own", required=True)])

    tool = only_tool(project, spec({"/a/{id}": {"parameters": shared, "get": own}}))

    assert properties(tool)["lang"]["description"] == "own"
    assert tool["parameters"]["required"] == ["id", "lang"]


def test_a_parameter_of_the_path_is_always_required_declared_or_not(project: Write) -> None:
    reading = operation(parameters=[parameter("id", "path"), parameter("elsewhere", "path", required=True)])

    tool = only_tool(project, spec({"/a/{id}/{part}": {"get": reading}}))

    assert tool["parameters"]["required"] == ["id", "part"]
    assert "elsewhere" not in properties(tool)


ARRAY = {"type": "array", "items": {"type": "string"}}


@pytest.mark.parametrize(
    ("style", "sent"),
    [
        ({}, "{{ tags }}"),
        ({"style": "form", "explode": False}, {"value": "{{ tags }}", "style": "comma"}),
        ({"style": "spaceDelimited"}, {"value": "{{ tags }}", "style": "space"}),
        ({"style": "pipeDelimited", "explode": False}, {"value": "{{ tags }}", "style": "pipe"}),
        ({"style": "pipeDelimited", "explode": True}, "{{ tags }}"),
    ],
)
def test_the_style_of_a_list_is_kept(project: Write, style: dict[str, Any], sent: Any) -> None:
    reading = operation(parameters=[{**parameter("tags", "query", ARRAY), **style}])

    assert only_tool(project, spec({"/a": {"get": reading}}))["query"] == {"tags": sent}


def test_an_object_in_the_query_is_deep_or_spread(project: Write) -> None:
    schema = {"type": "object", "properties": {"min": {"type": "number"}, "max": {}}, "required": ["min"]}
    deep = parameter("price", "query", schema, style="deepObject", explode=True)
    spread = parameter("area", "query", {"$ref": "#/components/schemas/Area"}, required=True)
    document = spec({"/a": {"get": operation(parameters=[deep, spread])}}, components={"schemas": {"Area": {**schema}}})

    tool = only_tool(project, document)

    assert tool["query"] == {
        "price": {"value": "{{ price }}", "style": "deep"},
        "min": "{{ min }}",
        "max": "{{ max }}",
    }
    assert tool["parameters"]["required"] == ["min"]


def test_a_list_in_a_path_or_header_is_text_with_commas(project: Write) -> None:
    reading = operation(
        parameters=[
            parameter("ids", "path", ARRAY, required=True, description="Which."),
            parameter("X-Fields", "header", ARRAY),
        ]
    )

    found = properties(only_tool(project, spec({"/a/{ids}": {"get": reading}})))

    assert found["ids"] == {"type": "string", "description": "Which. (several values are separated by commas)"}
    assert found["X_Fields"]["type"] == "string"


def test_headers_that_the_standard_reserves_are_left_to_the_request(project: Write) -> None:
    reserved = [parameter(name, "header") for name in ("Accept", "content-type", "AUTHORIZATION")]

    tool = only_tool(project, spec({"/a": {"get": operation(parameters=reserved)}}))

    assert properties(tool) == {}
    assert "headers" not in tool


def test_what_the_declaration_sends_itself_is_no_argument(project: Write) -> None:
    reading = operation(
        parameters=[
            parameter("api_key", "query", required=True),
            parameter("X-Version", "header", required=True),
            parameter("q", "query"),
        ]
    )

    tool = only_tool(
        project,
        spec({"/a": {"get": reading}}),
        headers={"x-version": "2"},
        auth={"query": {"name": "api_key", "value": "${KEY}"}},
    )

    assert list(properties(tool)) == ["q"]
    assert tool["headers"] == {"x-version": "2"}
    assert tool["auth"] == {"query": {"name": "api_key", "value": "${KEY}"}}


def test_a_default_is_told_and_not_sent(project: Write) -> None:
    # The runner fills in declared defaults, and a PATCH would then reset what the model did not name.
    body = json_body({"properties": {"state": {"type": "string", "default": "open", "description": "Its state."}}})

    tool = only_tool(project, spec({"/a": {"patch": operation(requestBody=body)}}))

    assert properties(tool) == {"state": {"type": "string", "description": 'Its state.\nDefault: "open".'}}


def test_the_example_of_a_parameter_and_its_age_are_told(project: Write) -> None:
    old = parameter("q", "query", deprecated=True, example="blue", description="Search.")

    tool = only_tool(project, spec({"/a": {"get": operation(parameters=[old])}}))

    assert properties(tool)["q"] == {"type": "string", "description": "Deprecated. Search.", "examples": ["blue"]}


def test_a_parameter_with_content_is_json_as_text(project: Write) -> None:
    content = {
        "name": "filter",
        "in": "query",
        "description": "Which.",
        "content": {"application/json": {"schema": {}}},
    }

    tool = only_tool(project, spec({"/a": {"get": operation(parameters=[content])}}))

    assert properties(tool)["filter"] == {"type": "string", "description": "Which. (JSON, as text)"}


def test_the_keys_of_an_optional_body_are_arguments_too_and_those_it_needs_are_required(project: Write) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a"]}

    tool = only_tool(project, spec({"/a": {"post": operation(requestBody=json_body(schema, required=False))}}))

    assert tool["body"] == {"json": {"a": "{{ a }}", "b": "{{ b }}"}}
    assert tool["parameters"]["required"] == ["a"]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": {"type": "string"}},
        {"oneOf": [{"type": "string"}, {"type": "object"}]},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "object", "properties": {"a": {}}, "additionalProperties": True},
        {"type": "object", "properties": {"a": {}}, "additionalProperties": {}},
        {"type": "object", "properties": {"a": {}}, "anyOf": [{"required": ["a"]}]},
        {"allOf": [{"type": "object", "properties": {"a": {}}}, {"properties": {"a": {"type": "string"}}}]},
        {"type": "object"},
        {"type": "string"},
    ],
)
def test_a_body_that_is_no_plain_object_is_one_argument(project: Write, schema: dict[str, Any]) -> None:
    body = json_body(schema, required=True, description="What to store.")

    tool = only_tool(project, spec({"/a": {"post": operation(requestBody=body)}}))

    assert tool["body"] == {"json": "{{ body }}"}
    assert tool["parameters"]["required"] == ["body"]
    assert properties(tool)["body"]["description"] == "What to store."


def test_parts_of_an_object_are_put_together(project: Write) -> None:
    schemas = {
        "Base": {"type": "object", "properties": {"id": {"type": "string", "readOnly": True}, "kind": {}}},
        "New": {"allOf": [{"$ref": "#/components/schemas/Base"}, {"properties": {"name": {}}, "required": ["name"]}]},
    }
    ref = {"$ref": "#/components/schemas/New"}
    wanted = {"allOf": [ref, {"required": ["kind"]}], "description": "A thing."}

    tool = only_tool(
        project, spec({"/a": {"post": operation(requestBody=json_body(wanted))}}, components={"schemas": schemas})
    )

    assert tool["body"] == {"json": {"kind": "{{ kind }}", "name": "{{ name }}"}}
    assert sorted(tool["parameters"]["required"]) == ["kind", "name"]


def test_an_object_whose_parts_double_at_every_level_does_not_hang(project: Write) -> None:
    ref = "#/components/schemas/P"
    schemas = {f"P{level}": {"allOf": [{"$ref": f"{ref}{level + 1}"}] * 2} for level in range(60)}
    document = spec(
        {"/a": {"post": operation(requestBody=json_body({"$ref": f"{ref}0"}))}},
        components={"schemas": {**schemas, "P60": {"properties": {"a": {}}}}},
    )

    assert only_tool(project, document)["body"] == {"json": "{{ body }}"}


@pytest.mark.parametrize("times", [1, 5])
def test_an_object_that_is_a_part_of_itself_does_not_hang(project: Write, times: int) -> None:
    loop = {"allOf": [{"$ref": "#/components/schemas/Loop"}] * times, "properties": {"a": {}}}
    body = json_body({"$ref": "#/components/schemas/Loop"})

    tool = only_tool(
        project, spec({"/a": {"post": operation(requestBody=body)}}, components={"schemas": {"Loop": loop}})
    )

    assert tool["body"] == {"json": "{{ body }}"}


def test_a_form_is_sent_as_one(project: Write) -> None:
    fields = {"To": {"type": "string"}, "Tags": ARRAY, "Meta": {"type": "object", "description": "More."}}
    content = {"application/x-www-form-urlencoded": {"schema": {"properties": fields, "required": ["To"]}}}

    tool = only_tool(project, spec({"/a": {"post": operation(requestBody={"content": content})}}))

    assert tool["body"] == {"form": {"To": "{{ To }}", "Tags": "{{ Tags }}", "Meta": "{{ Meta }}"}}
    assert properties(tool)["Meta"] == {"type": "string", "description": "More. (a JSON object, as text)"}
    assert tool["parameters"]["required"] == ["To"]


def test_text_is_sent_as_text_with_its_kind(project: Write) -> None:
    content = {"text/markdown": {"schema": {"type": "string"}}}

    tool = only_tool(project, spec({"/a": {"post": operation(requestBody={"content": content, "required": True})}}))

    assert (tool["body"], tool["headers"]) == ({"text": "{{ body }}"}, {"Content-Type": "text/markdown"})
    assert tool["parameters"]["required"] == ["body"]


def test_json_is_taken_before_a_form_and_other_json_is_named_in_the_header(project: Write) -> None:
    form: dict[str, Any] = {"application/x-www-form-urlencoded": {"schema": {"properties": {"a": {}}}}}
    patch: dict[str, Any] = {"application/merge-patch+json; charset=utf-8": {"schema": {"properties": {"a": {}}}}}

    tool = only_tool(project, spec({"/a": {"patch": operation(requestBody={"content": {**form, **patch}})}}))

    assert tool["body"] == {"json": {"a": "{{ a }}"}}
    assert tool["headers"] == {"Content-Type": "application/merge-patch+json"}


def test_a_get_has_no_body_whatever_the_document_says(project: Write) -> None:
    body = json_body({"properties": {"a": {}}}, required=True)

    assert "body" not in only_tool(project, spec({"/a": {"get": operation(requestBody=body)}}))


FILE: dict[str, Any] = {"content": {"multipart/form-data": {"schema": {}}}}


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ({"requestBody": {**FILE, "required": True}}, "it needs a body of multipart/form-data"),
        ({"parameters": [parameter("sid", "cookie", required=True)]}, "it needs the cookie 'sid'"),
        ({"parameters": [parameter("id", "path", style="matrix")]}, "its path parameter 'id' has the style 'matrix'"),
        ({"parameters": [parameter("id", "path", {"type": "object"})]}, "its path parameter 'id' is an object"),
        ({"parameters": [parameter("a b", "header")]}, "'a b' is no name of a header"),
        (
            {"parameters": [parameter("o", "query", {"type": "object"}, required=True)]},
            "its query parameter 'o' is an object in a style that cannot be written",
        ),
    ],
)
def test_what_cannot_be_sent_is_an_error_if_named_and_left_out_if_matched(
    project: Write, broken: dict[str, Any], reason: str
) -> None:
    good = operation(operationId="good")
    document = spec({"/a/{id}": {"post": operation(**broken)}, "/b": {"get": good}})

    by_name = expanded(project, document, operations=["op", "good"])
    by_pattern = expanded(project, document, operations=["*"])

    assert [tool["name"] for tool in by_name.tools] == [tool["name"] for tool in by_pattern.tools] == ["good"]
    assert [each.message for each in by_name.diagnostics] == [f"operation 'op' cannot be a tool: {reason}"]
    assert [each.message for each in by_pattern.diagnostics] == [f"1 of 2 operations are left out: op: {reason}"]
    assert (by_name.diagnostics[0].severity, by_pattern.diagnostics[0].severity) == ("error", "warning")
    assert (codes(by_name), codes(by_pattern)) == (["RUN526"], ["RUN529"])


def test_an_optional_body_that_cannot_be_sent_is_told(project: Write) -> None:
    tool = only_tool(project, spec({"/a": {"post": operation(summary="Upload", requestBody=FILE)}}))

    assert "body" not in tool
    assert tool["description"] == "Upload.\nIts body (multipart/form-data) cannot be sent."


def test_an_optional_cookie_is_left_out(project: Write) -> None:
    assert properties(only_tool(project, spec({"/a": {"get": operation(parameters=[parameter("s", "cookie")])}}))) == {}
