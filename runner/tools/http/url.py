"""Puts the address of one call together: what an argument gives can fill a place in it, never change its form."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote, quote_plus, urlsplit

from runner.prompts import Absent, Written, text_form
from runner.tools.http.encoding import pairs
from runner.tools.http.failures import UnpreparedError
from runner.tools.http.fields import FromEnvironment, Part

# What an author may have encoded already, or means as it is.
_AS_WRITTEN = "/%:@!$&'()*+,;=~-._?[]"
# A name, an IPv4 address or an IPv6 address in brackets, and a port.
_HOST = re.compile(r"(?:\[[0-9a-fA-F:.]+\]|[\w.-]+)(?::[0-9]{1,5})?")
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\]")
_DOTS = (".", "..")


@dataclass(frozen=True, kw_only=True, slots=True)
class Address:
    """An address of one call.

    Attributes:
        url: complete and encoded, without a fragment.
        host_given: whether arguments decide about the host, or about a part of its name.
    """

    url: str
    host_given: bool


def build(parts: Iterable[Part], query: Iterable[str]) -> Address:
    """The address from the parts of the declared `url`, and the encoded `query` that comes after its own.

    Raises:
        UnpreparedError: a value cannot stand where it would, or the result is no address of the web.
    """
    builder = _Builder()
    for part in parts:
        builder.add(part)
    return builder.address(query)


class _Builder:
    """Reads the parts in order; `_area` is where in the address the next one stands."""

    def __init__(self) -> None:
        self._area = "scheme"
        self._scheme = ""
        # A variable that is not set and holds the beginning of the address, its host included.
        self._unknown = ""
        # Each part with whether an argument gave it.
        self._host: list[tuple[str, bool]] = []
        self._path: list[str] = []
        self._query: list[list[str | Written | Absent]] = [[]]

    def add(self, part: Part) -> None:
        match part:
            case str():
                self._text(part, given=False)
            case FromEnvironment():
                self._environment(part)
            case _ if self._area == "query":
                self._query[-1].append(part)
            case Absent():
                if self._area != "fragment":
                    raise UnpreparedError(f"the address needs the argument '{part.name}', which is not given")
            case Written(value=None):
                if self._area != "fragment":
                    raise UnpreparedError("the address needs a value where an argument is null")
            case Written():
                self._value(text_form(part.value))

    def _environment(self, part: FromEnvironment) -> None:
        if part.unset:
            self._unset(part.text)
        elif self._area == "query":
            self._query[-1].append(quote_plus(part.text))
        else:
            self._text(part.text, given=False)

    def _unset(self, text: str) -> None:
        """A variable that stands for itself, so that it can be read; nothing is sent to such an address."""
        match self._area:
            case "scheme" if not self._scheme:
                self._area, self._unknown = "path", text
            case "scheme":
                self._scheme += text
            case "host":
                self._host.append((text, False))
            case "path":
                self._path.append(text)
            case "query":
                self._query[-1].append(text)

    def _value(self, text: str) -> None:
        if self._area == "scheme" and not self._scheme:
            self._whole(text)
        elif self._area == "scheme":
            raise UnpreparedError("an argument cannot stand there in the address, before '://'")
        elif self._area == "host":
            if not _HOST.fullmatch(text):
                raise UnpreparedError(f"'{text}' cannot be a host, or a part of the name of one")
            self._host.append((text, True))
        elif self._area == "path":
            if text in ("", *_DOTS):
                raise UnpreparedError(f"'{text}' cannot stand in the path of the address, a name or number is expected")
            self._path.append(quote(text, safe=""))

    def _whole(self, text: str) -> None:
        """An address that is an argument as a whole, or begins with one."""
        if not text.lower().startswith(("http://", "https://")):
            raise UnpreparedError(f"'{text}' is not an address: expected one that begins with https:// or http://")
        self._text(text, given=True)

    def _text(self, text: str, *, given: bool) -> None:
        if self._area == "scheme":
            self._scheme, found, text = (self._scheme + text).partition("://")
            if not found:
                return
            self._area = "host"
        if self._area == "host":
            head, text = _until(text, "/?#")
            self._host.append((head, given))
            if not text:
                return
            self._area = "path"
        if self._area == "path":
            head, text = _until(text, "?#")
            self._path.append(quote(head, safe=_AS_WRITTEN))
            if not text:
                return
            self._area = "query" if text[0] == "?" else "fragment"
            text = text[1:]
        if self._area == "query":
            head, rest = _until(text, "#")
            first, *others = head.split("&")
            self._query[-1].append(quote(first, safe=_AS_WRITTEN))
            self._query.extend([quote(each, safe=_AS_WRITTEN)] for each in others)
            self._area = "fragment" if rest else "query"

    def address(self, query: Iterable[str]) -> Address:
        own = [text for piece in self._query for text in _parameters(piece)]
        whole = "&".join([*own, *query])
        rest = f"{''.join(self._path) or '/'}{'?' if whole else ''}{whole}"
        if self._unknown:
            return Address(url=f"{self._unknown}{rest}", host_given=False)
        host = "".join(text for text, _ in self._host)
        given = any(by_argument for _, by_argument in self._host)
        if given and not _HOST.fullmatch(host):
            raise UnpreparedError(f"'{host}' cannot be a host")
        _check_host(self._scheme, host)
        return Address(url=f"{self._scheme.lower()}://{host}{rest}", host_given=given)


def _check_host(scheme: str, host: str) -> None:
    if scheme.lower() not in ("http", "https"):
        # Without what it begins with: that may be the first half of a secret.
        raise UnpreparedError("the address begins with something else: expected https:// or http://")
    if "@" in host:
        raise UnpreparedError("the address holds a name or password before '@': write `auth: {basic: …}` instead")
    if not host or _UNSAFE.search(host) or "%" in host:
        raise UnpreparedError("the address has no host that can be reached")
    try:
        parts = urlsplit(f"{scheme}://{host}/")
        is_address = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        is_address = False
    if not is_address:
        raise UnpreparedError(f"'{host}' is not a host")


def _until(text: str, delimiters: str) -> tuple[str, str]:
    place = min((found for each in delimiters if (found := text.find(each)) >= 0), default=len(text))
    return text[:place], text[place:]


def _parameters(piece: list[str | Written | Absent]) -> Iterable[str]:
    """One parameter of the query as it stands in the declared address; without its argument it is left out."""
    match [part for part in piece if part != ""]:
        case [str() as name, Written(value=list() as values)] if name.endswith("="):
            return list(pairs(name[:-1], values))
    texts: list[str] = []
    for part in piece:
        match part:
            case str():
                texts.append(part)
            case Written(value=None) | Absent():
                return ()
            case Written():
                texts.append(quote_plus(text_form(part.value)))
    whole = "".join(texts)
    return (whole,) if whole else ()
