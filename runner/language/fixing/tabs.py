"""Repairs indentation by tabs, where nothing but tabs indents a block."""

import re

from runner.language.fixing.edits import Edit, Fix
from runner.language.fixing.mistake import Mistake

_STEP = "  "
_BLOCK_TEXT = re.compile(r"[|>][-+0-9]*\s*(?:#.*)?$")


def spaces(mistake: Mistake) -> Fix | None:
    """Write two spaces for each tab that indents the lines around the mistake.

    The lines are those between two that are not indented. When one of them is indented by spaces too, nobody can tell
    how wide a tab is; when one begins a text over several lines, which of the tabs belong to the text.
    """
    places = mistake.places
    begin, _ = mistake.offsets
    start = places.line_start(begin)
    while start and places.text[start] in " \t\r\n":
        start = places.line_start(start - 1)
    edits: list[Edit] = []
    header, at = start, places.next_line(start)
    lines = [places.text[header : places.line_end(header)]]
    while at < len(places.text) and places.text[at] in " \t\r\n":
        line = places.text[at : places.line_end(at)]
        lines.append(line)
        indentation = line[: len(line) - len(line.lstrip())]
        if line.strip():
            if set(indentation) != {"\t"}:
                return None
            edits.append(Edit(start=at, end=at + len(indentation), text=_STEP * len(indentation)))
        at = places.next_line(at)
    if not edits or any(_BLOCK_TEXT.search(line) for line in lines):
        return None
    return Fix(what="tabs of the indentation are now spaces", edits=tuple(edits))
