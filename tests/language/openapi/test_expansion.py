"""A declaration stands for the operations it selects, under names of its own, at an address it can be told."""

import json
from pathlib import Path
from typing import Any

import pytest

from runner.language.compiler import compile_agent
from runner.language.document import parse_document
from runner.language.listing import list_project
from runner.language.openapi.naming import tool_name
from runner.language.schema import check
from runner.language.validation import validate_paths
from tests.language.openapi.specs import SERVER, codes, expanded, json_body, only_tool, operation, parameter, spec
from tests.language.projects import Write

MANY = spec(
    {
        "/issues": {
            "get": operation(operationId="listIssues"),
            "post": operation(operationId="createIssue"),
            "trace": operation(operationId="traceIssue"),
        },
        "/issues/{id}": {"get": operation(operationId="getIssue"), "delete": {"responses": {}}},
        "x-paths": {"get": operation(operationId="hidden")},
    }
)


def names(write: Write, **declaration: Any) -> list[str]:
    return [tool["name"] for tool in expanded(write, MANY, **declaration).tools]


def test_without_a_selection_all_operations_are_tools(project: Write) -> None:
    assert names(project) == ["listIssues", "createIssue", "getIssue", "delete_issues_id"]


@pytest.mark.parametrize(
    ("operations", "chosen"),
    [
        (["listIssues"], ["listIssues"]),
        (["*Issue"], ["createIssue", "getIssue"]),
        (["get*", "delete_issues_id"], ["getIssue", "delete_issues_id"]),
        (["getIssue", "get*"], ["getIssue"]),
        (["*s*"], ["listIssues", "createIssue", "getIssue", "delete_issues_id"]),
    ],
)
def test_operations_are_chosen_by_id_and_pattern(project: Write, operations: list[str], chosen: list[str]) -> None:
    assert sorted(names(project, operations=operations)) == sorted(chosen)


def test_a_selection_that_matches_nothing_is_told_with_what_was_meant(project: Write) -> None:
    expansion = expanded(project, MANY, operations=["listIssue", "zap*", "getIssue"])

    assert [(each.message, each.suggestion) for each in expansion.diagnostics] == [
        ("there is no operation 'listIssue' in tools.d/api.json", "did you mean 'listIssues'?"),
        ("no operation matches 'zap*' in tools.d/api.json", "it has listIssues, createIssue, getIssue and 1 more"),
    ]
    assert [tool["name"] for tool in expansion.tools] == ["getIssue"]


@pytest.mark.parametrize(
    ("operation_id", "prefix", "name"),
    [
        ("list", None, "list"),
        ("list", "git_hub", "git_hub_list"),
        ("issues/list-for.repo", None, "issues_list-for_repo"),
        ("2fa", None, "_2fa"),
        ("ähnlich", None, "_hnlich"),
        ("x" * 64, None, "x" * 64),
    ],
)
def test_the_name_of_a_tool_is_made_legal(operation_id: str, prefix: str | None, name: str) -> None:
    assert tool_name(operation_id, prefix) == name


def test_a_long_name_is_cut_and_stays_its_own() -> None:
    first, second = tool_name("x" * 80 + "a", None), tool_name("x" * 80 + "b", None)

    assert (len(first), len(second)) == (64, 64)
    assert first != second
    assert first == tool_name("x" * 80 + "a", None)
    assert first.startswith("x" * 55 + "_")


def test_two_operations_with_one_name_are_an_error(project: Write) -> None:
    paths = {"/a": {"get": operation(operationId="a.b")}, "/b": {"get": operation(operationId="a/b")}}

    expansion = expanded(project, spec(paths))

    assert codes(expansion) == ["RUN527"]
    assert expansion.diagnostics[0].message == "two operations would both be the tool 'a_b': GET /a and GET /b"
    assert [tool["url"] for tool in expansion.tools] == [f"{SERVER}/a"]


def test_what_the_declaration_says_holds_for_all_of_its_tools(project: Write) -> None:
    shared = {
        "auth": {"bearer": "${TOKEN}"},
        "headers": {"Accept": "application/json"},
        "response": {"select": "items", "max_bytes": "2MB"},
        "timeout": "10s",
        "retries": 2,
        "risk": "high",
        "idempotent": True,
        "return_direct": True,
    }

    for tool in expanded(project, MANY, **shared).tools:
        assert {key: tool[key] for key in shared} == shared


@pytest.mark.parametrize(
    ("own", "text"),
    [
        ({"summary": "List", "description": "All of them."}, "List.\nAll of them."),
        ({"summary": "List all"}, "List all."),
        ({"summary": "Really?"}, "Really?"),
        ({"summary": "List", "description": "List all of them."}, "List all of them."),
        ({"summary": "List", "deprecated": True}, "Deprecated. List."),
        ({}, "GET /a"),
    ],
)
def test_the_description_is_what_the_document_says(project: Write, own: dict[str, Any], text: str) -> None:
    assert only_tool(project, spec({"/a": {"get": operation(**own)}}))["description"] == text


def test_a_long_description_is_cut_between_words(project: Write) -> None:
    tool = only_tool(project, spec({"/a": {"get": operation(description="word " * 500)}}))

    assert len(tool["description"]) <= 1_002
    assert tool["description"].endswith("word …")


OWN = [{"url": "https://own.example.com"}]
PATHS = [{"url": "https://path.example.com/"}]


@pytest.mark.parametrize(
    ("more", "url"),
    [
        ({}, "https://api.example.com/v1/a"),
        ({"item": {"servers": PATHS}}, "https://path.example.com/a"),
        ({"item": {"servers": PATHS}, "own": {"servers": OWN}}, "https://own.example.com/a"),
        ({"declared": {"server": "${BASE}/"}, "own": {"servers": OWN}}, "${BASE}/a"),
        (
            {"own": {"servers": [{"url": "https://{r}.example.com", "variables": {"r": {"default": "eu"}}}]}},
            "https://eu.example.com/a",
        ),
    ],
)
def test_the_nearest_server_is_asked(project: Write, more: dict[str, Any], url: str) -> None:
    paths = {"/a": {"get": operation(**more.get("own", {})), **more.get("item", {})}}

    assert only_tool(project, spec(paths), **more.get("declared", {}))["url"] == url


@pytest.mark.parametrize(
    ("servers", "message"),
    [
        ([], "tools.d/api.json names no server"),
        ([{"url": "/v1"}], "the server '/v1' of tools.d/api.json is not a whole address"),
        ([{"url": "ftp://a"}], "the server 'ftp://a' of tools.d/api.json is not a whole address"),
        ([{"url": "https://{x}"}], "the variable 'x' of the server 'https://{x}' has no default"),
    ],
)
def test_without_an_address_the_way_to_give_one_is_told(project: Write, servers: Any, message: str) -> None:
    expansion = expanded(project, spec({"/a": {"get": operation()}}, servers=servers))

    (problem,) = expansion.diagnostics
    assert (problem.code, problem.message) == ("RUN525", message)
    assert problem.suggestion == "write server: https://… beside spec"


def test_a_document_cannot_read_the_environment_or_write_templates(project: Write) -> None:
    evil = operation(
        parameters=[parameter("${SECRET}", "query"), parameter("id", "path")],
        requestBody={"content": {"application/${SECRET}+json": {}, "text/x": {}}},
    )
    servers = [{"url": "https://example.com/{a}", "variables": {"a": {"default": "${SECRET}{{ 7 * 7 }}"}}}]
    path = "/${SECRET}/{id}/{% raw %}"

    (tool,) = expanded(project, spec({path: {"post": evil}}, servers=servers)).tools

    assert tool["url"] == (
        "https://example.com/$%7BSECRET%7D%7B%7B%207%20*%207%20%7D%7D/%24{{ SECRET }}/{{ id }}/{{ raw }}"
    )
    assert tool["query"] == {"${SECRET}": "{{ SECRET_query }}"}
    assert tool["headers"] == {"Content-Type": "text/x"}


def secured(scheme: dict[str, Any], **own: Any) -> dict[str, Any]:
    security: dict[str, Any] = {"security": [{"key": []}], "components": {"securitySchemes": {"key": scheme}}}
    return spec({"/a": {"get": operation(**own)}}, **security)


@pytest.mark.parametrize(
    ("scheme", "suggestion"),
    [
        ({"type": "http", "scheme": "bearer"}, 'write auth: {bearer: "${TOKEN}"}'),
        ({"type": "oauth2", "flows": {}}, 'write auth: {bearer: "${TOKEN}"}'),
        (
            {"type": "http", "scheme": "Basic"},
            'write auth: {basic: {username: "${USERNAME}", password: "${PASSWORD}"}}',
        ),
        (
            {"type": "apiKey", "in": "header", "name": "X-Key"},
            'write auth: {header: {name: "X-Key", value: "${API_KEY}"}}',
        ),
        ({"type": "apiKey", "in": "query", "name": "key"}, 'write auth: {query: {name: "key", value: "${API_KEY}"}}'),
        ({"type": "apiKey", "in": "cookie", "name": "sid"}, 'write headers: {Cookie: "sid=${API_KEY}"}'),
        ({"$ref": "#/gone"}, 'write auth: {bearer: "${TOKEN}"}'),
    ],
)
def test_a_missing_key_is_warned_of_with_what_to_write(project: Write, scheme: dict[str, Any], suggestion: str) -> None:
    expansion = expanded(project, secured(scheme))

    (problem,) = expansion.diagnostics
    assert (problem.code, problem.severity, problem.suggestion) == ("RUN528", "warning", suggestion)
    written = parse_document(suggestion.removeprefix("write ").encode(), display="x")
    assert written[1] == []
    assert len(expansion.tools) == 1


@pytest.mark.parametrize(
    ("own", "declared"),
    [
        ({"security": []}, {}),
        ({"security": [{"key": []}, {}]}, {}),
        ({}, {"auth": {"bearer": "${T}"}}),
        ({}, {"headers": {"X-Key": "${T}"}}),
    ],
)
def test_where_no_key_is_missing_there_is_no_warning(
    project: Write, own: dict[str, Any], declared: dict[str, Any]
) -> None:
    assert codes(expanded(project, secured({"type": "http", "scheme": "bearer"}, **own), **declared)) == []


@pytest.mark.parametrize(
    "malformed",
    [
        {"spec": 1},
        {"spec": ""},
        {"operations": "all"},
        {"operations": [1]},
        {"headers": []},
        {"auth": "x"},
        {"auth": {"header": "x"}},
        {"name": 1},
    ],
)
def test_what_the_schema_complains_about_is_passed_over(project: Write, malformed: dict[str, Any]) -> None:
    expansion = expanded(project, MANY, **malformed)

    assert (expansion.tools, expansion.diagnostics) == ((), ())
    assert validate_paths([Path("tools.d/shop.yaml")]).errors > 0


def test_every_tool_is_one_that_could_be_declared_by_hand(project: Write) -> None:
    body = json_body({"properties": {"a": {"type": "string"}}, "required": ["a"]})
    query = [parameter("t", "query", {"type": "array", "items": {}}, style="pipeDelimited")]
    paths = {**MANY["paths"], "/new": {"post": operation(requestBody=body, parameters=query)}}
    tools = expanded(project, spec(paths), auth={"bearer": "${T}"}, timeout="5s").tools

    document, problems = parse_document(json.dumps({"kind": "toolset", "tools": tools}).encode(), display="x")

    assert document is not None
    assert [*problems, *check(document, "toolset")] == []


TOOLSET = "kind: toolset\ntools: [{type: openapi, spec: api.json, name: git, auth: {bearer: '${TOKEN}'}}]\n"


def test_agents_name_the_tools_of_a_toolset(project: Write) -> None:
    root = project(
        {
            "agents.d/a.yaml": "name: a\nmodel: openai/x\nprompt: hi\ntools: [git_getIssue, calculator]\n",
            "tools.d/git.yaml": TOOLSET,
            "tools.d/api.json": json.dumps(MANY),
        }
    )

    compiled = compile_agent(root / "agents.d" / "a.yaml")

    assert compiled.diagnostics == ()
    assert compiled.spec is not None
    tool = compiled.spec.tools[0]
    assert (tool.name, tool.type, tool.origin) == ("git_getIssue", "http", "tools.d/git.yaml:2")
    assert tool.settings == {
        "method": "GET",
        "url": f"{SERVER}/issues/{{{{ id }}}}",
        "auth": {"bearer": "${TOKEN}"},
    }
    assert [each.name for each in list_project(root).tools if each.name.startswith("git_")] == [
        "git_createIssue",
        "git_delete_issues_id",
        "git_getIssue",
        "git_listIssues",
    ]


def test_an_agent_declares_operations_inline(project: Write) -> None:
    root = project(
        {
            "agents.d/a.yaml": """
                name: a
                model: openai/x
                prompt: hi
                tools:
                  - {type: openapi, spec: ../api.json, operations: [get*, listIssues], name: git}
                """,
            "api.json": json.dumps(MANY),
        }
    )

    compiled = compile_agent(root / "agents.d" / "a.yaml")

    assert compiled.diagnostics == ()
    assert compiled.spec is not None
    assert sorted(tool.name for tool in compiled.spec.tools) == ["git_getIssue", "git_listIssues"]


def test_problems_of_inline_operations_are_those_of_the_agent(project: Write) -> None:
    root = project(
        {
            "agents.d/a.yaml": "name: a\nmodel: m/x\nprompt: hi\ntools: [{type: openapi, spec: ../gone.json}]\n",
        }
    )

    compiled = compile_agent(root / "agents.d" / "a.yaml")

    assert compiled.spec is None
    assert [each.code for each in compiled.diagnostics] == ["RUN521"]


def test_a_name_that_another_tool_has_is_told(project: Write) -> None:
    project(
        {
            "runner.yaml": "version: '1'",
            "tools.d/git.yaml": TOOLSET,
            "tools.d/other.yaml": "kind: toolset\ntools: [{name: git_getIssue, type: http, url: https://example.com}]\n",
            "tools.d/api.json": json.dumps(MANY),
        }
    )

    assert [(each.location.file, each.code) for each in validate_paths([]).diagnostics] == [
        ("tools.d/other.yaml", "RUN303")
    ]


def test_one_declaration_makes_a_bounded_number_of_tools_those_named_first(project: Write) -> None:
    paths = {f"/x{number}": {"get": operation(operationId=f"op{number}")} for number in range(5_001)}

    expansion = expanded(project, spec(paths), operations=["*", "op5000"])

    assert len(expansion.tools) == 5_000
    assert "op5000" in {tool["name"] for tool in expansion.tools}
    (warning,) = expansion.diagnostics
    assert warning.code == "RUN529"
    assert warning.message.startswith("1 of 5001 operations are left out: op4999: one declaration makes 5,000 tools")


def test_arguments_of_a_document_that_allow_null_can_be_null(project: Write) -> None:
    due = {"due": {"type": "string", "nullable": True}, "title": {"type": "string"}}
    body = json_body({"type": "object", "properties": due})

    tool = only_tool(project, spec({"/a": {"patch": operation(requestBody=body)}}, "3.0.3"))

    assert tool["parameters"]["properties"]["due"]["type"] == ["string", "null"]
