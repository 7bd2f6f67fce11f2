"""Keys go to the server that they are for, and to no other that a document names."""

import json
from typing import Any

import pytest

from runner.language.compiler import compile_agent
from runner.language.openapi.servers import is_same_origin
from runner.language.validation import validate_paths
from runner.spec import JsonObject
from runner.tools.http import open_http_tool
from tests.language.openapi.specs import SERVER, codes, expanded, only_tool, operation, parameter, spec
from tests.language.projects import Write

EVIL = [{"url": "https://evil.example"}]
KEYS: dict[str, Any] = {"auth": {"bearer": "${TOKEN}"}, "headers": {"X-Key": "${KEY}"}}


def paths(**more: Any) -> JsonObject:
    return {"/a": {"get": operation(operationId="own")}, "/b": {"get": operation(operationId="other", **more)}}


def sent(write: Write, document: JsonObject, **declaration: Any) -> dict[str, list[str]]:
    """The name of each tool with what it sends of `auth` and `headers`."""
    tools = expanded(write, document, **declaration).tools
    return {tool["name"]: [key for key in ("auth", "headers") if key in tool] for tool in tools}


@pytest.mark.parametrize(
    "url", ["https://evil.example", "http://api.example.com/v1", "https://api.example.com:8443/v1"]
)
def test_an_operation_at_another_origin_gets_neither_auth_nor_headers(project: Write, url: str) -> None:
    document = spec(paths(servers=[{"url": url}]))

    assert sent(project, document, **KEYS) == {"own": ["auth", "headers"], "other": []}
    (warning,) = expanded(project, document, **KEYS).diagnostics
    assert (warning.code, warning.severity) == ("RUN530", "warning")
    assert warning.message == (
        f"other: auth and headers not sent, this is another server than the document's own ({url})"
    )
    assert warning.suggestion is not None
    assert f"server: {url}" in warning.suggestion


def test_the_server_of_a_path_is_another_too(project: Write) -> None:
    document = spec({"/a": {"servers": EVIL, "get": operation()}, "/b": {"get": operation(operationId="own")}})

    assert sent(project, document, **KEYS) == {"op": [], "own": ["auth", "headers"]}


@pytest.mark.parametrize("url", ["https://API.example.com:443/v2", "https://api.example.com./other"])
def test_another_path_of_the_same_origin_gets_them(project: Write, url: str) -> None:
    document = spec(paths(servers=[{"url": url}]))

    assert sent(project, document, **KEYS) == {"own": ["auth", "headers"], "other": ["auth", "headers"]}
    assert expanded(project, document, **KEYS).diagnostics == ()


@pytest.mark.parametrize("server", ["https://mine.example/", "${SERVER}"])
def test_a_declared_server_gets_everything_whatever_the_document_names(project: Write, server: str) -> None:
    expansion = expanded(project, spec(paths(servers=EVIL)), server=server, **KEYS)

    assert expansion.diagnostics == ()
    assert all(tool["url"].startswith(server.rstrip("/")) and tool["auth"] for tool in expansion.tools)


@pytest.mark.parametrize("servers", [None, [], [{"url": "/v1"}], [{"url": "https://{nowhere}/"}]])
def test_without_a_main_server_nobody_gets_them(project: Write, servers: Any) -> None:
    document = {**spec({"/a": {"get": operation(servers=EVIL)}}), "servers": servers}

    assert sent(project, {key: value for key, value in document.items() if value is not None}, **KEYS) == {"op": []}
    assert codes(expanded(project, document, **KEYS)) == ["RUN530"]


def test_without_keys_another_server_is_no_problem(project: Write) -> None:
    assert only_tool(project, spec({"/a": {"get": operation(servers=EVIL)}}))["url"] == "https://evil.example/a"


def test_an_operation_that_needs_no_key_gets_none(project: Write) -> None:
    document = spec(paths(security=[]), security=[{"token": []}])

    assert sent(project, document, **KEYS) == {"own": ["auth", "headers"], "other": ["headers"]}
    assert sent(project, spec(paths(security=[{}])), **KEYS)["other"] == ["auth", "headers"]


def test_what_is_not_sent_is_an_argument_if_the_document_says_so(project: Write) -> None:
    at_evil = operation(servers=EVIL, parameters=[parameter("X-Key", "header")])
    (tool,) = expanded(project, spec({"/a": {"get": at_evil}}), **KEYS).tools

    assert tool["headers"] == {"X-Key": "{{ X_Key }}"}


def test_the_request_itself_holds_no_key(project: Write) -> None:
    document = spec({"/a": {"get": operation(servers=EVIL)}})
    agent = {
        "name": "a",
        "model": "openai/x",
        "prompt": "x",
        "tools": [{"type": "openapi", "spec": "api.json", **KEYS}],
    }
    root = project({"agent.yaml": json.dumps(agent), "api.json": json.dumps(document)})
    compiled = compile_agent(root / "agent.yaml")
    assert compiled.spec is not None, compiled.diagnostics
    environ = {"TOKEN": "secret-token", "KEY": "secret-key"}
    tool = open_http_tool(compiled.spec.tools[0], compiled.spec.project, max_result_chars=100, environ=environ)

    request = tool.prepare({})

    assert request.url == "https://evil.example/a"
    assert "secret" not in repr(request)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (SERVER, SERVER, True),
        ("https://a.example", "https://a.example:443/x", True),
        ("https://a.example", "http://a.example", False),
        ("https://a.example", "https://a.example.evil.example", False),
        ("https://a.example", "https://a.example@evil.example", False),
        ("https://x@a.example", "https://a.example", False),
        ("https://a.example:99999", "https://a.example", False),
        ("https://[::1", "https://a.example", False),
        ("https://a.example", None, False),
    ],
)
def test_an_origin_is_scheme_host_and_port(first: str, second: str | None, same: bool) -> None:
    assert is_same_origin(first, second) is same


@pytest.mark.parametrize(
    ("method", "risk"),
    [("get", "low"), ("options", "low"), ("post", "medium"), ("patch", "medium"), ("delete", "high")],
)
def test_the_risk_is_that_of_the_method_unless_it_is_declared(project: Write, method: str, risk: str) -> None:
    document = spec({"/a": {method: operation()}})

    assert only_tool(project, document)["risk"] == risk
    assert only_tool(project, document, risk="medium")["risk"] == "medium"


@pytest.mark.parametrize(
    "url", ["http://169.254.169.254/latest", "http://metadata.google.internal", "http://0xA9FEA9FE/"]
)
def test_the_server_of_a_document_may_be_no_metadata_address(project: Write, url: str) -> None:
    toolset = "kind: toolset\ntools:\n  - {type: openapi, spec: api.json}\n"
    document = {**spec(paths()), "servers": [{"url": url}]}
    root = project({"tools.d/t.yaml": toolset, "tools.d/api.json": json.dumps(document)})

    problems = [each for each in validate_paths([root]).diagnostics if each.code == "RUN516"]

    (problem,) = problems
    assert problem.message.startswith("the server that the document names: ")
    assert "metadata address" in problem.message
