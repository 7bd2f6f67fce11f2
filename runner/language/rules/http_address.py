"""The address of a tool may be asked: it is http or https, without credentials, and at a host that is allowed."""

import ipaddress
import re
from collections.abc import Iterator, Sequence

from runner.diagnostics import Diagnostic
from runner.environment import Variable, parse
from runner.language.catalog import DeclaredTool
from runner.language.passages import ScalarPassage, diagnostic_in
from runner.language.requests import BLANK, blanked, declaration, strings
from runner.language.wording import clip
from runner.prompts import is_template
from runner.spec import JsonObject, ProjectSpec

CODES = {"RUN516": "an address that a tool cannot ask"}
_KEYS = {"http": "url", "openapi": "server"}
_LISTING = "list the hosts under http_hosts in runner.yaml, as in http_hosts: ['*.api.example.com']"
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?=//)")
_AUTHORITY = re.compile(r"[^/?#\\]*")
_HOST_AND_PORT = re.compile(r"(\[[^\]]*\]|[^:]*)(?::(.*))?", re.DOTALL)
_PORTS = {"http": 80, "https": 443}
# What clouds tell about the machine, its credentials included.
_METADATA_NAMES = frozenset(("metadata", "metadata.google.internal", "metadata.goog", "instance-data"))
_METADATA_ADDRESSES = frozenset(
    map(ipaddress.ip_address, ("fd00:ec2::254", "100.100.100.200", "168.63.129.16", "192.0.0.192"))
)


def check_tool(tool: DeclaredTool, project: ProjectSpec) -> Iterator[Diagnostic]:
    """Look at what is written out of the address; the rest is looked at when it is known."""
    declared = declaration(tool)
    if declared.get("type") == "openapi" and "server" not in declared:
        yield from _of_document(tool, project)
        return
    key = _KEYS.get(str(declared.get("type")))
    url = declared.get(key) if key else None
    if key is None or not isinstance(url, str) or not url:
        return  # the schema's complaint
    passage = ScalarPassage(document=tool.document, path=(*tool.path, key), value=url)
    for message, place, suggestion in _problems(url, project.http_hosts):
        yield diagnostic_in(passage, "RUN516", message, place, suggestion=suggestion)
    given = _given_host(url)
    if given is not None and not project.http_hosts and _sends_keys(declared):
        message = "no call will be made: this tool sends keys, and an argument is part of its host"
        yield diagnostic_in(passage, "RUN516", message, given, suggestion=_LISTING, severity="warning")


def _given_host(url: str) -> tuple[int, int] | None:
    """Where arguments stand in the host of an address."""
    text = blanked(url)
    scheme = _SCHEME.match(text)
    start = scheme.end() + 2 if scheme else 0  # else the address begins with an argument, or is told to have no scheme
    authority = _AUTHORITY.match(text, start)
    if authority is None or not (scheme or text.startswith(BLANK)) or not is_template(url[start : authority.end()]):
        return None
    return start, authority.end()


def _sends_keys(declared: JsonObject) -> bool:
    """Whether something of the environment is sent, or what signs in."""
    written = [text for part in ("url", "headers", "query", "body") for _, text in strings(declared.get(part), ())]
    return "auth" in declared or any(isinstance(each, Variable) for text in written for each in parse(text))


def _of_document(tool: DeclaredTool, project: ProjectSpec) -> Iterator[Diagnostic]:
    """Look at the server that the document itself names."""
    url = tool.data.get("url")
    for message, _, suggestion in _problems(url, project.http_hosts) if isinstance(url, str) else ():
        told = f"the server that the document names: {message}"
        yield tool.document.diagnostic("RUN516", told, (*tool.path, "spec"), suggestion=suggestion)


_Problem = tuple[str, tuple[int, int], str | None]


def _problems(url: str, allowed: Sequence[str]) -> Iterator[_Problem]:
    text = blanked(url)
    space = re.search(r"\s+", text)
    if space and not is_template(text):  # what is left of a template has a mistake, which is told
        yield "an address has no spaces and line breaks", space.span(), "write %20 if one is meant"
        return
    if text.startswith(BLANK):
        return
    scheme = _SCHEME.match(text)
    if scheme is None:
        yield "an address starts with https:// or http://", (0, len(url)), _with_scheme(url)
        return
    if scheme[1].lower() not in _PORTS:
        yield f"expected https or http, found '{scheme[1]}'", scheme.span(1), None
        return
    authority = _AUTHORITY.match(text, scheme.end() + 2)
    if authority is not None:
        yield from _of_authority(scheme[1].lower(), authority[0], authority.start(), allowed)


def _with_scheme(url: str) -> str | None:
    """The address, if only the scheme is missing."""
    return f"write https://{url.lstrip('/')}" if re.match(r"(//)?[\w.-]+\.[a-z]+(:[0-9]+)?(/|$)", url) else None


def _of_authority(scheme: str, text: str, start: int, allowed: Sequence[str]) -> Iterator[_Problem]:
    userinfo, at, rest = text.rpartition("@")
    if at:
        hint = "write auth: {basic: {username: …, password: ${PASSWORD}}}"
        yield "an address holds no name and password", (start, start + len(userinfo) + 1), hint
    start += len(userinfo) + len(at)
    parts = _HOST_AND_PORT.fullmatch(rest)
    host, port = (parts[1], parts[2] or "") if parts else (rest, "")
    if not rest:
        yield "this address names no host", (max(start - 1, 0), start), None
    elif BLANK in rest:
        return
    elif not host:
        yield "this address names no host", (start, start + len(rest)), None
    elif port and not (re.fullmatch("[0-9]{1,5}", port) and 0 < int(port) < 2**16):
        end = start + len(rest)
        yield f"a port is a number from 1 to 65535, found '{clip(port)}'", (end - len(port), end), None
    elif _is_refused(host) and not _is_listed(host, int(port or _PORTS[scheme]), allowed):
        listed = None if "%" in host else f"if tools shall reach it, list '{host}' under http_hosts in runner.yaml"
        message = f"'{clip(host)}' is a link-local or metadata address, which tools may not reach"
        yield message, (start, start + len(host)), listed


def _is_refused(host: str) -> bool:
    if host.lower().rstrip(".") in _METADATA_NAMES:
        return True
    address = _address(host)
    if isinstance(address, ipaddress.IPv6Address):
        address = address.ipv4_mapped or address
    return address is not None and (address.is_link_local or address in _METADATA_ADDRESSES)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The IP address that a host is, however it is written: `0xA9FEA9FE` is one too, where it is connected to."""
    try:
        if host.startswith("["):
            return ipaddress.ip_address(host.strip("[]").partition("%")[0])
        if not re.fullmatch(r"[0-9a-fA-FxX.]+", host):
            return None
        import socket  # noqa: PLC0415 - slow, and most addresses have a name

        return ipaddress.IPv4Address(socket.inet_aton(host))
    except (ValueError, OSError):
        return None


def _is_listed(host: str, port: int, allowed: Sequence[str]) -> bool:
    name = host.lower().rstrip(".")
    for entry in allowed:
        pattern, colon, listed_port = entry.lower().rpartition(":")
        if not colon or not listed_port.isdigit():
            pattern, listed_port = entry.lower(), ""
        if listed_port and int(listed_port) != port:
            continue
        if name == pattern or (pattern.startswith("*.") and name.endswith(pattern[1:])):
            return True
    return False
