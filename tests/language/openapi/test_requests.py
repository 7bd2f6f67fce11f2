"""The tools of a document send what the document says: from the declaration to the exact request."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.language.compiler import compile_agent
from runner.language.openapi.arguments import Argument, named
from runner.tools.http import HttpTool, UnpreparedError, open_http_tool
from tests.language.openapi.specs import SERVER, json_body, operation, parameter, spec
from tests.language.projects import Write

AGENT = {
    "name": "a",
    "model": "openai/x",
    "prompt": "hi",
    "tools": [{"type": "openapi", "spec": "api.json", "auth": {"bearer": "${TOKEN}"}}],
}


def tool_of(project: Write, document: dict[str, Any]) -> HttpTool:
    """The one tool of an agent with this document, opened as a run opens it."""
    root = project({"agent.yaml": json.dumps(AGENT), "api.json": json.dumps(document)})
    compiled = compile_agent(root / "agent.yaml")
    assert compiled.spec is not None, compiled.diagnostics
    (tool,) = compiled.spec.tools
    return open_http_tool(tool, compiled.spec.project, max_result_chars=100, environ={"TOKEN": "secret-token"})


def test_the_same_name_in_path_query_header_and_body_goes_to_each_place(project: Write) -> None:
    # Field bug B110.
    body = json_body({"type": "object", "properties": {"id": {"type": "string"}, "name": {"type": "string"}}})
    places = [parameter("id", place, {"type": "integer"}) for place in ("header", "query", "path")]
    tool = tool_of(project, spec({"/users/{id}": {"put": operation(parameters=places, requestBody=body)}}))

    request = tool.prepare({"id": 1, "id_query": 2, "id_header": 3, "id_body": "4", "name": "Ann"})

    assert (request.method, request.url) == ("PUT", f"{SERVER}/users/1?id=2")
    assert ("id", "3") in request.headers
    assert ("Authorization", "Bearer secret-token") in request.headers
    assert json.loads(request.body or b"") == {"id": "4", "name": "Ann"}


def test_what_is_not_given_is_not_sent(project: Write) -> None:
    body = json_body({"properties": {"state": {"type": "string", "default": "open"}, "title": {"type": "string"}}})
    query = [parameter("notify", "query", {"type": "boolean", "default": True})]
    tool = tool_of(project, spec({"/a": {"patch": operation(parameters=query, requestBody=body)}}))

    request = tool.prepare({"title": "New"})

    assert request.url == f"{SERVER}/a"
    assert json.loads(request.body or b"") == {"title": "New"}


@pytest.mark.parametrize(
    ("style", "sent"),
    [
        ({}, "tags=a&tags=b+c"),
        ({"explode": False}, "tags=a,b+c"),
        ({"style": "spaceDelimited"}, "tags=a%20b+c"),
        ({"style": "pipeDelimited"}, "tags=a%7Cb+c"),
    ],
)
def test_lists_are_written_in_the_style_of_the_document(project: Write, style: dict[str, Any], sent: str) -> None:
    tags = parameter("tags", "query", {"type": "array", "items": {"type": "string"}}, **style)
    tool = tool_of(project, spec({"/a": {"get": operation(parameters=[tags])}}))

    assert tool.prepare({"tags": ["a", "b c"]}).url == f"{SERVER}/a?{sent}"


def test_an_object_is_written_deep(project: Write) -> None:
    price = parameter("price", "query", {"type": "object"}, style="deepObject")
    tool = tool_of(project, spec({"/a": {"get": operation(parameters=[price])}}))

    assert tool.prepare({"price": {"min": 1, "max": 2}}).url == f"{SERVER}/a?price[min]=1&price[max]=2"


def test_a_whole_body_keeps_its_type(project: Write) -> None:
    body = json_body({"type": "array", "items": {"type": "integer"}}, required=True)
    tool = tool_of(project, spec({"/a": {"post": operation(requestBody=body)}}))

    assert tool.prepare({"body": [1, 2]}).body == b"[1,2]"
    with pytest.raises(UnpreparedError, match="body"):
        tool.prepare({})


def test_a_form_and_text_are_sent_as_such(project: Write) -> None:
    form = {"application/x-www-form-urlencoded": {"schema": {"properties": {"To": {"type": "string"}}}}}
    by_form = tool_of(project, spec({"/a": {"post": operation(requestBody={"content": form})}}))
    by_text = tool_of(project, spec({"/a": {"post": operation(requestBody={"content": {"text/markdown": {}}})}}))

    assert by_form.prepare({"To": "a b&c"}).body == b"To=a+b%26c"
    assert ("Content-Type", "text/markdown") in by_text.prepare({"body": "# Hi"}).headers
    assert by_text.prepare({"body": "# Hi"}).body == b"# Hi"


def test_odd_names_reach_the_server_as_they_are(project: Write) -> None:
    odd = ["page[size]", "not", "range", "X-1", "${HOME}"]
    tool = tool_of(project, spec({"/a": {"get": operation(parameters=[parameter(name, "query") for name in odd])}}))
    arguments = list(tool.definition.parameters["properties"])

    assert arguments == ["page_size", "not_", "range_", "X_1", "HOME"]
    assert tool.prepare(dict.fromkeys(arguments, "1")).url.endswith("?page[size]=1&not=1&range=1&X-1=1&%24%7BHOME%7D=1")
    assert tool.prepare({}).url == f"{SERVER}/a"


@given(
    st.lists(
        st.builds(
            Argument,
            place=st.sampled_from(["path", "query", "header", "body"]),
            key=st.sampled_from(["id", "id_body", "id_query", "ID", "i d", "in", "1", "", "日", None])
            | st.text(max_size=5),
            schema=st.just({}),
        ),
        max_size=12,
    )
)
def test_every_argument_has_a_name_of_its_own_that_templates_can_use(arguments: list[Argument]) -> None:
    result = named(arguments)

    names = [each.name for each in result]
    assert len(set(names)) == len(names) == len(arguments)
    assert all(name.isascii() and name.isidentifier() for name in names)
    assert sorted((each.place, each.key or "") for each in result) == sorted(
        (each.place, each.key or "") for each in arguments
    )
