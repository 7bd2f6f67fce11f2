"""Which tool of a toolset a diagnostic is about: a mistake in one must not stop agents that use the others."""

from bisect import bisect_right

from runner.diagnostics import Diagnostic
from runner.language.document import Document

Place = tuple[int, int]


class ToolPlaces:
    """The declarations in a toolset and where each begins and ends."""

    def __init__(self, document: Document) -> None:
        tools = document.data.get("tools")
        number = len(tools) if isinstance(tools, list) else 0
        self._file = document.file
        self._starts = [_start(document, ("tools", index)) for index in range(number)]
        keys = (_start(document, (key,), key=True) for key in document.data)
        self._end = min((key for key in keys if self._starts and key > self._starts[-1]), default=None)

    def tool_of(self, diagnostic: Diagnostic) -> int | None:
        """The place in `tools` of the declaration it stands in; None when it is about something else."""
        span = diagnostic.location.span
        if diagnostic.location.file != self._file or span is None:
            return None
        place = (span.line, span.column)
        if self._end is not None and place >= self._end:
            return None
        index = bisect_right(self._starts, place) - 1
        return index if index >= 0 else None


def _start(document: Document, path: tuple[str | int, ...], *, key: bool = False) -> Place:
    span = document.span(path, key=key)
    return span.line, span.column
