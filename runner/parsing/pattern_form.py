"""Writes a text that a pattern matches, so that what a model should write can be shown to it."""

import re
import string
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from runner.parsing.patterns import Pattern, PatternError


class _Edge(Enum):
    """A place that must be the start or the end of a line."""

    START = "^"
    END = "$"


_Piece = str | _Edge


@dataclass(frozen=True, kw_only=True, slots=True)
class _Form:
    """Pieces of text, and how many of the wanted groups they hold."""

    pieces: tuple[_Piece, ...] = ()
    wanted: int = 0

    def __add__(self, other: "_Form") -> "_Form":
        return _Form(pieces=self.pieces + other.pieces, wanted=self.wanted + other.wanted)


class _UnknownSyntaxError(Exception):
    """The pattern has something that is not understood here."""


# What to show where a pattern leaves the choice, the first that fits.
_SHOWN = "x0 _-" + string.printable
_ONE_CHARACTER = re.compile(
    r"\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*+\]|\\(?:[pP](?:\{[^}]*\}|.)|x(?:\{\w+\}|\w\w)|.)|[^()|\[\\]", re.DOTALL
)
_GROUP = re.compile(r"\((?:\?(?:P?<(?P<name>\w+)>|[imsU-]*(?P<kind>[:)]))|(?!\?))")
_COUNT = re.compile(r"(?:(?P<sign>[*+?])|\{(?P<least>\d+)(?:,\d*)?\})\??")


def form_of(pattern: str, values: Mapping[str, str]) -> str | None:
    """A text in the form of `pattern`, with `values` in the place of its named groups.

    Optional parts are left out, except to hold a value; of alternatives the first that holds the most values is taken.
    The text need not match, if a value is none that its group allows. None when the pattern cannot be followed.
    """
    reader = _Reader(pattern, values)
    try:
        form = reader.alternatives()
    except (_UnknownSyntaxError, PatternError, RecursionError):
        return None
    return _joined(form.pieces) if reader.position == len(pattern) else None


def _joined(pieces: tuple[_Piece, ...]) -> str:
    text = ""
    ended = False
    for piece in pieces:
        if isinstance(piece, _Edge):
            ended = ended or piece is _Edge.END
            text += "\n" if piece is _Edge.START and text and not text.endswith("\n") else ""
        elif piece:
            text += "\n" if ended and not piece.startswith("\n") and not text.endswith("\n") else ""
            text += piece
            ended = False
    return text


class _Reader:
    """Reads a pattern from left to right."""

    def __init__(self, pattern: str, values: Mapping[str, str]) -> None:
        self._pattern = pattern
        self._values = values
        self.position = 0

    def alternatives(self) -> _Form:
        branches = [self._sequence()]
        while self._at("|"):
            branches.append(self._sequence())
        return max(branches, key=lambda form: form.wanted)

    def _at(self, text: str) -> bool:
        found = self._pattern.startswith(text, self.position)
        self.position += len(text) * found
        return found

    def _sequence(self) -> _Form:
        form = _Form()
        while self.position < len(self._pattern) and self._pattern[self.position] not in "|)":
            item = self._item()
            times = 1
            while (count := _COUNT.match(self._pattern, self.position)) is not None:
                self.position = count.end()
                least = int(count["least"]) if count["least"] else int(count["sign"] == "+")
                times = max(least, min(1, item.wanted)) * times
            for _ in range(times):
                form += item
        return form

    def _item(self) -> _Form:
        opened = _GROUP.match(self._pattern, self.position)
        if opened is not None:
            self.position = opened.end()
            return self._group(opened)
        atom = _ONE_CHARACTER.match(self._pattern, self.position)
        if atom is None:
            raise _UnknownSyntaxError
        self.position = atom.end()
        match atom[0]:
            case "^" | "$":
                return _Form(pieces=(_Edge(atom[0]),))
            case r"\b" | r"\B" | r"\A" | r"\z":
                return _Form()
            case source:
                return _Form(pieces=(_character(source),))

    def _group(self, opened: re.Match[str]) -> _Form:
        if opened["kind"] == ")":
            return _Form()  # flags for the rest
        inner = self.alternatives()
        if not self._at(")"):
            raise _UnknownSyntaxError
        value = self._values.get(opened["name"] or "")
        return inner if value is None else _Form(pieces=(value,), wanted=int(bool(value)))


def _character(source: str) -> str:
    """A character that a part of a pattern matches: itself, or one of its class."""
    if len(source) == 1 and source != ".":
        return source
    candidates = _SHOWN + source
    found = Pattern(source).search(candidates)
    if found is None or found.end != found.start + 1:
        raise _UnknownSyntaxError
    return candidates[found.start]
