"""The connections of a run over httpx2: each goes to an address that was checked, with TLS verified.

The client of httpx2 itself is not used: it would keep cookies between tools and pick proxies that go round the check.
"""

import re
import ssl
from collections.abc import AsyncIterator, Iterable
from contextlib import aclosing, suppress
from urllib.request import getproxies, proxy_bypass

import httpcore2
import httpx2

from runner.tools.http.addresses import LOOPBACK, Hosts, bare, check_found, check_host, is_localhost, literal_address
from runner.tools.http.exchange import Redirect, Reply, Resolve
from runner.tools.http.failures import FailedExchangeError, RefusedAddressError
from runner.tools.http.prepared import PreparedRequest
from runner.tools.http.reasons import reason

_CONNECT_SECONDS = 10.0
_KEEP_ALIVE_SECONDS = 30.0
_ERROR_BYTES = 65_536
_FAILURES = (
    httpx2.HTTPError,
    httpcore2.TimeoutException,
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.ProxyError,
    OSError,
)
_TIMEOUTS = (httpx2.TimeoutException, httpcore2.TimeoutException)
_UNPACKED = frozenset({"", "identity", "gzip", "deflate"})
_CODING = re.compile(r"[a-z0-9_, -]{1,40}")
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class HttpClient:
    """Connections, shared and kept open between the calls of one run."""

    def __init__(self, hosts: Hosts, resolve: Resolve) -> None:
        self._hosts = hosts
        self._tls = httpx2.create_ssl_context()
        self._direct = _Direct(_CheckedNetwork(hosts, resolve), self._tls)
        self._proxied: dict[str, httpx2.AsyncHTTPTransport] = {}

    async def exchange(self, request: PreparedRequest, *, seconds: float, max_bytes: int) -> Reply:
        """As `runner.tools.http.exchange.Client`."""
        sent = _outgoing(request, seconds)
        host, port = bare(sent.url.raw_host.decode("ascii")), sent.url.port or _default_port(sent.url)
        check_host(host, port, self._hosts, by_author=not request.host_given)
        try:
            transport = self._transport(sent.url.scheme, host, port)
            response = await transport.handle_async_request(sent)
            try:
                response.request = sent
                return await _read(response, sent.url, max_bytes)
            finally:
                await response.aclose()
        except RefusedAddressError:
            raise
        except _FAILURES as error:
            raise FailedExchangeError(
                f"{_place(sent.url)}: {reason(error)}",
                timed_out=isinstance(error, _TIMEOUTS),
            ) from error

    async def aclose(self) -> None:
        """Close all connections."""
        await self._direct.aclose()
        for transport in self._proxied.values():
            await transport.aclose()

    def _transport(self, scheme: str, host: str, port: int) -> httpx2.AsyncBaseTransport:
        proxy = _proxy(scheme, host, port)
        if proxy is None:
            return self._direct
        if proxy not in self._proxied:
            try:
                self._proxied[proxy] = httpx2.AsyncHTTPTransport(verify=self._tls, proxy=proxy)
            except (ValueError, ImportError, httpx2.InvalidURL):
                raise httpx2.ProxyError("the proxy that the environment names cannot be used") from None
        return self._proxied[proxy]


class _CheckedNetwork(httpcore2.AsyncNetworkBackend):
    """Looks a name up, checks what is found, and connects to exactly that; Host and TLS keep the name."""

    def __init__(self, hosts: Hosts, resolve: Resolve) -> None:
        self._hosts = hosts
        self._resolve = resolve
        self._sockets = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature of httpcore2
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        name = bare(host)
        addresses = check_found(name, port, await self._found(name, port), self._hosts)
        left = _CONNECT_SECONDS if timeout is None else timeout
        for address in addresses[:-1]:
            # Half of what is left, so that a dead address (often the one of IPv6) leaves some for the next.
            left /= 2
            with suppress(httpcore2.ConnectError, httpcore2.ConnectTimeout):
                return await self._sockets.connect_tcp(address, port, left, local_address, socket_options)
        return await self._sockets.connect_tcp(addresses[-1], port, left, local_address, socket_options)

    async def _found(self, host: str, port: int) -> Iterable[str]:
        if literal_address(host) is not None:
            return (host,)
        if is_localhost(host):
            return LOOPBACK
        found = await self._resolve(host, port)
        if not found:
            raise httpcore2.ConnectError("the name of the host is not known")
        return found

    async def sleep(self, seconds: float) -> None:
        await self._sockets.sleep(seconds)


class _Direct(httpx2.AsyncBaseTransport):
    """A pool of httpcore2 behind the port of httpx2, whose own transport takes no network of ours."""

    def __init__(self, network: httpcore2.AsyncNetworkBackend, tls: ssl.SSLContext) -> None:
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=tls, network_backend=network, max_connections=None, keepalive_expiry=_KEEP_ALIVE_SECONDS
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        url = request.url
        response = await self._pool.handle_async_request(
            httpcore2.Request(
                method=request.method,
                url=httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
                headers=request.headers.raw,
                content=request.content,
                extensions=request.extensions,
            )
        )
        return httpx2.Response(
            response.status, headers=response.headers, stream=_Body(response), extensions=response.extensions
        )

    async def aclose(self) -> None:
        await self._pool.aclose()


class _Body(httpx2.AsyncByteStream):
    """The packed body of a response of httpcore2."""

    def __init__(self, response: httpcore2.Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async with aclosing(self._response.aiter_stream()) as pieces:
            async for piece in pieces:
                yield piece

    async def aclose(self) -> None:
        await self._response.aclose()


def _outgoing(request: PreparedRequest, seconds: float) -> httpx2.Request:
    waits = dict.fromkeys(("connect", "read", "write", "pool"), seconds)
    waits["connect"] = min(seconds, _CONNECT_SECONDS)
    headers = [(name.encode("ascii"), value.encode("latin-1")) for name, value in request.headers]
    try:
        return httpx2.Request(
            request.method, request.url, headers=headers, content=request.body, extensions={"timeout": waits}
        )
    except (httpx2.InvalidURL, UnicodeError):
        raise RefusedAddressError("the address is not one that can be reached") from None


async def _read(response: httpx2.Response, url: httpx2.URL, max_bytes: int) -> Reply:
    is_error = response.status_code >= 400
    limit = min(max_bytes, _ERROR_BYTES) if is_error else max_bytes
    body = bytearray()
    packed = _packed(response)
    async with aclosing(response.aiter_raw() if packed else response.aiter_bytes()) as pieces:
        async for piece in pieces:
            body += piece
            if len(body) > limit:
                break
    complete = len(body) <= limit
    headers = {name.lower(): value for name, value in response.headers.items()}
    told = headers.get("content-length", "")[:18]
    return Reply(
        status=response.status_code,
        address=str(url.copy_with(query=None)),
        headers=headers,
        body=bytes(body[:limit]),
        complete=complete,
        # Of a packed body it is the packed size.
        size=int(told) if told.isascii() and told.isdigit() and "content-encoding" not in headers else None,
        packed=packed,
        redirect=_redirect(response, url),
    )


def _packed(response: httpx2.Response) -> str | None:
    """How the body is packed, if in a way that was not asked for; the library would pass it on as it is."""
    coding = response.headers.get("content-encoding", "").lower()
    known = all(each.strip() in _UNPACKED for each in coding.split(","))
    if known:
        return None
    return coding if _CODING.fullmatch(coding) else "something unknown"


def _redirect(response: httpx2.Response, url: httpx2.URL) -> Redirect | None:
    location = response.headers.get("location")
    if response.status_code not in _REDIRECTS or not location:
        return None
    try:
        target = url.join(location).copy_with(fragment=None)
        same_origin = _origin(target) == _origin(url) and not target.userinfo
    except (httpx2.InvalidURL, ValueError):
        return Redirect(url="(an address that is not valid)", same_origin=False)
    return Redirect(url=str(target), same_origin=same_origin)


def _origin(url: httpx2.URL) -> tuple[str, str, int]:
    return url.scheme, bare(url.raw_host.decode("ascii")), url.port or _default_port(url)


def _default_port(url: httpx2.URL) -> int:
    return 443 if url.scheme == "https" else 80


def _place(url: httpx2.URL) -> str:
    """The host for a message, never what may hold a secret."""
    return url.host if url.port is None else f"{url.host}:{url.port}"


def _proxy(scheme: str, host: str, port: int) -> str | None:
    """The proxy that the environment names for a host; this machine is always reached directly."""
    address = literal_address(host)
    if is_localhost(host) or (address is not None and address.is_loopback):
        return None
    if proxy_bypass(host if ":" in host else f"{host}:{port}"):
        return None
    proxies = getproxies()
    proxy = proxies.get(scheme) or proxies.get("all")
    return proxy if proxy is None or "://" in proxy else f"http://{proxy}"
