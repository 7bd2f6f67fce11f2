"""What is sent: every value in its place, encoded once, and nothing where an argument is not given."""

import json
from dataclasses import replace
from typing import Any

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.environment import Unset, VariableError
from runner.language.schema import problems
from runner.tools import ToolLoadError
from runner.tools.declared import declared
from runner.tools.http import UnpreparedError
from tests.tools.http.conftest import opened

# The machine may be busy with other things.
unhurried = settings(deadline=None)
BASE = "https://api.example.com"


def url_of(tool_url: str, arguments: dict[str, Any], **declared: Any) -> str:
    return opened(tool_url, **declared).prepare(arguments).url


def refusal(tool_url: str, arguments: dict[str, Any], **declared: Any) -> str:
    with pytest.raises(UnpreparedError) as caught:
        opened(tool_url, **declared).prepare(arguments)
    return str(caught.value)


@pytest.mark.parametrize(
    ("value", "encoded"),
    [
        ("a/b", "a%2Fb"),
        ("../../admin", "..%2F..%2Fadmin"),
        ("a?x=1#f", "a%3Fx%3D1%23f"),
        ("100%", "100%25"),
        ("%2e%2e", "%252e%252e"),
        ("café", "caf%C3%A9"),
        (7, "7"),
        (True, "true"),
        (1.0, "1.0"),
    ],
)
def test_a_value_in_the_path_is_encoded_once(value: Any, encoded: str) -> None:  # field bug B107
    assert url_of(BASE + "/items/{{ id }}/x?k=1", {"id": value}) == f"{BASE}/items/{encoded}/x?k=1"


@pytest.mark.parametrize("arguments", [{"id": ".."}, {"id": "."}, {"id": ""}, {"id": None}, {}])
def test_what_would_change_the_path_is_refused(arguments: dict[str, Any]) -> None:  # field bug B107
    assert "sample was not run" in refusal(BASE + "/items/{{ id }}/x", arguments)


def test_dots_that_an_argument_completes_are_refused() -> None:
    assert "cannot stand in the path" in refusal(BASE + "/a/{{ x }}./b", {"x": "."})
    assert "cannot stand in the path" in refusal(BASE + "/a/.{{ x | replace('x', '.') }}", {"x": "x"})


@unhurried
@given(st.text(), st.text(), st.lists(st.text(), min_size=1))
def test_the_address_is_sent_as_it_was_prepared(name: str, value: str, values: list[str]) -> None:
    tool = opened(BASE + "/a/{{ v }}/b?c={{ v }}", query={name: "{{ v }}", "l": {"value": "{{ l }}", "style": "pipe"}})
    try:
        url = tool.prepare({"v": value, "l": values}).url
    except UnpreparedError:
        return

    parsed = httpx2.URL(url)
    assert f"{BASE}{parsed.raw_path.decode()}" == url


@unhurried
@given(st.text(min_size=1))
def test_no_text_in_the_path_can_change_its_form(value: str) -> None:
    tool = opened(BASE + "/a/{{ id }}/b?c=1")
    try:
        url = tool.prepare({"id": value}).url
    except UnpreparedError:
        return

    assert url.startswith(f"{BASE}/a/")
    assert url.endswith("/b?c=1")
    assert url.count("/") == 5
    assert not set(url) & set("# \\\r\n")


def test_lists_booleans_and_nulls_in_the_query() -> None:  # field bug B109
    query = {name: "{{ %s }}" % name for name in ("tags", "ok", "n", "f")}  # noqa: UP031 - braces
    arguments = {"tags": ["a b", "c"], "ok": True, "n": None, "f": 1.0}

    assert url_of(BASE + "/x?k=1", arguments, query=query) == f"{BASE}/x?k=1&tags=a+b&tags=c&ok=true&f=1.0"


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("repeat", "a=1%2C5&a=x+y"),
        ("comma", "a=1%2C5,x+y"),
        ("space", "a=1%2C5%20x+y"),
        ("pipe", "a=1%2C5%7Cx+y"),
        ("brackets", "a[]=1%2C5&a[]=x+y"),
    ],
)
def test_a_list_is_written_as_its_style_says(style: str, expected: str) -> None:
    url = url_of(BASE, {"a": ["1,5", None, "x y"]}, query={"a": {"value": "{{ a }}", "style": style}})

    assert url == f"{BASE}/?{expected}"


def test_an_object_in_deep_style() -> None:
    query = {"f": {"value": "{{ f }}", "style": "deep"}}

    assert url_of(BASE, {"f": {"state": "a&b", "n": {"x": [1, 2]}}}, query=query) == (
        f"{BASE}/?f[state]=a%26b&f[n][x]=1&f[n][x]=2"
    )


def test_a_parameter_of_the_written_address_is_encoded_and_dropped_without_its_argument() -> None:
    address = BASE + "/s?q={{ q }}&page={{ page }}&t={{ tags }}&v=1#top"

    assert url_of(address, {"q": "a&b=c d", "tags": ["x", "y"]}) == f"{BASE}/s?q=a%26b%3Dc+d&t=x&t=y&v=1"


def test_an_empty_list_and_a_filter_of_nothing_drop_their_parameter() -> None:
    query = {"a": "{{ a }}", "b": "{{ b | join(',') }}", "c": "{{ c | default('z') }}", "d": "x{{ d }}"}

    assert url_of(BASE, {"a": []}, query=query) == f"{BASE}/?c=z"


def test_json_bodies_keep_types_and_drop_what_is_not_given() -> None:
    body = {
        "json": {
            "n": "{{ n }}",
            "list": "{{ list }}",
            "text": "no. {{ n }}, {{ ok }}",
            "gone": "{{ gone }}",
            "null": "{{ null }}",
            "inner": {"gone": "a {{ gone }}", "fixed": 1.0},
            "items": ["{{ n }}", "{{ gone }}", True],
        }
    }
    tool = opened(BASE, method="POST", body=body, required=["null"])

    request = tool.prepare({"n": 1.0, "list": [{"a": None}], "ok": False, "null": None})

    assert json.loads(request.body or b"") == {
        "n": 1.0,
        "list": [{"a": None}],
        "text": "no. 1.0, false",
        "null": None,
        "inner": {"fixed": 1.0},
        "items": [1.0, True],
    }
    assert b"1.0" in (request.body or b"")
    assert ("Content-Type", "application/json") in request.headers


def test_form_and_text_bodies() -> None:
    form = opened(BASE, method="POST", body={"form": {"a": "{{ a }}", "b": "{{ b }}", "c d": "é&"}})
    text = opened(BASE, method="POST", body={"text": "Dear {{ name }},\n{{ more }}"})

    assert form.prepare({"a": [1, "x y"]}).body == b"a=1&a=x+y&c%20d=%C3%A9%26"
    assert text.prepare({"name": "Zoë", "more": {"a": 1}}).body == 'Dear Zoë,\n{"a":1}'.encode()
    assert "argument that is not given" in refusal(BASE, {"name": "x"}, body={"text": "{{ name }} {{ more }}"})
    assert opened(BASE, method="POST", body={"json": "{{ all }}"}).prepare({}).body is None


def test_one_name_in_every_place_is_sent_to_every_place() -> None:  # field bug B110
    tool = opened(
        BASE + "/users/{{ id }}",
        method="PUT",
        headers={"X-Id": "{{ id }}"},
        query={"id": "{{ id }}"},
        body={"json": {"id": "{{ id }}", "name": "{{ name }}"}},
    )

    request = tool.prepare({"id": 7, "name": "Ada"})

    assert request.url == f"{BASE}/users/7?id=7"
    assert ("X-Id", "7") in request.headers
    assert request.body == b'{"id":7,"name":"Ada"}'


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", "a\0b", "日本"])
def test_what_no_header_can_hold_is_refused(value: str) -> None:
    assert "the header X-Name holds" in refusal(BASE, {"name": value}, headers={"X-Name": "{{ name }}"})


def test_a_header_without_its_argument_is_left_out() -> None:
    tool = opened(BASE, headers={"X-A": "{{ a }}", "X-B": 5, "x-c": True, "user-agent": "mine"})

    headers = dict(tool.prepare({}).headers)

    assert headers == {
        "Accept": "*/*",
        "Accept-Encoding": "gzip, deflate",
        "X-B": "5",
        "x-c": "true",
        "user-agent": "mine",
    }


def test_neither_the_environment_nor_an_argument_is_read_as_a_template() -> None:
    environ = {"K": "{{ a }}${L}", "L": "never"}
    tool = opened(BASE, environ=environ, headers={"X-K": "${K} {{ a }} $${L}", "X-D": "{{ b or '${K}' }}"})

    headers = dict(tool.prepare({"a": "${L} {{ b }}"}).headers)

    assert headers["X-K"] == "{{ a }}${L} ${L} {{ b }} ${L}"
    assert headers["X-D"] == "{{ a }}${L}"


def test_a_value_of_the_environment_fits_where_it_stands_in_the_address() -> None:
    environ = {"BASE": "https://h.example/v1", "K": "a&b=c/d"}

    assert url_of("${BASE}/x?key=${K}", {}, environ=environ) == "https://h.example/v1/x?key=a%26b%3Dc%2Fd"


def test_a_variable_that_is_not_set_names_the_place() -> None:
    with pytest.raises(VariableError, match=r"tools.d/x.yaml:3: environment variable K is not set"):
        opened(BASE, headers={"X-K": "${K}"})


@pytest.mark.parametrize(
    "auth",
    [{"bearer": "${K}"}, {"basic": {"username": "me", "password": "${K}"}}, {"query": {"name": "k", "value": "${K}"}}],
)
def test_an_empty_key_names_the_place_instead_of_being_left_out(auth: dict[str, Any]) -> None:
    with pytest.raises(VariableError, match=r"tools.d/x.yaml:3: environment variable K is empty; set it, or"):
        opened(BASE, environ={"K": ""}, auth=auth)


def test_everything_of_the_environment_and_of_auth_is_secret() -> None:
    environ = {"U": "user-name", "P": "pass-word", "Q": "in-query", "H": "api.example.com"}
    tool = opened(
        "https://${H}/", environ=environ, query={"q": "${Q}"}, auth={"basic": {"username": "${U}", "password": "${P}"}}
    )

    assert tool.secrets == {*environ.values(), "dXNlci1uYW1lOnBhc3Mtd29yZA=="}


@pytest.mark.parametrize(
    ("auth", "shown"),
    [
        ({"bearer": "${K}"}, "Authorization: Bearer ***"),
        ({"basic": {"username": "me", "password": "${K}"}}, "Authorization: Basic ***"),
        ({"header": {"name": "X-Key", "value": "${K}"}}, "X-Key: ***"),
        ({"query": {"name": "api_key", "value": "${K}"}}, "GET https://api.example.com/?q=***&api_key=***"),
    ],
)
@pytest.mark.parametrize("key", ["s3cr3t/+&k€y"[:9], "abc"])
def test_a_request_is_shown_without_its_secrets(auth: Any, shown: str, key: str) -> None:
    tool = opened(BASE, environ={"K": f"{key}\n", "Q": "query-secret"}, auth=auth, query={"q": "${Q}"})

    text = tool.shown(tool.prepare({}))

    assert shown in text
    assert key not in text.replace("api.example", "")
    assert "query-secret" not in text


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"headers": {"X Y": "1"}}, "'X Y' cannot be the name of a header"),
        ({"headers": {"Content-Length": "1"}}, "is set by the runner"),
        ({"headers": {"authorization": "x"}, "auth": {"bearer": "y"}}, "declared twice"),
        ({"auth": {"bearer": "a\nb"}}, "line break"),
        ({"url": "ftp://h.example/"}, "expected https:// or http://"),
        ({"url": "https://user:pw@h.example/"}, "write `auth"),
        ({"url": "https://h.example:0x50/"}, "is not a host"),
        ({"url": "h.example/x"}, "expected https:// or http://"),
        ({"response": {"select": "a["}}, "response.select is not a JMESPath expression"),
    ],
)
def test_what_can_never_be_called_is_told_when_it_is_opened(declared: Any, message: str) -> None:
    with pytest.raises(ToolLoadError, match=message):
        opened(**{"url": BASE, **declared})


def test_arguments_are_mended_and_checked_by_the_declared_parameters() -> None:
    properties = {"n": {"type": "integer"}, "page": {"type": "integer", "default": 1}}
    declared: Any = {"query": {"n": "{{ n }}", "page": "{{ page }}"}, "properties": properties, "required": ["n"]}

    assert url_of(BASE, {"n": "5"}, **declared) == f"{BASE}/?n=5&page=1"
    assert "its arguments are wrong" in refusal(BASE, {"n": "x", "m": 1}, **declared)


@pytest.mark.parametrize(
    ("address", "arguments", "message"),
    [
        ("https://{{ host }}/", {"host": "a/b"}, "cannot be a host"),
        ("https://{{ host }}/", {"host": "evil.example\\@x"}, "cannot be a host"),
        ("https://{{ region }}.api.example.com/", {"region": "evil.example/?"}, "cannot be a host"),
        ("https://{{ a }}{{ b }}/", {"a": "x:1", "b": "y"}, "cannot be a host"),
        ("{{ url }}", {"url": "file:///etc/passwd"}, "is not an address"),
        ("{{ url }}", {"url": "https://user:pw@h.example/"}, "cannot be a host"),
        ("{{ url }}", {"url": "https://"}, "cannot be a host"),
    ],
)
def test_what_is_no_address_is_refused(address: str, arguments: dict[str, Any], message: str) -> None:
    assert message in refusal(address, arguments)


def test_an_address_may_be_an_argument() -> None:
    request = opened("{{ url }}").prepare({"url": "https://h.example:8443/a b/%2F?x=1&y=é#f"})

    assert request.url == "https://h.example:8443/a%20b/%2F?x=1&y=%C3%A9"
    assert request.host_given


@pytest.mark.parametrize("declared", [{}, {"query": {"q": "{{ id }}"}}, {"body": {"json": ["{{ id }}"]}}])
def test_half_of_a_character_is_refused(declared: Any) -> None:
    assert "half of a character" in refusal(BASE + "/{{ id }}", {"id": "\ud800"}, **declared)


def test_a_number_that_json_does_not_have_is_refused() -> None:
    assert "a number that JSON has" in refusal(BASE, {"n": float("nan")}, body={"json": {"n": "{{ n }}"}})
    assert "a value cannot be sent" in refusal(BASE, {"n": 10}, body={"json": {"n": "{{ n * 1e308 }}"}})


def test_a_line_end_after_the_address_is_no_part_of_it() -> None:
    assert url_of(BASE + "/a\n", {}) == BASE + "/a"


def test_an_argument_that_is_null_is_no_host() -> None:
    assert "is null" in refusal("https://{{ host }}/", {"host": None}, required=["host"])
    assert url_of(BASE + "/{{ id }}", {"id": "null"}) == BASE + "/null"


def test_a_key_that_is_empty_is_not_sent() -> None:
    request = opened(BASE, environ={}, auth={"bearer": "${K:-}"}).prepare({})

    assert "Authorization" not in dict(request.headers)


def test_a_filter_cannot_break_what_stands_for_a_variable() -> None:
    assert "cannot be used on a ${…}" in refusal(BASE, {}, environ={"K": "x"}, query={"k": "{{ '${K}' | urlencode }}"})


def test_what_is_refused_is_told_without_the_environment() -> None:
    told = refusal("https://{{ a }}.${HOST}/", {"a": "x"}, environ={"HOST": "secret:host:name"})

    assert "secret:host:name" not in told


def test_keys_do_not_go_to_a_host_that_an_argument_names() -> None:
    declared: Any = {"environ": {"K": "secret-key"}, "auth": {"bearer": "${K}"}}

    assert "http_hosts: ['evil.example']" in refusal("{{ url }}", {"url": "https://evil.example/"}, **declared)
    assert "http_hosts" in refusal("{{ a }}/?k=${K}", {"a": "https://evil.example"}, environ={"K": "key"})
    assert url_of("{{ url }}", {"url": "https://ok.example/"}, **declared, http_hosts=("ok.example",))


@pytest.mark.parametrize(
    "url",
    [
        "https://{{ a }}.api.example.com/",
        "https://{{ a }}.co.uk/",
        "https://{{ a }}.github.io/",
        "https://api.example.com:{{ a }}/",
        "https://{{ a }}.${DOMAIN}/",
    ],
)
def test_keys_do_not_go_to_a_host_whose_end_alone_is_the_authors(url: str) -> None:
    declared: Any = {"environ": {"K": "secret-key", "DOMAIN": "example.com"}, "auth": {"bearer": "${K}"}}
    host = (
        "api.example.com" if ":{{" in url else url.removeprefix("https://{{ a }}").replace("${DOMAIN}", "example.com")
    )
    pattern = host if ":{{" in url else f"*{host.rstrip('/')}"

    assert "http_hosts" in refusal(url, {"a": "80"}, **declared)
    assert url_of(url, {"a": "80"}, **declared, http_hosts=(pattern,))


NULLABLE = {"due": {"type": ["string", "null"]}, "title": {"type": "string"}, "any": {}}


def test_a_null_that_is_given_and_allowed_is_sent_where_json_can_say_so() -> None:
    body = {"json": {"due": "{{ due }}", "title": "{{ title }}", "list": ["{{ due }}"], "text": "due {{ due }}"}}
    tool = opened(BASE, method="PATCH", body=body, query={"due": "{{ due }}"}, properties=NULLABLE)

    request = tool.prepare({"due": None, "title": None})

    assert json.loads(request.body or b"") == {"due": None, "list": [None]}
    assert request.url == f"{BASE}/"
    assert json.loads(tool.prepare({"title": "x"}).body or b"") == {"title": "x", "list": []}


def test_a_null_in_a_form_or_header_and_one_that_is_only_a_default_is_left_out() -> None:
    properties = {"due": {"type": ["string", "null"], "default": None}}
    form = opened(
        BASE, method="POST", body={"form": {"due": "{{ due }}"}}, headers={"X": "{{ due }}"}, properties=properties
    )
    by_default = opened(BASE, method="POST", body={"json": {"due": "{{ due }}"}}, properties=properties)

    assert form.prepare({"due": None}).body == b""
    assert "X" not in dict(form.prepare({"due": None}).headers)
    assert by_default.prepare({}).body == b"{}"
    assert by_default.prepare({"due": None}).body == b'{"due":null}'


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("${BASE}/items/{{ id }}?q=${Q}&a={{ id }}", "${BASE}/items/7?q=${Q}&a=7"),
        ("https://${HOST}/${P}/{{ id }}", "https://${HOST}/${P}/7"),
        ("https://${HOST:?is needed}/", "https://${HOST}/"),
        ("${SCHEME}://api.example.com/", "${SCHEME}://api.example.com/"),
        ("https://${HOST:-api.example.com}/", "https://api.example.com/"),
    ],
)
def test_variables_that_are_not_set_stand_for_themselves_where_only_the_request_is_shown(url: str, shown: str) -> None:
    tool = opened(url, environ=Unset({}), auth={"bearer": "${TOKEN}"})

    text = tool.shown(tool.prepare({"id": 7}))

    assert text.splitlines()[0] == f"GET {shown}"
    assert "Authorization: Bearer ***" in text


def test_an_argument_that_belongs_inside_of_another_is_told_so() -> None:
    chat = {"anyOf": [{"$ref": "#/$defs/Chat"}, {"type": "null"}]}
    tool = opened(
        BASE, method="POST", body={"json": "{{ body }}"}, properties={"body": chat, "n": {}}, required=["body"]
    )
    schema = {
        **tool.definition.parameters,
        "$defs": {"Chat": {"type": "object", "properties": {"model": {}, "x": chat}}},
    }
    nested = replace(
        tool, definition=replace(tool.definition, parameters=schema), parameters=declared(schema, problems)
    )

    with pytest.raises(UnpreparedError) as caught:
        nested.prepare({"model": "m", "nothing": 1})

    assert "- model: there is no such argument, it belongs inside of 'body'" in str(caught.value)
    assert "- nothing: there is no such argument\n" in str(caught.value)
