"""Says in a few words why a server was not reached or did not answer, without anything that the request held."""

import errno
import socket
import ssl
from collections.abc import Iterator

_BY_NUMBER = {
    errno.ECONNREFUSED: "the connection was refused",
    errno.ECONNRESET: "the connection was closed by the server",
    errno.EPIPE: "the connection was closed by the server",
    errno.EHOSTUNREACH: "the host cannot be reached",
    errno.ENETUNREACH: "the network cannot be reached",
    errno.ETIMEDOUT: "it did not answer in time",
}
_BY_NAME = {
    "ConnectTimeout": "no connection was made in time",
    "PoolTimeout": "no connection was free in time",
    "ReadTimeout": "it did not answer in time",
    "WriteTimeout": "it did not take the request in time",
    "DecodingError": "its response cannot be unpacked",
    "ReadError": "the connection was closed by the server",
    "WriteError": "the connection was closed by the server",
    "RemoteProtocolError": "the connection was closed before the response was complete, or the response is not HTTP",
    "LocalProtocolError": "the request cannot be written as HTTP",
    "ProxyError": "the proxy did not pass the request on",
    "ConnectError": "no connection was made",
}


def reason(error: BaseException) -> str:
    """What happened, from the exception of a network library and those it was raised from."""
    for each in _chain(error):
        if isinstance(each, ssl.SSLCertVerificationError):
            return f"its TLS certificate is not accepted ({each.verify_message})"
        if isinstance(each, ssl.SSLError):
            return "the TLS connection failed"
        if isinstance(each, socket.gaierror):
            return "the name of the host is not known"
        if isinstance(each, OSError) and each.errno in _BY_NUMBER:
            return _BY_NUMBER[each.errno]
    return _BY_NAME.get(type(error).__name__, "the connection failed")


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        each = waiting.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        waiting += [each.__cause__, each.__context__]
        if isinstance(each, BaseExceptionGroup):
            waiting += each.exceptions
