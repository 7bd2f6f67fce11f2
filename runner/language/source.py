"""A text with a file name: turns character offsets into lines, columns and diagnostics."""

import re
from bisect import bisect_right
from functools import cached_property

from runner.diagnostics import Diagnostic, Location, Related, Severity, Span

# What editors call a line. YAML 1.1 also broke lines at U+0085, U+2028 and U+2029; editors show those inside a line.
_LINE_END = re.compile(r"\r\n|\n|\r")


# Where a value stands in a document: the keys and indexes that lead to it.
Path = tuple[str | int, ...]


class Source:
    """The text of one file. `file` is the name shown to people; offsets count characters from 0."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text

    @cached_property
    def _ends(self) -> list[tuple[int, int]]:
        """(end of the line's text, start of the next line) for each line that ends."""
        return [match.span() for match in _LINE_END.finditer(self.text)]

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(following for _, following in self._ends)]

    def line(self, number: int) -> str:
        """The text of a line, counted from 1, without its line end; empty past the end."""
        if not 1 <= number <= len(self._starts):
            return ""
        end = self._ends[number - 1][0] if number <= len(self._ends) else len(self.text)
        return self.text[self._starts[number - 1] : end]

    def line_bounds(self, offset: int) -> tuple[int, int]:
        """Start and end offset of the line that holds `offset`, line end excluded."""
        number = bisect_right(self._starts, offset)
        start = self._starts[number - 1]
        return start, start + len(self.line(number))

    def place(self, offset: int) -> tuple[int, int]:
        """(line, column) of a character, both counted from 1."""
        number = bisect_right(self._starts, offset)
        return number, offset - self._starts[number - 1] + 1

    def span(self, start: int, end: int) -> Span:
        """The stretch from `start` up to and without `end`."""
        line, column = self.place(start)
        end_line, end_column = self.place(max(start, end))
        return Span(line=line, column=column, end_line=end_line, end_column=end_column)

    def diagnostic(  # noqa: PLR0913  a diagnostic has that many parts, most of them named and optional
        self,
        code: str,
        message: str,
        span: Span,
        *,
        suggestion: str | None = None,
        severity: Severity = "error",
        related: tuple[Related, ...] = (),
    ) -> Diagnostic:
        """A problem at `span`, with the line it stands on."""
        return Diagnostic(
            code=code,
            message=message,
            location=Location(file=self.file, span=span),
            severity=severity,
            suggestion=suggestion,
            related=related,
            source=self.line(span.line),
        )

    def related(self, message: str, span: Span) -> Related:
        """A second place of a problem."""
        return Related(message=message, location=Location(file=self.file, span=span))
