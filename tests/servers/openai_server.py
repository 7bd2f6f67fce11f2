"""A scripted server that speaks the OpenAI chat API on loopback, for tests of everything above HTTP.

    with OpenAIServer([Reply(calls=[Call("add", {"a": 1})]), "The sum is 1."]) as server:
        run(model="hosted_vllm/m", api_base=server.url)  # or give server.url to a subprocess
        assert server.requests[1].body["messages"][-1]["role"] == "tool"
        server.assert_complete()

Every POST takes the next entry of the script, whatever its path. An entry is one of:

    "text"                  the same as Reply("text")
    Reply(text, calls=…)    a chat completion; streamed word by word when the request says `stream: true`
    Stream([chunk, …])      server-sent events: dicts become chunks (`delta` shorthand: {"content": "hi"} is a whole
                            chunk when it has no "choices" key), str and bytes are written as they are
    Json(value, status=…)   this JSON body
    Raw(b"…", status=…)     these bytes, with a `content_type`; with `piece` so many at a time, and with `cut_at` only
                            so many before the connection is cut
    Failure(429, "message") an error in OpenAI's form, with optional headers such as {"Retry-After": "1"}
    Redirect(url, 307)      sends the client somewhere else
    Drop(b"partial")        writes these bytes to the socket, then cuts the connection
    function                called with the Request, gives any of the above

All but str take `delay` (seconds before the first byte; without end it is a server that hangs); Reply, Stream and
Raw take `pace` (seconds between events, or pieces).
When the script is used up, `then` (an entry, used any number of times) answers; without it the request fails with
status 500 and `assert_complete()` says so. `assert_complete()` also fails when an entry was never asked for.

`server.requests` holds what came in, in order: `path`, `headers` (lower-case names), `body` (parsed JSON), `at`
(time.monotonic) and `disconnected`, a threading.Event set when the client hung up before its reply was complete.
`server.wait_for_requests(n)` waits for the n-th.
"""

import json
import select
import socket
import threading
import time
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from tests.servers.entries import (
    Answer,
    Drop,
    Entry,
    Failure,
    Json,
    JsonDict,
    Raw,
    Redirect,
    Reply,
    Request,
    Stream,
    chunks,
    completion,
    event,
)


class OpenAIServer:
    """The server; starts when entered, listens on a free port of 127.0.0.1, ends when left."""

    def __init__(self, script: Sequence[Entry] = (), *, then: Entry | None = None) -> None:
        self.requests: list[Request] = []
        self.connections = 0
        self._script = list(script)
        self._then = then
        self._came = threading.Condition()
        self._http = _HTTPServer(self)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """Base address as `api_base` wants it, ending in /v1."""
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.end_connections()
        self._http.server_close()

    def assert_complete(self) -> None:
        """Fail unless exactly the scripted replies were asked for."""
        unused = self._script[len(self.requests) :]
        assert not unused, f"{len(unused)} scripted replies were never asked for, the first is {unused[0]!r}"
        if self._then is None:
            extra = self.requests[len(self._script) :]
            assert not extra, f"{len(extra)} requests came after the script had ended, the first is {extra[0].body!r}"

    def wait_for_requests(self, count: int, timeout: float = 20.0) -> None:
        """Wait until that many requests have come in; call it in a thread when the client runs on an event loop."""
        with self._came:
            assert self._came.wait_for(lambda: len(self.requests) >= count, timeout), f"no request within {timeout} s"

    def take(self, request: Request) -> Answer:
        """Record a request and give the reply that is its turn."""
        with self._came:
            number = len(self.requests)
            self.requests.append(request)
            self._came.notify_all()
        if number < len(self._script):
            entry = self._script[number]
        elif self._then is not None:
            entry = self._then
        else:
            entry = Failure(500, f"the test scripted {len(self._script)} replies; this is request {number + 1}")
        return entry(request) if callable(entry) else entry


class _HTTPServer(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True

    def __init__(self, owner: OpenAIServer) -> None:
        self.owner = owner
        self.ending = threading.Event()
        self._open: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), _Conversation)

    def server_bind(self) -> None:
        # HTTPServer's own looks up the host's full name, which takes seconds where there is no DNS.
        socket_name = self.server_address
        self.socket.bind(socket_name)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def opened(self, connection: socket.socket) -> None:
        self.owner.connections += 1
        self._open.add(connection)

    def closed(self, connection: socket.socket) -> None:
        self._open.discard(connection)

    def end_connections(self) -> None:
        self.ending.set()
        for connection in tuple(self._open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # the client was faster

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that hang up are what some tests are about."""


class _HungUpError(Exception):
    """The client went away in the middle of its reply."""


class _Conversation(BaseHTTPRequestHandler):
    """One connection, kept alive over several requests as real servers do."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _HTTPServer

    def setup(self) -> None:
        super().setup()
        self.server.opened(self.connection)

    def finish(self) -> None:
        self.server.closed(self.connection)
        super().finish()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the base class's
        """Stay silent."""

    def do_GET(self) -> None:
        self._send(Json({"error": {"message": f"nothing at {self.path}"}}, status=404))

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", "0")))
        try:
            body = json.loads(raw) if raw else None
        except ValueError:
            body = raw
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(path=self.path, headers=headers, body=body, at=time.monotonic())
        answer = self.server.owner.take(request)
        try:
            self._answer(request, Reply(answer) if isinstance(answer, str) else answer)
        except (_HungUpError, OSError):
            request.disconnected.set()
            self.close_connection = True

    def _answer(self, request: Request, answer: Reply | Stream | Raw | Json | Failure | Redirect | Drop) -> None:
        self._pause(answer.delay)
        asked = request.body if isinstance(request.body, dict) else {}
        match answer:
            case Reply() if asked.get("stream"):
                self._stream(asked, Stream(chunks(asked, answer), pace=answer.pace))
            case Reply():
                self._send(Json(completion(asked, answer)))
            case Stream():
                self._stream(asked, answer)
            case Failure():
                error = {"message": answer.message, "type": "error", "param": None, "code": answer.code}
                self._send(Json({"error": error}, status=answer.status, headers=answer.headers))
            case Redirect():
                self._send(Raw(b"", answer.status, {"Location": answer.to}))
            case Drop():
                self.wfile.write(answer.partial)
                self.close_connection = True
            case _:
                self._send(answer)

    def _send(self, answer: Json | Raw) -> None:
        if isinstance(answer, Json):
            body, kind = json.dumps(answer.value, ensure_ascii=False).encode(), "application/json"
        else:
            body, kind = answer.body, answer.content_type
        self.send_response(answer.status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **answer.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if isinstance(answer, Raw):
            self._write_slowly(answer)
        else:
            self.wfile.write(body)

    def _write_slowly(self, answer: Raw) -> None:
        body = answer.body[: answer.cut_at]
        size = answer.piece or len(body) or 1
        for start in range(0, len(body), size):
            self.wfile.write(body[start : start + size])
            self._pause(answer.pace)
        self.close_connection = self.close_connection or len(body) < len(answer.body)

    def _stream(self, asked: JsonDict, answer: Stream) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for chunk in (*answer.chunks, *(("data: [DONE]\n\n",) if answer.done else ())):
            data = event(asked, chunk)
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self._pause(answer.pace)
        if answer.done:
            self.wfile.write(b"0\r\n\r\n")
        else:
            self.close_connection = True

    def _pause(self, seconds: float) -> None:
        """Wait, unless the client hangs up or the server is to end meanwhile."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if self.server.ending.is_set():
                raise _HungUpError
            readable, _, _ = select.select([self.connection], [], [], min(left, 0.02))
            if readable:
                if self.connection.recv(1, socket.MSG_PEEK) == b"":
                    raise _HungUpError
                time.sleep(min(left, 0.02))  # an impatient client has sent its next request
