"""Plain data -> YAML as a person would write it; read again, it is the same data."""

import json
import re
from collections.abc import Mapping, Sequence

from runner.language.yaml12.core import plain
from runner.spec import Json, JsonObject

_PLAIN = re.compile(r"[A-Za-z_./](?:[\w./ +-]*[\w./])?", re.ASCII)
# What must be escaped in double quotes, beside what JSON escapes: controls, and line ends of YAML 1.1.
_INVISIBLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_NOT_IN_A_BLOCK = re.compile("[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_STEP = 2


def mapping_lines(value: JsonObject, comments: Mapping[str, Sequence[str]]) -> list[str]:
    """The lines of a mapping; `comments` stand above their keys."""
    lines: list[str] = []
    for key, inner in value.items():
        lines += [f"# {comment}" for comment in comments.get(key, ())]
        lines += _entry(key, inner, 0)
    return lines


def scalar(value: Json) -> str:
    """A value on one line, with quotes if it needs them."""
    if not isinstance(value, str):
        return json.dumps(value)
    if _PLAIN.fullmatch(value) and plain(value) == value:
        return value
    quoted = json.dumps(value, ensure_ascii=False)
    return _INVISIBLE.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def _lines(value: Json, indent: int) -> list[str]:
    """The lines of a value that stands on lines of its own."""
    if isinstance(value, dict) and value:
        return [line for key, inner in value.items() for line in _entry(key, inner, indent)]
    margin = " " * indent
    if isinstance(value, list) and value:
        lines: list[str] = []
        for item in value:
            first, *others = _lines(item, indent + _STEP)
            lines += [f"{margin}- {first.lstrip(' ')}", *others]
        return lines
    if isinstance(value, str) and (header := _block_header(value)):
        return [f"{margin}{header}", *(f"{margin}{line}" if line else "" for line in value.rstrip("\n").split("\n"))]
    return [f"{margin}{scalar(value)}"]


def _entry(key: str, value: Json, indent: int) -> list[str]:
    start = f"{' ' * indent}{scalar(key)}:"
    inner = _lines(value, indent + _STEP)
    if isinstance(value, dict | list) and value:
        return [start, *inner]
    return [f"{start} {inner[0].lstrip(' ')}", *inner[1:]]


def _block_header(text: str) -> str | None:
    """How a text over several lines begins; None when it is better written in quotes."""
    body = text.rstrip("\n")
    is_plain = "\n" in body or (text.endswith("\n") and body)
    if not is_plain or text.endswith("\n\n") or body[:1] in (" ", "\t", "\n") or _NOT_IN_A_BLOCK.search(text):
        return None
    if any(not line.strip() and line for line in body.split("\n")):
        return None
    return "|" if text.endswith("\n") else "|-"
