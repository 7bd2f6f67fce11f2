"""A request as it will be sent, and how it is shown to people."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from runner.environment import Secrets

_MASK = "***"


@dataclass(frozen=True, kw_only=True, slots=True)
class PreparedRequest:
    """The exact request of one call.

    Attributes:
        url: complete and encoded.
        headers: names and values in order, without those that every request has (Host, Content-Length).
        body: None when nothing is sent.
        host_given: whether an argument decided about the host.
        hidden_headers: names of headers, in lower case, whose values are shown to nobody.
        hidden_query: names of parameters of the address, as they stand in it, whose values are shown to nobody.
    """

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes | None = None
    host_given: bool = False
    hidden_headers: frozenset[str] = frozenset()
    hidden_query: frozenset[str] = frozenset()


def as_text(request: PreparedRequest, secrets: Iterable[str]) -> str:
    """The request in the form of HTTP, with `***` for every secret; a body that is no text is told by its size."""
    lines = [f"{request.method} {_url(request)}"]
    for name, value in request.headers:
        lines.append(f"{name}: {_hidden(value) if name.lower() in request.hidden_headers else value}")
    if request.body is not None:
        lines += ["", _body(request.body)]
    return Secrets(secrets).mask("\n".join(lines))


def _url(request: PreparedRequest) -> str:
    url = request.url
    for name in request.hidden_query:
        url = re.sub(rf"(?<=[?&]){re.escape(name)}=[^&]*", f"{name}={_MASK}", url)
    return url


def _hidden(value: str) -> str:
    """The scheme of `Bearer …` tells what is there without telling it."""
    scheme, space, _ = value.partition(" ")
    return f"{scheme} {_MASK}" if space and scheme in ("Bearer", "Basic") else _MASK


def _body(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError:
        return f"({len(body):,} bytes)"
