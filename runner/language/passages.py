"""Texts of an agent, written in a YAML document or in a file of their own, and where each character stands."""

from dataclasses import dataclass
from typing import Protocol

from runner.diagnostics import Diagnostic, Location, Severity, Span
from runner.language.document import Document, Path
from runner.language.source import Source
from runner.spec import Text


class Passage(Protocol):
    """A text and its place; `start` and `end` count characters of `value` from 0."""

    @property
    def value(self) -> str:
        """The text."""

    @property
    def file(self) -> str:
        """The name of its file as people here write it."""

    def span(self, start: int, end: int) -> Span:
        """Where a stretch of the text stands in its file."""

    def line(self, number: int) -> str:
        """A line of its file."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ScalarPassage:
    """A string of a document."""

    document: Document
    path: Path
    value: str

    @property
    def file(self) -> str:
        """The name of the document's file."""
        return self.document.file

    def span(self, start: int, end: int) -> Span:
        """Where a stretch of the string is written."""
        return self.document.inside(self.path, start, end)

    def line(self, number: int) -> str:
        """A line of the document."""
        return self.document.line(number)


@dataclass(frozen=True, kw_only=True, slots=True)
class FilePassage:
    """The whole text of a file."""

    source: Source

    @property
    def value(self) -> str:
        """The text."""
        return self.source.text

    @property
    def file(self) -> str:
        """The name of the file."""
        return self.source.file

    def span(self, start: int, end: int) -> Span:
        """Where a stretch of the text stands."""
        return self.source.span(start, end)

    def line(self, number: int) -> str:
        """A line of the file."""
        return self.source.line(number)


def text_of(passage: Passage) -> Text:
    """The passage as the spec keeps it."""
    # Blank lines at the start belong to the text, but have no character that could be looked up.
    blank = len(passage.value) - len(passage.value.lstrip("\n"))
    return Text(value=passage.value, origin=f"{passage.file}:{passage.span(blank, blank).line - blank}")


def diagnostic_in(  # noqa: PLR0913 - the parts of a diagnostic
    passage: Passage,
    code: str,
    message: str,
    place: tuple[int, int],
    *,
    suggestion: str | None = None,
    severity: Severity = "error",
) -> Diagnostic:
    """A problem with the characters `place` (start, end) of a passage."""
    span = passage.span(*place)
    return Diagnostic(
        code=code,
        message=message,
        location=Location(file=passage.file, span=span),
        severity=severity,
        suggestion=suggestion,
        source=passage.line(span.line),
    )
