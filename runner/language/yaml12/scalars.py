"""Characters of a scalar's value -> characters of the file, whatever the scalar's style.

Styles differ in what they do to white space: they indent, fold and strip it. All other characters come out in the order
they are written, one for one or as an escape. So the n-th character that is not white space in the value is the n-th in
the text, and white space lies between its neighbours.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

_PROPERTIES = re.compile(r"(?:[!&]\S*(?:\s+(?:#[^\n]*\n\s*)*|$))+")
_BLOCK_HEADER = re.compile(r"[|>][^\r\n\x85\u2028\u2029]*")
_SINGLE = re.compile(r"''|.", re.DOTALL)
_DOUBLE = re.compile(r"\\(?:x..|u.{4}|U.{8}|\r\n|.)|.", re.DOTALL)
# Escapes that are white space, or nothing at all (an escaped line end).
_BLANK_ESCAPES = frozenset("tnvfr N_LP\t\r\n\x85\u2028\u2029")


def content_start(text: str, start: int) -> int:
    """Where a node's own text starts: a node's mark stands at its anchor or tag."""
    properties = _PROPERTIES.match(text, start)
    return properties.end() if properties else start


def locate(text: str, value: str, bounds: tuple[int, int], asked: tuple[int, int]) -> tuple[int, int] | None:
    """The stretch of `text` that characters `asked` (from, up to) of a scalar's value are written as.

    `bounds` are the scalar's own start and end. None when the two do not match up.
    """
    written = list(_visible_units(text, *bounds))
    visible = [index for index, character in enumerate(value) if not character.isspace()]
    if not visible or len(written) < len(visible):
        return None
    start, end = (min(max(0, index), len(value)) for index in asked)
    alignment = _Alignment(text=text, value=value, visible=visible, written=written)
    first, _ = alignment.place(start)
    if end <= start:
        return first, first
    _, last = alignment.place(end - 1)
    return first, max(first, last)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Alignment:
    """Character `visible[n]` of the value is `written[n]` (start, end) of the text."""

    text: str
    value: str
    visible: list[int]
    written: list[tuple[int, int]]

    def place(self, index: int) -> tuple[int, int]:
        """Where character `index` of the value is written."""
        rank = bisect_left(self.visible, index)
        following = self.visible[rank] if rank < len(self.visible) else None
        if index == following:
            return self.written[rank]
        before = self.written[rank - 1][1] if rank else self.written[0][0]
        if following is not None and "\n" not in self.value[index:following]:
            # Indentation belongs to the word behind it.
            start = max(before, self.written[rank][0] - (following - index))
        elif rank:
            line_end = re.compile(r"[^\r\n]*").match(self.text, before)
            start = min(before + index - self.visible[rank - 1] - 1, line_end.end() if line_end else before)
        else:
            start = before
        return start, start + 1


def _visible_units(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """(start, end) of everything in the text of a scalar that stands for one character which is not white space."""
    opening = text[start : start + 1]
    if opening in ("'", '"'):
        pattern = _SINGLE if opening == "'" else _DOUBLE
        for unit in pattern.finditer(text, start + 1, end - 1):
            if not _is_blank(unit[0]):
                yield unit.span()
        return
    header = _BLOCK_HEADER.match(text, start)
    for offset in range(header.end() if header else start, end):
        if not text[offset].isspace():
            yield offset, offset + 1


def _is_blank(unit: str) -> bool:
    if len(unit) > 2 and unit[0] == "\\" and unit[1] in "xuU":
        digits = unit[2:]
        return chr(int(digits, 16)).isspace()
    if len(unit) >= 2 and unit[0] == "\\":
        return unit[1] in _BLANK_ESCAPES
    return unit.isspace()
