"""Servers that attack: nothing that they send ends a run, hides a note, or shows a part of a secret."""

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.environment import Secrets
from runner.language import selection
from runner.language.selection import SelectionError
from runner.tools.http.decoding import content_type, decoded
from runner.tools.http.exchange import Reply
from runner.tools.http.pages import readable
from runner.tools.http.responses import Reader
from runner.tools.http.retrying import retry_after
from tests.servers.misbehaving import Misbehaving, answer, raw, redirect
from tests.tools.http.conftest import Caller, opened

# The machine may be busy with other things.
unhurried = settings(deadline=None)
JSON = "application/json"
KEY = "s3cr3t-k3y/with+more"
DIGITS = "1" * 5000
HOSTILE = st.one_of(
    st.text(alphabet="text/plain;charset=*'\"0123456789%utf-8ü \t\x00\\", max_size=60),
    st.sampled_from(
        [f"text/plain; charset*{DIGITS}=x", "text/plain; charset=utf-8''%ff", "a/b; charset*0*=%", "=?q?=", ";"]
    ),
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.sampled_from("abx"), inner, max_size=3)),
    max_leaves=8,
)
EXPRESSIONS = [
    *("ceil(@)", "floor(a)", "abs(x)", "avg(@)", "sum(a)", "max(@)", "min(@)", "sort(@)", "reverse(@)", "to_number(a)"),
    *("contains(@, `1`)", "contains(a, 'x')", "starts_with(a, b)", "ends_with(a, 'x')", "join(a, b)", "join('-', @)"),
    *("sort_by(@, &a)", "max_by(@, &a)", "min_by(a, &b)", "map(&ceil(@), @)", "keys(@)", "values(@)", "merge(a, b)"),
    *("to_string(@)", "to_array(@)", "type(@)", "length(@)", "not_null(a, b)", "a[?b > `1`]", "@[?a == x]", "[::-1]"),
    *("@[*].ceil(a)", "a.*", "[].a[]", "a || b && x", "!a", "{a: a, b: b.x}", "[a, b[0], x[-1]]", "items[:2]"),
]


def reader(**more: Any) -> Reader:
    return Reader(**{"select": None, "max_chars": 20_000, "secrets": Secrets([KEY]), **more})


@unhurried
@given(told=HOSTILE, body=st.binary(max_size=40), complete=st.booleans())
def test_no_content_type_and_no_bytes_keep_a_response_from_being_read(told: str, body: bytes, complete: bool) -> None:
    kind = content_type({"content-type": told})

    text = decoded(body, kind, complete=complete)

    assert text is None or isinstance(text, str)


@unhurried
@given(
    body=st.binary(max_size=60),
    charset=st.sampled_from(["utf-16", "utf-32", "iso2022_jp", "gb18030", "euc_kr", "big5"]),
)
def test_bytes_in_any_charset_are_read(body: bytes, charset: str) -> None:
    assert decoded(body, content_type({"content-type": f"text/plain; charset={charset}"})) is not None


@unhurried
@given(value=VALUES, expression=st.sampled_from(EXPRESSIONS))
def test_a_selection_gives_something_or_says_what_it_cannot_use(value: Any, expression: str) -> None:
    try:
        selection.compile(expression).search(value)
    except SelectionError as error:
        told = str(error)
    else:
        told = ""

    assert "\n" not in told


@unhurried
@given(value=VALUES, expression=st.sampled_from([*EXPRESSIONS, None]))
def test_what_a_model_sees_of_json_is_json_or_comes_with_a_note(value: Any, expression: str | None) -> None:
    body = json.dumps(value).replace("Infinity", "1e999").encode()
    select = selection.compile(expression) if expression else None

    result = reader(select=select).result(Reply(status=200, headers={"content-type": JSON}, body=body), "GET")

    assert "cannot be read" not in result.content
    if expression is None and "NaN" not in json.dumps(value):
        json.loads(result.content, parse_constant=pytest.fail)


@unhurried
@given(page=st.text(alphabet="<>/=!-&#;\"' \nadivpretblscrx0", max_size=80))
def test_any_page_is_turned_into_text(page: str) -> None:
    assert isinstance(readable(page, "https://example.com/a"), str)
    assert isinstance(readable(f"<table>{page}</table><pre>{page}", None), str)


@unhurried
@given(told=st.one_of(HOSTILE, st.sampled_from([DIGITS, f"Mon, 01 Jan {DIGITS} 00:00:00 GMT", "Mon, 99 Foo 0", "٣"])))
def test_any_retry_after_is_seconds_or_nothing(told: str) -> None:
    seconds = retry_after(Reply(status=429, headers={"retry-after": told}))

    assert seconds is None or seconds >= 0


@unhurried
@given(
    told=st.from_regex(
        r"(Mon, )?[0-9]{1,3} (Jan|Feb) [0-9]{1,6} [0-9:]{1,10} ([+-][0-9]{1,7}|GMT|-0000)", fullmatch=True
    )
)
def test_any_date_to_wait_for_is_seconds_or_nothing(told: str) -> None:
    seconds = retry_after(Reply(status=429, headers={"retry-after": told}))

    assert seconds is None or seconds >= 0


async def test_a_charset_of_many_digits_is_read_like_none(call: Caller, server: Misbehaving) -> None:
    server.on("/a", answer(200, b"fine", content_type=f"text/plain; charset*{DIGITS}=x"))

    assert await call.ok(opened(server.url + "/a")) == "fine"


@pytest.mark.parametrize(
    ("select", "body"),
    [("ceil(x)", b'{"x": 1e999}'), ("contains(t, n)", b'{"t": "a", "n": 1}'), ("sort(x)", b'{"x": [1, "a"]}')],
)
async def test_what_a_selection_cannot_use_is_an_error_of_the_tool(
    call: Caller, server: Misbehaving, select: str, body: bytes
) -> None:
    server.on("/a", answer(200, body, content_type=JSON))

    assert "`select` cannot be used" in await call.failed(opened(server.url + "/a", response={"select": select}))


async def test_numbers_that_json_cannot_write_are_told_as_they_came(call: Caller, server: Misbehaving) -> None:
    server.on("/large", answer(200, b'{"a": [1e999, -1E400, 1.5]}', content_type=JSON))
    server.on("/nan", answer(200, b'{"a": NaN}', content_type=JSON))

    assert await call.ok(opened(server.url + "/large")) == '{"a":["1e999","-1E400",1.5]}'
    assert (
        await call.ok(opened(server.url + "/nan")) == '{"a": NaN}\n[the response says that it is JSON, but it is not]'
    )


def test_a_sum_that_is_no_number_of_json_is_an_error_of_the_tool() -> None:
    body = json.dumps([1e308] * 5).encode()
    reply = Reply(status=200, headers={"content-type": JSON}, body=body)

    result = reader(select=selection.compile("sum(@)")).result(reply, "GET")

    assert result.is_error
    assert "gives a value that JSON does not have" in result.content


async def test_a_packed_body_that_nobody_asked_for_is_told_and_not_shown(call: Caller, server: Misbehaving) -> None:
    server.on("/a", answer(200, b"\x0b\x02\x80packed\x03", content_type="text/plain", content_encoding="br"))
    server.on("/c", answer(200, b"x", content_type="text/plain", content_encoding="z" * 3000))
    server.on("/b", answer(500, b"\x0b\x02\x80packed\x03", content_type="text/plain", content_encoding="gzip, zstd"))

    told = "(text/plain, 10 bytes: packed as 'br', which was not asked for, so not shown)"
    assert await call.ok(opened(server.url + "/a")) == told
    assert "packed as 'something unknown'" in await call.ok(opened(server.url + "/c"))
    assert await call.failed(opened(server.url + "/b")) == "HTTP 500 Internal Server Error"


async def test_how_long_a_server_asks_to_wait_is_told(call: Caller, server: Misbehaving) -> None:
    server.on("/a", answer(429, b"slow down", retry_after="100"))

    told = await call.failed(opened(server.url + "/a", retries=3), seconds=5)

    assert told == "HTTP 429 Too Many Requests\nslow down\n[the server asks to wait 100 s]"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "place", ["file:///etc/passwd", "ftp://example.com/", "javascript:alert(1)", "data:text/plain,x"]
)
async def test_a_redirect_out_of_the_web_is_told_without_advice(call: Caller, server: Misbehaving, place: str) -> None:
    server.on("/a", redirect(place))

    told = await call.failed(opened(server.url + "/a"))

    assert "is no address of the web and was not followed" in told
    assert "`url`" not in told


def with_key(url: str, **declared: Any) -> Any:
    return opened(url, environ={"K": KEY}, headers={"X-Key": "${K}"}, **declared)


@pytest.mark.parametrize("before", range(270, 305, 3))
async def test_no_half_of_a_secret_is_shown_of_a_redirect(call: Caller, server: Misbehaving, before: int) -> None:
    server.on("/a", redirect(f"https://elsewhere.example/{'x' * (before - 26)}/{KEY}"))

    assert "s3cr" not in await call.failed(with_key(server.url + "/a"))


@pytest.mark.parametrize("kind", ["text/plain", "text/html", JSON])
@pytest.mark.parametrize("shown", [KEY, KEY.replace("/", "\\/"), KEY.replace("+", "\\u002B")])
async def test_no_half_of_a_secret_is_left_where_a_response_was_cut(
    call: Caller, server: Misbehaving, kind: str, shown: str
) -> None:
    for cut in range(1, len(shown) + 1):
        body = f"{'x' * (1000 - cut)}{shown}".encode() + b" and more" * 200
        server.on("/a", answer(200, body, content_type=kind))
        server.on("/e", answer(500, b"y" * (65_536 - cut) + shown.encode() + b" and more" * 200, content_type=kind))

        told = await call.ok(with_key(server.url + "/a", response={"max_bytes": "1kB"}))

        assert "xs" not in told.partition("\n")[0].replace("\\", ""), cut
        assert "ys" not in await call.failed(with_key(server.url + "/e"))


async def test_a_secret_that_is_sent_back_escaped_is_masked(call: Caller, server: Misbehaving) -> None:
    for written in (KEY.replace("/", "\\/"), KEY.replace("+", "\\u002B"), KEY.replace("+", "&#43;")):
        server.on("/a", answer(200, f'key={written}"'.encode(), content_type="text/plain"))

        assert await call.ok(with_key(server.url + "/a")) == 'key=***"'


def test_a_secret_in_the_path_is_not_shown() -> None:
    tool = opened("https://api.example.com/bot${K}/x", environ={"K": "p@ss w0rd/x1^"})

    assert tool.shown(tool.prepare({})).splitlines()[0] == "GET https://api.example.com/bot***/x"


async def test_random_heads_and_bodies_never_raise(call: Caller, server: Misbehaving) -> None:
    pick = random.Random(7)
    names = [
        "Content-Type",
        "Content-Encoding",
        "Location",
        "Retry-After",
        "Content-Length",
        "Transfer-Encoding",
        "ETag",
    ]
    pieces = [
        *("http://[", "://", "\x80", "%00", "gzip", "chunked", "utf-8", DIGITS, "//x", "http://a:99999/", "é", "*", ";")
    ]
    pieces += [
        *("charset=", "=?", "http://xn--/", "http://\u2603", " ", "-1", "1e9", "?", "\\", "@", "text/html", "deflate")
    ]
    for _ in range(300):
        head = [
            f"{pick.choice(names)}: {''.join(pick.choices(pieces, k=pick.randint(0, 3)))}"
            for _ in range(pick.randint(0, 4))
        ]
        status = pick.choice([200, 200, 204, 206, 301, 302, 303, 307, 404, 429, 503, 599, 999])
        lines = [f"HTTP/1.1 {status} X", *head, "", ""]
        data = "\r\n".join(lines).encode()
        server.on("/a", raw(data + pick.randbytes(pick.randint(0, 30))))

        result = await call(opened(server.url + "/a", method=pick.choice(["GET", "HEAD", "POST"])), seconds=5)

        assert "cannot be read" not in result.content, (data, result.content)
