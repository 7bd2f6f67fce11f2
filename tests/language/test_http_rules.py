"""What `validate` says about the requests of HTTP tools; whole reports are in `tests/data/diagnostics/http-…`."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.diagnostics import Diagnostic
from runner.language.catalog import DeclaredTool
from runner.language.document import parse_document
from runner.language.requests import blanked
from runner.language.rules import (
    environment_variables,
    http_address,
    http_headers,
    http_parts,
    http_placeholders,
    http_select,
    tool_retries,
    written_secrets,
)
from runner.language.validation import validate_paths
from runner.spec import Json, JsonObject, ProjectSpec
from tests.language.projects import Write

RULES = (
    http_address.check_tool,
    http_headers.check_tool,
    http_parts.check_tool,
    http_placeholders.check_tool,
    http_select.check_tool,
    tool_retries.check_tool,
    environment_variables.check_tool,
    written_secrets.check_tool,
)


def problems(data: JsonObject, *hosts: str) -> list[Diagnostic]:
    text = json.dumps({"kind": "toolset", "tools": [data]}, ensure_ascii=False)
    document, mistakes = parse_document(text.encode("utf-8", "replace"), display="t.yaml")
    assert document is not None, mistakes
    project = ProjectSpec(root="/", tools_folder="/tools.d", http_hosts=hosts)
    tool = DeclaredTool(name="t", data=document.data["tools"][0], document=document, path=("tools", 0))
    return [problem for rule in RULES for problem in rule(tool, project)]


def http(**keys: Json) -> JsonObject:
    return {"name": "t", "type": "http", "url": "https://a.example", **keys}


def parameters(*required: str, **optional: Json) -> JsonObject:
    properties = {**{name: {"type": "string"} for name in required}, **optional}
    return {"type": "object", "properties": properties, "required": list(required)}


def codes(data: JsonObject, *hosts: str) -> list[str]:
    return [problem.code for problem in problems(data, *hosts)]


# -- addresses --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example",
        "HTTP://10.0.0.1:8080/x?y=a@b",
        "http://localhost/",
        "http://[::1]:8080/",
        "http://[fd00::1]/",
        "http://0x7f000001/",
        "https://a.example/users/me@home",
        "${BASE}",
        "${BASE:-http://169.254.169.254}",
        "https://${HOST}/x",
        "https://a.example:${PORT}/x",
        "https://bücher.example/",
        "https://cafe.babe/",  # hexadecimal digits only, and still a name
    ],
)
def test_an_address_that_may_be_asked_is_accepted(url: str) -> None:
    assert problems(http(url=url)) == []


@pytest.mark.parametrize(
    ("url", "marked", "words"),
    [
        ("a.example/x", "a.example/x", "starts with https:// or http://"),
        ("/x", "/x", "starts with https:// or http://"),
        ("mailto:a@b", "mailto:a@b", "starts with https:// or http://"),
        ("file:///etc/passwd", "file", "expected https or http, found 'file'"),
        ("https://a:b@c.example/", "a:b@", "holds no name and password"),
        ("https://a@b@c.example/", "a@b@", "holds no name and password"),
        ("https://${T}@c.example/", "${T}@", "holds no name and password"),
        ("https://?a=1", "/", "names no host"),
        ("https://a.example/a b", " ", "no spaces and line breaks"),
        ("${BASE}/{{ 'x y' }}/ {{ 'z' }}", " ", "no spaces and line breaks"),
        ("https://:80/", ":80", "names no host"),
        ("https://a.example:0/", "0", "a number from 1 to 65535"),
        ("https://a.example:65536/", "65536", "a number from 1 to 65535"),
        ("http://169.254.169.254/", "169.254.169.254", "link-local or metadata"),
        ("http://2852039166/", "2852039166", "link-local or metadata"),
        ("http://0251.0376.0251.0376/", "0251.0376.0251.0376", "link-local or metadata"),
        ("http://[FE80::1]/", "[FE80::1]", "link-local or metadata"),
        ("http://[fd00:ec2::254]/", "[fd00:ec2::254]", "link-local or metadata"),
        ("http://100.100.100.200/", "100.100.100.200", "link-local or metadata"),
        ("http://METADATA.google.internal./", "METADATA.google.internal.", "link-local or metadata"),
    ],
)
def test_an_address_that_cannot_be_asked_is_refused_at_the_part_that_is_wrong(
    url: str, marked: str, words: str
) -> None:  # field bug B113
    (problem,) = problems(http(url=url))

    assert (problem.code, problem.severity) == ("RUN516", "error")
    assert words in problem.message
    assert underlined(problem) == marked


def underlined(problem: Diagnostic) -> str:
    span = problem.location.span
    assert span is not None
    assert problem.source is not None
    return problem.source[span.column - 1 : span.end_column - 1]


@pytest.mark.parametrize(
    ("listed", "url", "allowed"),
    [
        ("169.254.169.254", "http://169.254.169.254/", True),
        ("169.254.169.254", "http://169.254.169.254:8080/", True),
        ("169.254.169.254:80", "http://169.254.169.254/", True),
        ("169.254.169.254:443", "https://169.254.169.254/", True),
        ("169.254.169.254:81", "http://169.254.169.254/", False),
        ("*.google.internal", "http://metadata.google.internal/", True),
        ("*.metadata.google.internal", "http://metadata.google.internal/", False),
        ("google.internal", "http://metadata.google.internal/", False),
        ("[fe80::1]", "http://[fe80::1]/", True),
        ("[fe80::1]:81", "http://[fe80::1]/", False),
    ],
)
def test_the_project_may_list_hosts_that_are_refused_otherwise(listed: str, url: str, *, allowed: bool) -> None:
    assert (codes(http(url=url), listed) == []) is allowed


def test_the_server_of_an_openapi_document_is_an_address_like_any_other() -> None:
    found = problems({"type": "openapi", "name": "t", "spec": "a.yaml", "server": "ftp://a.example"})

    assert [(problem.code, underlined(problem)) for problem in found] == [("RUN516", "ftp")]


# -- placeholders -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "tool",
    [
        http(url="https://a.example/{{ id }}", parameters=parameters("id")),
        http(url="https://a.example/{{ id | lower }}", parameters=parameters(id={"default": "x"})),
        http(url="https://a.example/?q={{ q }}", parameters=parameters(q={})),
        http(headers={"X-A": "{{ a }}", "X-B": 1}, parameters=parameters("a")),
        http(query={"a": ["{{ a }}", 1]}, parameters=parameters("a")),
        http(query={"a": {"value": "{{ a }}", "style": "deep"}}, parameters=parameters("a")),
        http(method="POST", body={"json": [{"a": {"b": ["{{ a }}"]}}]}, parameters=parameters("a")),
        http(method="POST", body={"form": {"a": "{{ a }}"}}, parameters=parameters("a")),
        http(
            method="PUT",
            body={"text": "{% for x in a %}{{ loop.last }}{{ x }}{% endfor %}"},
            parameters=parameters("a"),
        ),
        http(url="https://a.example/{{ 'fixed' }}"),
        http(query={"a": "{{ a.b.c }}"}, parameters=parameters(a={"type": "object"})),
    ],
)
def test_a_parameter_is_used_wherever_the_request_has_it(tool: JsonObject) -> None:
    assert problems(tool) == []


def test_one_name_may_stand_in_several_places() -> None:  # field bug B110
    tool = http(
        method="PUT",
        url="https://a.example/users/{{ id }}",
        query={"id": "{{ id }}"},
        headers={"X-Id": "{{ id }}"},
        body={"json": {"id": "{{ id }}", "name": "{{ name }}"}},
        parameters=parameters("id", "name"),
    )

    assert problems(tool) == []


def test_a_misspelt_placeholder_is_one_mistake_and_the_parameter_it_means_is_not_called_unused() -> None:
    (problem,) = problems(http(url="https://a.example/{{ ownr }}", parameters=parameters("owner")))

    assert (problem.code, underlined(problem)) == ("RUN511", "ownr")
    assert problem.suggestion == "did you mean '{{ owner }}'?"


def test_every_use_of_an_undeclared_name_is_marked() -> None:
    found = problems(http(url="https://a.example/{{ x }}/{{ x }}", query={"x": "{{ x }}"}, parameters=parameters()))

    assert [problem.code for problem in found] == ["RUN511"] * 3
    assert len({str(problem.location) for problem in found}) == 3


def test_a_tool_without_parameters_is_told_once_which_to_declare() -> None:
    (problem,) = problems(http(url="https://a.example/{{ a }}", query={"b": "{{ b }}"}))

    assert problem.message == "this tool has no parameters, but its request uses 'a' and 'b'"
    assert problem.suggestion == (
        "add parameters: {type: object, properties: {a: {type: string}, b: {type: string}}, required: [a, b]}"
    )


def test_after_a_mistake_in_a_template_nothing_is_called_unused() -> None:
    assert codes(http(url="https://a.example/{{ a }", parameters=parameters("a", "b"))) == ["RUN401"]


def test_a_required_parameter_without_a_place_is_an_error_and_an_optional_one_a_warning() -> None:
    found = problems(http(parameters=parameters("a", b={})))

    assert [(problem.code, problem.severity, underlined(problem)) for problem in found] == [
        ("RUN512", "error", '"a"'),
        ("RUN512", "warning", '"b"'),
    ]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.example/{{ a }}", ["RUN513"]),
        ("https://{{ a }}/x", ["RUN513"]),
        ("https://a.example/x?a={{ a }}", []),
        ("https://a.example/x#{{ a }}", []),
        ("https://a.example/{{ '?' }}/{{ a }}", ["RUN513"]),
        ("https://a.example/{{ a | default('x') }}", []),
        ("https://a.example{% if a is defined %}/{{ a }}{% endif %}", []),
    ],
)
def test_a_part_of_the_path_must_always_be_there(url: str, expected: list[str]) -> None:  # field bug B107
    assert codes(http(url=url, parameters=parameters(a={"type": "string"}))) == expected


@pytest.mark.parametrize(
    ("url", "severity", "meant"),
    [
        ("https://a.example/{id}", "error", "{{ id }}"),
        ("https://a.example/{other}/{{ id }}", "warning", "{{ other }}"),
        ("https://a.example/:id", "error", "{{ id }}"),
        ("https://a.example/<id>", "error", "{{ id }}"),
    ],
)
def test_placeholders_of_other_tools_are_told_ours(url: str, severity: str, meant: str) -> None:
    (problem,) = problems(http(url=url, parameters=parameters("id")))

    assert (problem.code, problem.severity) == ("RUN514", severity)
    assert problem.suggestion == f"did you mean '{meant}'?"


@pytest.mark.parametrize(
    "url", ["https://a.example:8080/a:id/x:y", "https://a.example/${id}", "https://a.example/$${id}"]
)
def test_what_only_looks_like_a_placeholder_of_other_tools_is_left_alone(url: str) -> None:
    tool = http(url=url, query={"g": "{user{id}}", "id": "{{ id }}"}, parameters=parameters("id"))

    assert problems(tool) == []


def test_the_headers_of_an_openapi_tool_know_the_parameters_of_no_single_operation() -> None:
    tool = {"type": "openapi", "name": "t", "spec": "a", "headers": {"X-A": "{{ a }}", "X-B": "{{ b | uper }}"}}

    assert codes(tool) == ["RUN403"]


@pytest.mark.parametrize(
    "keys",
    [
        {"auth": {"basic": {"username": "{{ a }}", "password": "${P}"}}},
        {"response": {"select": "[?a == '{{ a }}']"}},
        {"server": "https://{{ a }}.example"},
        {"headers": {"{% if a %}X-A": "1"}},
    ],
)
def test_placeholders_where_none_is_filled_in_are_errors(keys: JsonObject) -> None:
    found = problems({"type": "openapi", "name": "t", "spec": "a.yaml", **keys})

    assert "RUN515" in {problem.code for problem in found}


def test_parameters_that_cannot_be_told_are_not_guessed() -> None:
    schema = {"type": "object", "properties": {"a": {}}, "patternProperties": {"^x": {}}}

    assert codes(http(url="https://a.example/{{ x1 }}/{{ b }}", query={"a": "{{ a }}"}, parameters=schema)) == []


# -- the rest of a request --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Host", "content-length", "Transfer-Encoding", "", "a b", "a:", "ä", "a\nb"])
def test_a_header_that_cannot_be_sent_is_refused(name: str) -> None:
    assert codes(http(headers={name: "x"})) == ["RUN517"]
    assert codes(http(auth={"header": {"name": name, "value": "${X}"}})) == ["RUN517"]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("one\ntwo", "several lines"),
        ("one\r", None),
        ("北京", "Latin-1"),
        ("é", None),
        ("{{ '北' }}\n", None),
        (3, None),
    ],
)
def test_the_value_of_a_header_is_one_line_of_latin_1(value: Json, words: str | None) -> None:
    found = problems(http(headers={"X-A": value}))

    assert len(found) == (words is not None)
    assert all(str(words) in problem.message for problem in found)


@pytest.mark.parametrize("auth", [{"bearer": "${X}"}, {"basic": {"username": "${X}", "password": "${Y}"}}])
def test_who_signs_in_twice_is_told_so(auth: JsonObject) -> None:
    (problem,) = problems(http(headers={"AUTHORIZATION": "${X}"}, auth=auth))

    assert problem.message == "header 'Authorization' is sent twice"
    assert str(problem.related[0].location).startswith("t.yaml:1:")


@pytest.mark.parametrize(
    ("method", "expected"), [("GET", ["RUN518"]), ("HEAD", ["RUN518"]), ("DELETE", []), ("POST", []), ("OPTIONS", [])]
)
def test_a_body_needs_a_method_that_sends_it(method: str, expected: list[str]) -> None:
    assert codes(http(method=method, body={"text": "x"})) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.example/?k=1", ["RUN518"]),
        ("https://a.example/?a=1&%6B", ["RUN518"]),
        ("https://a.example/?kk=1", []),
        ("https://a.example/k=1#?k=1", []),
        ("https://a.example/?${X}=1", []),
    ],
)
def test_a_parameter_of_the_query_is_written_once(url: str, expected: list[str]) -> None:  # field bug B109
    assert codes(http(url=url, query={"k": 2})) == expected
    assert codes(http(url=url, auth={"query": {"name": "k", "value": "${K}"}})) == expected


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"auth": {"bearer": "abc"}}, 1),
        ({"auth": {"bearer": "Bearer ${T}"}}, 0),
        ({"auth": {"basic": {"username": "me", "password": "pw"}}}, 1),
        ({"auth": {"header": {"name": "X-K", "value": "pw"}}}, 1),
        ({"auth": {"query": {"name": "k", "value": "pw"}}}, 1),
        ({"headers": {"authorization": "Bearer abc", "X-Other": "abc"}}, 1),
        ({"headers": {"X-Api-Key": "$${abc"}}, 1),
        ({"query": {"access_token": "abc", "page_token": "abc"}}, 1),
        ({"query": {"access_token": {"value": "abc"}}}, 1),
        ({"type": "python", "env": {"JIRA_TOKEN": "abc", "REGION": "abc", "API_KEY": "${K}", "PASSWORD": ""}}, 1),
    ],
)
def test_a_secret_written_out_is_warned_of(keys: JsonObject, expected: int) -> None:
    found = problems(http(**keys))

    assert [(problem.code, problem.severity) for problem in found] == [("RUN803", "warning")] * expected
    assert not any("abc" in problem.message or "pw" in problem.message for problem in found)


@pytest.mark.parametrize(
    ("keys", "warned"),
    [
        ({"type": "python", "function": "m:f", "retries": 1}, True),
        ({"type": "python", "function": "m:f", "retries": 1, "idempotent": True}, False),
        ({"type": "http", "url": "https://a.example", "method": "PATCH", "retries": 1}, True),
        ({"type": "http", "url": "https://a.example", "method": "DELETE", "retries": 1}, False),
        ({"type": "http", "url": "https://a.example", "retries": 1}, False),
        ({"type": "openapi", "spec": "a.yaml", "retries": 1}, False),
    ],
)
def test_retries_that_are_not_made_are_warned_of(keys: JsonObject, *, warned: bool) -> None:  # field bug B117
    assert ("RUN510" in codes({"name": "t", **keys})) is warned


# -- whole files ------------------------------------------------------------------------------------------------------


def test_a_tool_declared_in_a_base_is_complained_about_there(project: Write) -> None:
    project(
        {
            "agents.d/base.yaml": """
                model: openai/x
                tools: [{name: t, type: http, url: "https://a.example/{{ a }}"}]
            """,
            "agents.d/a.yaml": "extends: base.yaml\nname: a\nprompt: hi\n",
        }
    )

    assert [(str(each.location), each.code) for each in validate_paths([]).diagnostics] == [
        ("agents.d/base.yaml:2:58", "RUN511")
    ]


def test_variables_of_all_models_are_filled_in(project: Write) -> None:
    project(
        {
            "agents.d/a.yaml": """
                name: a
                prompt: hi
                model: {name: openai/x, fallbacks: [{name: openai/y, api_base: http://a.example, api_key: "${B}"}]}
                context: {strategy: summarize, model: {name: openai/z, api_key: "${C"}}
            """
        }
    )

    assert [(each.code, underlined(each)) for each in validate_paths([]).diagnostics] == [("RUN801", "${C")]


def nested(leaf: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return st.recursive(leaf, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3))


TEXT = st.text(alphabet="ab{}%:/?#&=@[]<>$|. \n\"'0é", max_size=20)
ANYTHING = nested(TEXT | st.none() | st.booleans() | st.integers())
KEYS = ("url", "headers", "query", "body", "auth", "response", "parameters", "method", "retries", "server")


@given(data=st.dictionaries(st.sampled_from(KEYS), ANYTHING), type_=st.sampled_from(["http", "openapi"]))
def test_any_declaration_gives_diagnostics_and_never_a_traceback(data: dict[str, Json], type_: str) -> None:
    for problem in problems({"name": "t", **data, "type": type_}):
        assert problem.location.span is not None
        assert "\n" not in problem.message


@given(pieces=st.lists(st.sampled_from(["https://", "http:", "{{ a }}", "${A}", *"@[]:0a./?#\\"])))
def test_any_address_is_judged(pieces: list[str]) -> None:
    for problem in problems(http(url="".join(pieces), parameters=parameters("a"))):
        assert problem.location.span is not None


@given(text=TEXT)
def test_blanking_keeps_every_character_in_its_place(text: str) -> None:
    for before, after in zip(text, blanked(text), strict=True):
        assert after in (before, "\0")


@pytest.mark.parametrize(
    "url",
    ["{{ u }}", "https://{{ u }}.api.example.com/x", "https://a.example:{{ u }}/", "https://${D}.{{ u }}.example"],
)
def test_a_tool_whose_key_will_go_nowhere_is_told_so(url: str) -> None:
    given = http(url=url, auth={"bearer": "${K}"}, parameters=parameters("u"))

    assert codes(given) == ["RUN516"]
    assert problems(given)[0].severity == "warning"
    assert codes(given, "*.example.com") == []
    assert "RUN516" in codes(http(url=url, headers={"X": "${K}"}, parameters=parameters("u")))


@pytest.mark.parametrize(
    "url", ["https://a.example/{{ u }}", "https://a.example?x={{ u }}", "https://${D}/{{ u }}", "${B}/{{ u }}"]
)
def test_an_argument_behind_the_host_is_fine_with_keys(url: str) -> None:
    assert codes(http(url=url, auth={"bearer": "${K}"}, parameters=parameters("u"))) == []


def test_an_argument_in_the_host_is_fine_without_keys() -> None:
    assert codes(http(url="https://{{ u }}.a.example", parameters=parameters("u"))) == []
