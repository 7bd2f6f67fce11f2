"""Spans of diagnostics -> offsets in the text, and the paths of what stands there."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property

from runner.diagnostics import Span
from runner.language.document import Document
from runner.language.source import Path
from runner.spec import Json

_LINE_END = re.compile(r"\r\n|\n|\r")
# A path, and whether its key is meant rather than its value.
Place = tuple[Path, bool]


class Places:
    """One text, asked by span. `document` is None when the text cannot be understood."""

    def __init__(self, text: str, document: Document | None) -> None:
        self.text = text
        self.document = document

    def offsets(self, span: Span) -> tuple[int, int]:
        """Start and end offset, counted from 0."""
        return self._starts[span.line - 1] + span.column - 1, self._starts[span.end_line - 1] + span.end_column - 1

    def line_start(self, offset: int) -> int:
        """Where the line begins that holds an offset."""
        return self._starts[bisect_right(self._starts, offset) - 1]

    def line_end(self, offset: int) -> int:
        """Where the text of that line ends, its line end not included."""
        end = _LINE_END.search(self.text, offset)
        return end.start() if end else len(self.text)

    def next_line(self, offset: int) -> int:
        """Where the line after it begins; the end of the text when it is the last."""
        end = _LINE_END.search(self.text, offset)
        return end.end() if end else len(self.text)

    def newline(self, offset: int) -> str:
        """How the line that holds an offset ends; when it is the last, how the first does."""
        end = _LINE_END.search(self.text, offset) or _LINE_END.search(self.text)
        return end[0] if end else "\n"

    def at(self, span: Span) -> Place | None:
        """What stands at a span: a key before the value it is the key of."""
        return self._by_span.get(span)

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(end.end() for end in _LINE_END.finditer(self.text))]

    @cached_property
    def _by_span(self) -> dict[Span, Place]:
        found: dict[Span, Place] = {}
        if self.document is not None:
            for path, is_item in _paths(self.document.data):
                if not is_item:
                    found.setdefault(self.document.span(path, key=True), (path, True))
                found.setdefault(self.document.span(path), (path, False))
        return found


def _paths(value: Json, path: Path = ()) -> Iterator[tuple[Path, bool]]:
    """Every path below a value, and whether it is that of a list's item, which has no key."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key), False
            yield from _paths(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield (*path, index), True
            yield from _paths(inner, (*path, index))
