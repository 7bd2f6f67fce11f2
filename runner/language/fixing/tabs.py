"""Repairs indentation by tabs, where nothing but tabs indents a block."""

import re

from runner.language.fixing.edits import Edit, Fix
from runner.language.fixing.mistake import Mistake
from runner.language.fixing.places import Places

_STEP = "  "
_WHITE = " \t\r\n"
_BLOCK_TEXT = re.compile(r"[|>][-+0-9]*\s*(?:#.*)?$")


def spaces(mistake: Mistake) -> Fix | None:
    """Write two spaces for each tab that indents the lines around the mistake.

    The lines are those between two that are not indented. When one of them is indented by spaces too, nobody can tell
    how wide a tab is; when one begins a text over several lines, which of the tabs belong to the text.
    """
    begin, _ = mistake.offsets
    lines = _block(mistake.places, begin)
    if any(_BLOCK_TEXT.search(text) for _, text in lines):
        return None
    edits: list[Edit] = []
    for start, text in lines[1:]:
        width = len(text) - len(text.lstrip())
        if text.strip():
            if text[:width].strip("\t"):
                return None
            edits.append(Edit(start=start, end=start + width, text=_STEP * width))
    return Fix(what="tabs of the indentation are now spaces", edits=tuple(edits)) if edits else None


def _block(places: Places, offset: int) -> list[tuple[int, str]]:
    """(start, text) of the lines of a block: the one that is not indented, and all below that are."""
    start = places.line_start(offset)
    while start and places.text[start] in _WHITE:
        start = places.line_start(start - 1)
    lines = [(start, places.text[start : places.line_end(start)])]
    start = places.next_line(start)
    while start < len(places.text) and places.text[start] in _WHITE:
        lines.append((start, places.text[start : places.line_end(start)]))
        start = places.next_line(start)
    return lines
