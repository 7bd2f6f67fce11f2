"""What the model sees of a response: by its type, never more than the limits, never a crash."""

import gzip
import json
import time
import tracemalloc
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.tools.http.decoding import ContentType, content_type, decoded
from runner.tools.http.pages import readable
from tests.servers.misbehaving import Misbehaving, answer, bomb, endless, raw
from tests.tools.http.conftest import Caller, opened

JSON = "application/json"
# A bound so generous that only quadratic time exceeds it.
HANG_SECONDS = 20


async def seen(call: Caller, server: Misbehaving, behaviour: Any, **declared: Any) -> str:
    server.on("/a", behaviour)
    return await call.ok(opened(server.url + "/a", **declared))


@pytest.mark.parametrize(
    ("behaviour", "expected"),
    [  # field bug B115
        (answer(204), "204 (no content)"),
        (answer(200, b""), "200 (no content)"),
        (answer(200, b'{"a": [1.0, "\xc3\xa9"]}', content_type=JSON), '{"a":[1.0,"é"]}'),
        (answer(200, b'\xef\xbb\xbf{"a": 1}', content_type=JSON), '{"a":1}'),
        (answer(200, '{"a": 1}'.encode("utf-16"), content_type=JSON), '{"a":1}'),
        (answer(200, b'{"a": 1}', content_type="application/problem+json; charset=utf-8"), '{"a":1}'),
        (
            answer(200, b'{"a": 1', content_type=JSON),
            '{"a": 1\n[the response says that it is JSON, but it is not]',
        ),
        (answer(200, b"caf\xe9", content_type="text/plain; charset=latin-1"), "café"),
        (answer(200, b"caf\xe9", content_type="text/plain"), "café"),
        (answer(200, "café".encode(), content_type="text/plain"), "café"),
        (answer(200, "café".encode(), content_type="text/plain; charset=punycode"), "café"),
        (answer(200, b"plain"), "plain"),
        (answer(200, b"a: 1", content_type="application/yaml"), "a: 1"),
        (answer(200, b"\x89PNG\x00\xff", content_type="image/png"), "(image/png, 6 bytes: not text, so not shown)"),
        (answer(200, b"\x00\x01\xff"), "(unknown type, 3 bytes: not text, so not shown)"),
        (answer(200, b"%PDF", content_type="application/pdf"), "(application/pdf, 4 bytes: not text, so not shown)"),
        (answer(200, b"x", content_type=";;;"), "x"),
        (answer(200, gzip.compress(b"packed"), content_encoding="gzip"), "packed"),
        (answer(200, zlib.compress(b"packed"), content_encoding="deflate"), "packed"),
        (answer(200, b'["\\ud800 \\u00e9"]', content_type=JSON), '["� é"]'),
        (answer(206, b"part", content_type="text/plain"), "part"),
        (answer(299, b"odd"), "odd"),
        (answer(200, b"[" * 100_000, content_type=JSON), None),
        (answer(200, b"9" * 10_000, content_type=JSON), None),
    ],
)
async def test_a_body_is_shown_by_its_type(
    call: Caller, server: Misbehaving, behaviour: Any, expected: str | None
) -> None:
    content = await seen(call, server, behaviour)

    assert content == expected or (expected is None and "it is not]" in content)


async def test_a_page_is_shown_as_text_with_its_links(call: Caller, server: Misbehaving) -> None:
    page = """<!doctype html><html><head><title>News &amp; more</title><style>p{color:red}</style></head><body>
      <nav><a href="/">Home</a></nav><script>alert(1)</script>
      <h1>Today</h1><p>Read <a href="https://e.example/x">this</a> or <a href="/that?a=1">that</a>.</p><svg>drawn</svg>
      <ul><li>one</li><li>two</li></ul><img src="data:image/png;base64,AAAA" alt="A chart"></body></html>"""

    content = await seen(call, server, answer(200, page.encode(), content_type="text/html; charset=utf-8"))

    links = f"[this](https://e.example/x) or [that]({server.url}/that?a=1)"
    assert content.startswith(f"News & more\n\n# Today\n\nRead {links}.")
    assert "- one\n- two" in content
    for gone in ("Home", "alert", "color", "AAAA", "drawn"):
        assert gone not in content


async def test_a_page_tells_its_own_charset(call: Caller, server: Misbehaving) -> None:
    page = b'<html><head><meta charset="iso-8859-15"></head><p>5 \xa4</p></html>'

    assert await seen(call, server, answer(200, page, content_type="text/html")) == "5 €"


@pytest.mark.parametrize(
    "page",
    ["<div>" * 50_000, "<a" * 200_000, "<![CDATA[" * 20_000, "<title" * 50_000, "<p>a" * 20_000, "<!--", "", "\0"],
)
def test_no_page_breaks_the_reading(page: str) -> None:
    started = time.monotonic()

    assert isinstance(readable(page), str)
    assert time.monotonic() - started < HANG_SECONDS


@given(st.text(alphabet="<>/=\"'&;! -abdiptl[]#\n", max_size=200))
def test_any_text_can_be_read_as_a_page(page: str) -> None:
    assert isinstance(readable(page, "https://h.example/"), str)


async def test_select_keeps_what_it_selects(call: Caller, server: Misbehaving) -> None:
    body = json.dumps({"items": [{"title": "A", "x": 1}, {"title": "B", "x": 2}]}).encode()
    response = {"select": "items[].{title: title}"}

    assert await seen(call, server, answer(200, body, content_type=JSON), response=response) == (
        '[{"title":"A"},{"title":"B"}]'
    )
    assert await seen(call, server, answer(200, body), response={"select": "items[0].title"}) == "A"


async def test_a_select_that_does_not_fit_says_so(call: Caller, server: Misbehaving) -> None:
    json_body = answer(200, b'{"a": 1}', content_type=JSON)

    assert await seen(call, server, json_body, response={"select": "b"}) == (
        "null\n[`select` found nothing in the response]"
    )
    assert await seen(call, server, answer(200, b"text"), response={"select": "b"}) == (
        "text\n[the response is not JSON; `select` was not used]"
    )
    assert "`select` cannot be used" in await call.failed(opened(server.url + "/b", response={"select": "sum(method)"}))


async def test_a_long_result_is_cut_on_a_character_with_its_full_size(
    call: Caller, server: Misbehaving
) -> None:  # field bug B33
    body = ("é" * 50_000).encode()

    content = await seen(call, server, answer(200, body, content_type="text/plain"), max_result_chars=100)

    assert content == "é" * 100 + "… [cut: 100 of 50,000 characters shown]"


async def test_no_more_is_read_than_allowed(call: Caller, server: Misbehaving) -> None:
    response = {"max_bytes": "1kB"}

    content = await seen(call, server, endless(content_length=5_000_000), response=response)
    assert content == "x" * 1000 + "\n[cut: only the first 1,000 of 5,000,000 bytes of the response were read]"
    assert (await seen(call, server, endless(), response=response)).endswith(
        "only the first 1,000 bytes of the response were read]"
    )
    assert (await seen(call, server, answer(200, b"x" * 1000), response=response)) == "x" * 1000


async def test_json_that_was_cut_is_text_with_a_note(call: Caller, server: Misbehaving) -> None:
    behaviour = answer(200, b"[" + b"1," * 1000 + b"1]", content_type=JSON)

    content = await seen(call, server, behaviour, response={"max_bytes": 10, "select": "[0]"})

    assert content.startswith(
        "[1,1,1,1,1\n[the JSON is not complete; `select` was not used]\n[cut: only the first 10 of"
    )


async def test_a_bomb_costs_no_more_than_the_limit(call: Caller, server: Misbehaving) -> None:
    behaviour = bomb(200_000_000)
    await seen(call, server, answer(200, b"warm"))
    tracemalloc.start()
    try:
        content = await seen(call, server, behaviour, response={"max_bytes": "100kB"})
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert "only the first 100,000 bytes" in content
    assert peak < 20_000_000


@pytest.mark.parametrize(
    ("behaviour", "expected"),
    [  # field bug B116
        (answer(404, b'{"error":"no such id"}', content_type=JSON), 'HTTP 404 Not Found\n{"error":"no such id"}'),
        (answer(500), "HTTP 500 Internal Server Error"),
        (answer(599, b"odd"), "HTTP 599\nodd"),
        (answer(304), "HTTP 304 Not Modified"),
        (answer(403, b"\x00\xff", content_type="image/png"), "HTTP 403 Forbidden"),
        (
            answer(502, b"<html><style>x</style><h1>Bad</h1>" + b"<p>gateway</p>" * 20_000, content_type="text/html"),
            "HTTP 502 Bad Gateway\n# Bad\n\ngateway",
        ),
    ],
)
async def test_an_error_status_is_an_error_with_a_short_body(
    call: Caller, server: Misbehaving, behaviour: Any, expected: str
) -> None:
    server.on("/a", behaviour)

    content = await call.failed(opened(server.url + "/a"))

    assert content.startswith(expected)
    assert len(content) < 700


async def test_head_tells_the_status_and_what_there_is(call: Caller, server: Misbehaving) -> None:
    head = raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 9\r\nETag: x\r\n\r\n", then_close=False)

    content = await seen(call, server, head, method="HEAD")

    assert content == "200 OK\ncontent-type: text/plain\ncontent-length: 9\netag: x"


async def test_no_half_of_a_secret_is_left_at_a_cut(call: Caller, server: Misbehaving) -> None:
    server.on("/a", answer(200, b"12345 s3cr3t-k3y 67890"), answer(401, b"x" * 495 + b"s3cr3t-k3y"))
    tool = opened(server.url + "/a", auth={"bearer": "${K}"}, environ={"K": "s3cr3t-k3y"}, max_result_chars=10)

    assert (await call.ok(tool)).startswith("12345 *** …")
    assert "s3c" not in (await call(tool)).content


def test_the_end_of_a_cut_text_is_no_reason_to_doubt_its_charset() -> None:
    half = "aé".encode()[:-1]

    assert decoded(half, ContentType(name="text/plain"), complete=False) == "a�"
    assert decoded(half, ContentType(name="text/plain")) == "aÃ"


@pytest.mark.parametrize(
    ("header", "name", "charset"),
    [
        ("Text/HTML; Charset=UTF-8", "text/html", "utf-8"),
        ('text/plain; charset="latin1"', "text/plain", "latin1"),
        ("", "", None),
    ],
)
def test_a_content_type_is_read(header: str, name: str, charset: str | None) -> None:
    assert content_type({"content-type": header}) == ContentType(name=name, charset=charset)
