"""Bytes of a response -> text, by what the server says of them and by what they are."""

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass

# The charsets of the web. Python has other codecs, some of them not for text and some of quadratic time.
_CHARSETS = re.compile(r"(utf-(8|16|32)|iso8859|latin|ascii|cp\d|koi8|gb|big5|shift_jis|euc|mac|tis|iso2022)")
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]+/[!#$%&'*+.^_`|~0-9a-z-]+")  # RFC 9110, 5.6.2
_CHARSET = re.compile(r"(?:^|;)\s*charset\s*=\s*[\"']?([^\s;\"']{1,40})")
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w-]{1,40})", re.IGNORECASE)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_BINARY = re.compile(
    r"(image/(?!svg)|audio/|video/|font/|application/(octet-stream|pdf|zip|gzip|wasm|msword|vnd\.(ms|openxml)))"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class ContentType:
    """`name` in lower case, empty when the server said nothing; `charset` None when it said none."""

    name: str
    charset: str | None = None

    @property
    def is_json(self) -> bool:
        """Whether the body is said to be JSON."""
        return self.name in ("application/json", "text/json") or self.name.endswith("+json")

    @property
    def is_html(self) -> bool:
        """Whether the body is said to be a page."""
        return self.name in ("text/html", "application/xhtml+xml")


def content_type(headers: Mapping[str, str]) -> ContentType:
    """The `Content-Type` of a response."""
    told = headers.get("content-type", "")
    if not told.strip():
        return ContentType(name="")
    # Not by the parsers of `email`: they fail at what a server may send (`charset*99999…=x`).
    name, _, parameters = told.lower().partition(";")
    found = _CHARSET.search(parameters)
    is_one = _NAME.fullmatch(name.strip()) is not None
    return ContentType(name=name.strip() if is_one else "text/plain", charset=found[1] if found else None)


def decoded(body: bytes, kind: ContentType, *, complete: bool = True) -> str | None:
    """The text of a body; None when it is no text. What cannot be decoded in it becomes `�`.

    A body that is not complete may end in the middle of a character.
    """
    if _BINARY.match(kind.name):
        return None
    for mark, marked in _MARKS:
        if body.startswith(mark):
            return body.decode(marked, "replace")
    told = kind.charset or (_declared(body) if kind.is_html else None)
    if told and (charset := _known(told)):
        return body.decode(charset, "replace")
    if _is_utf8(body, complete=complete) and (kind.name or b"\x00" not in body):
        return body.decode("utf-8", "replace")
    return body.decode("cp1252", "replace") if kind.name.startswith("text/") or kind.is_json else None


def _declared(page: bytes) -> str | None:
    found = _META.search(page[:2048])
    return found[1].decode("ascii", "ignore") if found else None


def _known(charset: str) -> str | None:
    try:
        name = codecs.lookup(charset).name
    except (LookupError, ValueError):
        return None
    return name if _CHARSETS.match(name) else None


def _is_utf8(body: bytes, *, complete: bool) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(body, final=complete)
    except UnicodeDecodeError:
        return False
    return True
