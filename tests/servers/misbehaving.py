"""An HTTP server on loopback that misbehaves on purpose: what it sends is decided byte by byte.

    async with Misbehaving() as server:
        server.on("/missing", answer(404, b'{"error": "no such id"}', content_type="application/json"))
        server.on("/moved", redirect("/loop"), answer(200, b"done"))  # one after the other, the last for ever
        ... server.url + "/missing" ...
        assert server.requests[0].headers["x-key"] == "…"

It runs on the event loop of the test. `Misbehaving(tls=True)` speaks TLS with a certificate that nobody trusts.
A path without behaviour echoes the request as JSON. `server.arrived` is set by the first request, `server.hung_up` when
a client closes a connection that waits for an answer.
"""

import asyncio
import gzip
import json
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

_UNTRUSTED = Path(__file__).parent / "untrusted.pem"


@dataclass(frozen=True, kw_only=True, slots=True)
class Received:
    """A request as it came; `target` is the path with the query, headers are by lower-case names."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]


class _Close(Exception):  # noqa: N818 - an end, not an error
    """The behaviour closes the connection."""


class Connection:
    """What a behaviour writes to."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def wait(self, seconds: float) -> None:
        """Do nothing for a while; a client that goes away is noted, and ends the behaviour."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._reader.read()
                raise ConnectionResetError


Behaviour = Callable[[Received, Connection], Awaitable[None]]


class Misbehaving:
    """The server; listens on a free port of 127.0.0.1 between entering and leaving."""

    def __init__(self, *, tls: bool = False) -> None:
        self.requests: list[Received] = []
        self.connections = 0
        self.hung_up = asyncio.Event()
        self.arrived = asyncio.Event()
        self._tls = tls
        self._behaviours: dict[str, list[Behaviour]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def on(self, path: str, *behaviours: Behaviour) -> None:
        """What happens at a path: one behaviour for each request, the last for all further ones."""
        self._behaviours[path] = list(behaviours)

    @property
    def url(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    @property
    def targets(self) -> list[str]:
        return [request.target for request in self.requests]

    async def __aenter__(self) -> Self:
        context = None
        if self._tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(_UNTRUSTED)
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0, ssl=context)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            while (received := await _receive(reader)) is not None:
                self.requests.append(received)
                self.arrived.set()
                waiting = self._behaviours.get(received.path) or [echo]
                behaviour = waiting.pop(0) if len(waiting) > 1 else waiting[0]
                await behaviour(received, Connection(reader, writer))
        except OSError:
            self.hung_up.set()
        except (_Close, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            with suppress(OSError, asyncio.CancelledError):
                await writer.wait_closed()


async def _receive(reader: asyncio.StreamReader) -> Received | None:
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    method, target, _ = first.split(" ")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Received(method=method, target=target, headers=headers, body=body)


def _head(status: int, headers: dict[str, str]) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} Whatever\r\n{lines}\r\n".encode("latin-1")


async def echo(received: Received, connection: Connection) -> None:
    """Tells what came, as JSON."""
    value = {
        "method": received.method,
        "target": received.target,
        "headers": received.headers,
        "body": received.body.decode("utf-8", "replace"),
    }
    await answer(200, json.dumps(value).encode(), content_type="application/json")(received, connection)


def answer(status: int, body: bytes = b"", *, content_type: str | None = None, **headers: str) -> Behaviour:
    """A proper response; `retry_after="1"` becomes the header `retry-after`."""
    every = {"Content-Length": str(len(body)), **({"Content-Type": content_type} if content_type else {})}
    every |= {name.replace("_", "-"): value for name, value in headers.items()}
    return raw(_head(status, every) + (body if status != 204 else b""), then_close=False)


def redirect(location: str, status: int = 302) -> Behaviour:
    return answer(status, location=location)


def raw(data: bytes, *, then_close: bool = True) -> Behaviour:
    """These bytes; then the connection is closed."""

    async def behave(received: Received, connection: Connection) -> None:
        await connection.send(data)
        if then_close:
            raise _Close

    return behave


def drop() -> Behaviour:
    """The connection is closed without a word."""
    return raw(b"")


def drop_after_head() -> Behaviour:
    return raw(_head(200, {"Content-Length": "100"}))


def drop_in_body() -> Behaviour:
    return raw(_head(200, {"Content-Length": "100"}) + b"half of")


def bad_chunks() -> Behaviour:
    return raw(_head(200, {"Transfer-Encoding": "chunked"}) + b"xyz\r\nnot a chunk\r\n")


def slow(seconds: float) -> Behaviour:
    """Nothing for a while, then an answer."""

    async def behave(received: Received, connection: Connection) -> None:
        await connection.wait(seconds)
        await answer(200, b"at last")(received, connection)

    return behave


def trickle(pause: float = 0.02) -> Behaviour:
    """A body that comes byte by byte and never ends."""

    async def behave(received: Received, connection: Connection) -> None:
        await connection.send(_head(200, {"Content-Type": "text/plain"}))
        while True:
            await connection.send(b"x")
            await connection.wait(pause)

    return behave


def endless(piece: bytes = b"x" * 65_536, *, content_length: int | None = None) -> Behaviour:
    """A body without end, as fast as it is taken."""

    async def behave(received: Received, connection: Connection) -> None:
        told = {} if content_length is None else {"Content-Length": str(content_length)}
        await connection.send(_head(200, {"Content-Type": "text/plain", **told}))
        while True:
            await connection.send(piece)

    return behave


def bomb(unpacked_bytes: int) -> Behaviour:
    """A small gzip body that unpacks to a huge one."""
    packed = gzip.compress(b"\0" * unpacked_bytes)
    return answer(200, packed, content_type="text/plain", content_encoding="gzip")
