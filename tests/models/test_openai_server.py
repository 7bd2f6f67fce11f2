"""The scripted server keeps its word; everything else that is tested over HTTP rests on it."""

import http.client
import json
import time
from contextlib import closing
from urllib.parse import urlsplit

import pytest

from tests.servers import Call, Drop, Failure, OpenAIServer, Raw, Redirect, Reply, Stream


def connection(server: OpenAIServer) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", urlsplit(server.url).port, timeout=10)


def post(server: OpenAIServer, body: object) -> tuple[http.client.HTTPResponse, bytes]:
    client = connection(server)
    with closing(client):
        client.request("POST", "/v1/chat/completions", json.dumps(body), {"Authorization": "Bearer k"})
        with client.getresponse() as response:
            return response, response.read()


def test_replies_come_in_order_and_requests_are_recorded() -> None:
    with OpenAIServer(["héllo", Reply(calls=[Call("add", {"a": 1}, id="c1")])]) as server:
        first = json.loads(post(server, {"model": "m", "messages": []})[1])
        second = json.loads(post(server, {"model": "m"})[1])
        server.assert_complete()
    assert first["choices"][0]["message"]["content"] == "héllo"
    assert second["choices"][0]["message"]["tool_calls"][0]["function"] == {"name": "add", "arguments": '{"a": 1}'}
    assert second["choices"][0]["finish_reason"] == "tool_calls"
    assert server.requests[0].path == "/v1/chat/completions"
    assert server.requests[0].headers["authorization"] == "Bearer k"


def test_one_connection_serves_several_requests() -> None:
    with OpenAIServer(then="again") as server:
        client = connection(server)
        for _ in range(3):
            client.request("POST", "/v1/x", "{}")
            assert client.getresponse().read()
        client.close()
    assert len(server.requests) == 3


def test_a_reply_is_streamed_when_the_request_asks_for_it() -> None:
    with OpenAIServer([Reply("one two", calls=[Call("f", "{}", id="c")])]) as server:
        response, data = post(server, {"stream": True, "stream_options": {"include_usage": True}})
    assert response.headers["content-type"] == "text/event-stream"
    events = [json.loads(line[6:]) for line in data.decode().splitlines() if line.startswith("data: {")]
    text = "".join(choice["delta"].get("content") or "" for event in events for choice in event["choices"])
    assert text == "one two"
    assert events[-1]["usage"]["total_tokens"] == 15
    assert data.endswith(b"data: [DONE]\n\n")


def test_failures_raw_bytes_and_streams_are_sent_as_written() -> None:
    with OpenAIServer(
        [Failure(429, "slow down", {"Retry-After": "7"}), Raw(b"<html>", 502), Stream(["data: x\n\n"])]
    ) as server:
        limited, body = post(server, {})
        page, html = post(server, {})
        _, events = post(server, {})
    assert (limited.status, limited.headers["retry-after"]) == (429, "7")
    assert json.loads(body)["error"]["message"] == "slow down"
    assert (page.status, html) == (502, b"<html>")
    assert events == b"data: x\n\ndata: [DONE]\n\n"


def test_a_dropped_connection_gives_no_response() -> None:
    with OpenAIServer([Drop()]) as server, pytest.raises(http.client.RemoteDisconnected):
        post(server, {})


def test_a_client_that_hangs_up_is_noticed() -> None:
    with OpenAIServer([Reply("late", delay=60)]) as server:
        client = connection(server)
        client.request("POST", "/v1/x", "{}")
        server.wait_for_requests(1)
        client.close()
        assert server.requests[0].disconnected.wait(10)


def test_leaving_the_server_does_not_wait_for_a_slow_reply() -> None:
    started = time.monotonic()
    with OpenAIServer([Reply("late", delay=60)]) as server:
        client = connection(server)
        client.request("POST", "/v1/x", "{}")
        server.wait_for_requests(1)
    client.close()
    assert time.monotonic() - started < 20


def test_a_reply_nobody_asked_for_fails_the_test() -> None:
    with OpenAIServer(["never asked"]) as server, pytest.raises(AssertionError, match="never asked"):
        server.assert_complete()


def test_a_request_beyond_the_script_fails_the_test() -> None:
    with OpenAIServer([]) as server:
        response, _ = post(server, {"n": 1})
        assert response.status == 500
        with pytest.raises(AssertionError, match="1 requests came after"):
            server.assert_complete()


def test_a_body_may_be_cut_or_come_in_pieces() -> None:
    with OpenAIServer([Raw(b"0123456789", cut_at=4), Raw(b"0123456789", piece=3, pace=0.05)]) as server:
        with pytest.raises(http.client.IncompleteRead) as cut:
            post(server, {})
        begun = time.monotonic()
        assert post(server, {})[1] == b"0123456789"

    assert cut.value.partial == b"0123"
    assert time.monotonic() - begun >= 0.15


def test_a_client_may_be_sent_elsewhere() -> None:
    with OpenAIServer([Redirect("http://127.0.0.1:9/x", 302)]) as server:
        response, _ = post(server, {})

    assert (response.status, response.headers["Location"]) == (302, "http://127.0.0.1:9/x")


def test_a_server_that_hangs_for_ever_ends_with_the_test() -> None:
    with OpenAIServer([Reply("late", delay=float("inf"))]) as server:
        client = connection(server)
        client.request("POST", "/v1/x", "{}")
        server.wait_for_requests(1)

    client.close()
