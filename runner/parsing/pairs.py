"""Reads and writes arguments as `name=value` pairs."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from runner.parsing.json_span import span_end
from runner.parsing.json_text import loads
from runner.parsing.parameters import takes_text, typed
from runner.spec import Json, JsonObject

Sign = Literal["=", ":"]

# The possessive quantifiers (`++`) keep this linear whatever the text is.
_NAME = r"[^\W\d][\w.-]*+"
_FIRST = {"=": re.compile(rf"({_NAME})\s*+=(?!=)\s*+"), ":": re.compile(rf"({_NAME})[ \t]*+:(?:\s++|$)")}
_NEXT = {
    "=": re.compile(rf"(?<=[\s,;]){_NAME}\s*+=(?!=)"),
    ":": re.compile(rf"(?<=[\s,;]){_NAME}[ \t]*+:(?=\s|$)"),
}
_QUOTED = {'"': re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL), "'": re.compile(r"'(?:[^'\\]|\\.)*+'", re.DOTALL)}
_SEPARATORS = re.compile(r"[\s,;]*+")
_SEPARATED = re.compile(r"[\s,;]|$")


class NotPairsError(ValueError):
    """The text is no list of pairs; the message says why, for the model to read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Pair:
    name: str
    value: Json


def read_pairs(text: str, parameters: JsonObject, sign: Sign = "=") -> dict[str, Json]:
    """The values of pairs separated by commas, semicolons or white space, each typed by its JSON Schema.

    A value is quoted (`"` or `'`, with backslash escapes), or everything up to the next name: `city=New York, days=3`.
    Where no text is allowed it is JSON.

    Raises:
        NotPairsError: something is no pair, a quote is never closed, or a name comes twice.
    """
    values: dict[str, Json] = {}
    for pair in _pairs(text, parameters, sign):
        if pair.name in values:
            raise NotPairsError(f"{pair.name} is given twice")
        values[pair.name] = pair.value
    return values


def write_pairs(arguments: JsonObject) -> str:
    """Arguments as pairs that are read back the same, where their schema tells text from other values."""
    return ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())


def _pairs(text: str, parameters: JsonObject, sign: Sign) -> Iterator[_Pair]:
    position = _SEPARATORS.match(text, 0).end()  # type: ignore[union-attr]  # matches the empty text too
    while position < len(text):
        opened = _FIRST[sign].match(text, position)
        if opened is None:
            raise NotPairsError(f"expected name{sign}value, found {_shown(text[position:])}")
        name, begin = opened[1], opened.end()
        if text[begin : begin + 1] in _QUOTED:
            value, end = _quoted(text, begin, name)
        elif text[begin : begin + 1] in ("[", "{") and not takes_text(name, parameters):
            value, end = _json(text, begin, name)
        else:
            following = _NEXT[sign].search(text, begin)
            end = following.start() if following else len(text)
            value = typed(text[begin:end].strip(" \t\r\n,;"), name, parameters)
        yield _Pair(name=name, value=value)
        position = _SEPARATORS.match(text, end).end()  # type: ignore[union-attr]  # as above


def _quoted(text: str, begin: int, name: str) -> tuple[str, int]:
    found = _QUOTED[text[begin]].match(text, begin)
    if found is None:
        raise NotPairsError(f"the quote before the value of {name} is never closed")
    if not _SEPARATED.match(text, found.end()):
        raise NotPairsError(f"expected a comma after the value of {name}, found {_shown(text[found.end() :])}")
    if text[begin] == '"':
        try:
            return str(loads(found[0])), found.end()
        except ValueError:  # an escape that JSON does not know, `\d`: kept as it stands
            return found[0][1:-1], found.end()
    return re.sub(r"\\(['\\])", r"\1", found[0][1:-1]), found.end()


def _json(text: str, begin: int, name: str) -> tuple[Json, int]:
    end = span_end(text, begin)
    try:
        return loads(text[begin:end]), end or len(text)
    except ValueError as error:
        raise NotPairsError(f"the value of {name} is no JSON: {error}") from None


def _shown(text: str) -> str:
    line = text.strip().partition("\n")[0]
    return repr(line if len(line) <= 40 else f"{line[:40]}…")
