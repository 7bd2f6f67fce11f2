"""Calls of a real server that misbehaves: redirects, retries, lost connections, time, and what leaks of secrets."""

import asyncio
import gc
import json
from typing import Any

import pytest

from runner.tools.http import UnpreparedError
from runner.tools.http.tool import HttpTool
from tests.servers.misbehaving import (
    Misbehaving,
    answer,
    bad_chunks,
    drop,
    drop_after_head,
    drop_in_body,
    raw,
    redirect,
    slow,
    trickle,
)
from tests.tools.http.conftest import Caller, opened

KEY = "s3cr3t-k3y"
# A bound so generous that only a hang exceeds it.
HANG_SECONDS = 20


def with_keys(url: str, **declared: Any) -> HttpTool:
    return opened(
        url,
        environ={"K": KEY},
        headers={"X-API-Key": "${K}"},
        query={"key": "${K}"},
        auth={"bearer": "${K}"},
        **declared,
    )


async def test_the_request_arrives_as_it_was_prepared(call: Caller, server: Misbehaving) -> None:
    tool = opened(
        server.url + "/items/{{ id }}?k=1", method="PATCH", headers={"X-A": "é"}, body={"json": {"id": "{{ id }}"}}
    )
    prepared = tool.prepare({"id": "a/ü"})

    echoed = json.loads(await call.ok(tool, id="a/ü"))

    assert echoed["target"] == "/items/a%2F%C3%BC?k=1"
    assert server.url + echoed["target"] == prepared.url
    assert echoed["method"] == "PATCH"
    assert echoed["body"] == '{"id":"a/ü"}'
    assert {name.lower(): value for name, value in prepared.headers} | {
        "host": f"127.0.0.1:{server.port}",
        "content-length": str(len(prepared.body or b"")),
    } == echoed["headers"]
    assert echoed["headers"]["user-agent"].startswith("yaml-agent-runner/")


@pytest.mark.parametrize("style", ["pipe", "brackets", "space"])
async def test_no_part_of_the_query_is_encoded_twice(call: Caller, server: Misbehaving, style: str) -> None:
    tool = opened(server.url + "/x", query={"a": {"value": "{{ a }}", "style": style}})

    echoed = json.loads(await call.ok(tool, a=["1 %", "|"]))

    assert server.url + echoed["target"] == tool.prepare({"a": ["1 %", "|"]}).url


async def test_a_post_without_a_body_says_so(call: Caller, server: Misbehaving) -> None:
    assert json.loads(await call.ok(opened(server.url, method="POST")))["headers"]["content-length"] == "0"


async def test_calls_of_a_run_share_a_connection_but_no_cookies(call: Caller, server: Misbehaving) -> None:
    server.on("/a", answer(200, b"a", set_cookie="session=1; Path=/"))

    for _ in range(3):
        await call.ok(opened(server.url + "/a"))

    assert server.connections == 1
    assert not any("cookie" in request.headers for request in server.requests)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_get_follows_redirects_inside_the_origin(call: Caller, server: Misbehaving, status: int) -> None:
    server.on("/a", redirect("/b", status))

    echoed = json.loads(await call.ok(with_keys(server.url + "/a")))

    assert echoed["target"] == "/b"
    assert echoed["headers"]["x-api-key"] == "***"
    assert server.requests[1].headers["authorization"] == f"Bearer {KEY}"


async def test_a_redirect_loop_ends(call: Caller, server: Misbehaving) -> None:
    server.on("/a", redirect("/a"))

    assert "more than 5 redirects" in await call.failed(opened(server.url + "/a"))
    assert len(server.requests) == 6


@pytest.mark.parametrize("status", [302, 307])
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_no_other_origin_gets_anything(
    call: Caller, server: Misbehaving, status: int, method: str
) -> None:  # field bug B112
    async with Misbehaving() as other:
        server.on("/a", redirect(f"{other.url}/b?echo={KEY}", status))

        told = await call.failed(with_keys(server.url + "/a", method=method, idempotent=True))

    assert other.requests == []
    assert told.startswith(f"HTTP {status} ")
    assert f"{other.url}/b?echo=***" in told
    assert KEY not in told


@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest",
        "//169.254.169.254/",
        "http://user@127.0.0.1:1/",
        "file:///etc/passwd",
        "http://[",
    ],
)
async def test_a_redirect_into_the_inside_is_not_followed(
    call: Caller, server: Misbehaving, location: str
) -> None:  # field bug B113
    server.on("/a", redirect(location))

    assert "was not followed" in await call.failed(opened(server.url + "/a"))


async def test_a_post_is_not_sent_again_by_a_redirect_unless_it_may_be(call: Caller, server: Misbehaving) -> None:
    server.on("/a", redirect("/b", 307))
    body = {"text": "order"}

    assert "might then be done twice" in await call.failed(opened(server.url + "/a", method="POST", body=body))
    assert server.targets == ["/a"]
    echoed = json.loads(await call.ok(opened(server.url + "/a", method="POST", body=body, idempotent=True)))
    assert (echoed["method"], echoed["body"]) == ("POST", "order")


async def test_see_other_after_a_post_is_read(call: Caller, server: Misbehaving) -> None:
    server.on("/a", redirect("/b", 303))

    echoed = json.loads(await call.ok(opened(server.url + "/a", method="POST", body={"json": {}})))

    assert (echoed["method"], echoed["body"]) == ("GET", "")
    assert "content-type" not in echoed["headers"]


@pytest.mark.parametrize("first", [drop(), drop_after_head(), drop_in_body(), answer(503), answer(500), answer(504)])
async def test_a_get_is_sent_again(call: Caller, server: Misbehaving, first: Any) -> None:
    server.on("/a", first, answer(200, b"done"))

    assert await call.ok(opened(server.url + "/a", retries=2)) == "done"
    assert len(server.requests) == 2
    assert "(1 of 2)" in call.told[0]


@pytest.mark.parametrize("first", [drop(), drop_in_body(), answer(503), answer(504), answer(500), bad_chunks()])
async def test_a_post_is_sent_exactly_once(call: Caller, server: Misbehaving, first: Any) -> None:  # field bug B117
    server.on("/a", first, answer(200, b"twice"))

    await call.failed(opened(server.url + "/a", method="POST", retries=5, body={"json": 1}))

    assert len(server.requests) == 1


async def test_a_post_is_sent_again_when_its_author_allows_it(call: Caller, server: Misbehaving) -> None:
    server.on("/a", drop(), answer(504), answer(200, b"done"))

    assert await call.ok(opened(server.url + "/a", method="POST", retries=2, idempotent=True)) == "done"


async def test_a_post_that_was_refused_for_now_is_sent_again(call: Caller, server: Misbehaving) -> None:
    server.on("/a", answer(429, retry_after="0"), answer(200, b"done"))

    assert await call.ok(opened(server.url + "/a", method="POST", retries=1)) == "done"


@pytest.mark.parametrize("status", [400, 401, 404, 501])
async def test_what_will_not_change_is_not_asked_again(call: Caller, server: Misbehaving, status: int) -> None:
    server.on("/a", answer(status))

    await call.failed(opened(server.url + "/a", retries=3))

    assert len(server.requests) == 1


async def test_no_retry_waits_beyond_the_deadline(call: Caller, server: Misbehaving) -> None:
    server.on("/a", answer(503, retry_after="3600"))

    async with asyncio.timeout(HANG_SECONDS):
        assert "HTTP 503" in (await call(opened(server.url + "/a", retries=3))).content
    assert len(server.requests) == 1


async def test_a_request_that_took_too_long_is_told_and_a_post_not_repeated(call: Caller, server: Misbehaving) -> None:
    server.on("/a", slow(HANG_SECONDS))

    result = await call(opened(server.url + "/a", method="POST", retries=3, idempotent=True), seconds=0.2)

    assert result.is_error
    assert result.content == f"127.0.0.1:{server.port}: it did not answer in time"
    assert len(server.requests) == 1


@pytest.mark.parametrize("behaviour", [slow(HANG_SECONDS), trickle()], ids=["slow", "trickle"])
async def test_a_cancelled_call_closes_its_connection(call: Caller, server: Misbehaving, behaviour: Any) -> None:
    server.on("/a", behaviour)
    task = asyncio.create_task(call(opened(server.url + "/a")))
    async with asyncio.timeout(HANG_SECONDS):
        await server.arrived.wait()
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await server.hung_up.wait()
    gc.collect()  # nothing is left that warns when it is collected


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        (drop(), "closed"),
        (drop_in_body(), "closed before the response was complete"),
        (bad_chunks(), "not HTTP"),
        (raw(b"\x00\x01 nonsense\r\n\r\n"), "not HTTP"),
        (raw(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope"), "cannot be unpacked"),
    ],
)
async def test_a_failed_exchange_is_one_line_without_secrets(
    call: Caller, server: Misbehaving, behaviour: Any, words: str
) -> None:  # field bugs B116, B119
    server.on("/a", behaviour)

    told = await call.failed(with_keys(server.url + "/a"))

    assert told.startswith(f"127.0.0.1:{server.port}: ")
    assert words in told
    assert "\n" not in told
    assert "key" not in told


async def test_a_refused_connection_tells_host_and_reason_only(call: Caller, no_proxy: None) -> None:
    told = await call.failed(with_keys("http://127.0.0.1:9/x?key=${K}"))  # field bug B119

    assert told == "127.0.0.1:9: the connection was refused"


async def test_a_certificate_that_nobody_trusts_is_refused(call: Caller, no_proxy: None) -> None:
    async with Misbehaving(tls=True) as server:
        told = await call.failed(with_keys(server.url + "/a"))

    assert "its TLS certificate is not accepted" in told
    assert server.requests == []


async def test_a_wrong_argument_sends_nothing(call: Caller, server: Misbehaving) -> None:
    tool = opened(server.url + "/{{ id }}", properties={"id": {"type": "string"}}, required=["id"])

    assert "id: missing" in await call.failed(tool)
    assert ".." in await call.failed(tool, id="..")
    with pytest.raises(UnpreparedError):
        tool.prepare({})
    assert server.requests == []
