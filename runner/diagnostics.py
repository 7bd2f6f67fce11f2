"""What is wrong in a document, as values: a code, a message, and the place it is about."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class Span:
    """A stretch of text; lines and columns count from 1, `end_column` is the column after the last character."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Location:
    """A place in a file. `span` is None when the file as a whole is meant (it is missing, say)."""

    file: str
    span: Span | None = None

    def __str__(self) -> str:
        return self.file if self.span is None else f"{self.file}:{self.span.line}:{self.span.column}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Related:
    """A second place that helps to understand a problem, such as where a name was first declared."""

    message: str
    location: Location


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagnostic:
    """One problem in a document.

    Attributes:
        code: `RUN` and three digits, never reused for another meaning; `runner.language.codes` lists them.
        message: what was found and what was expected, one line, no trailing full stop.
        location: the offending token.
        suggestion: what to write instead, such as "did you mean 'city'?"; shown beside the caret.
        source: the text of the line that `location` points at, for the snippet.
    """

    code: str
    message: str
    location: Location
    severity: Severity = "error"
    suggestion: str | None = None
    related: tuple[Related, ...] = ()
    source: str | None = None


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Sort by file and place, and drop repeats (two rules may find the same mistake through two agents)."""

    def place(diagnostic: Diagnostic) -> tuple[str, int, int, str, str]:
        span = diagnostic.location.span
        line, column = (span.line, span.column) if span else (0, 0)
        return (diagnostic.location.file, line, column, diagnostic.code, diagnostic.message)

    return sorted(set(diagnostics), key=place)
