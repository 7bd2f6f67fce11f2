"""A trouble of the parser with the text around it: what the rules that explain syntax errors look at."""

import json
from dataclasses import dataclass

from runner.diagnostics import Diagnostic, Related
from runner.language.source import Source
from runner.language.yaml12.nodes import Trouble

# Longer values are not repeated in a suggestion.
_REPEATED = 60


@dataclass(frozen=True, kw_only=True, slots=True)
class Slip:
    """Where PyYAML stopped, and why."""

    trouble: Trouble
    source: Source

    @property
    def says(self) -> str:
        """PyYAML's words."""
        return self.trouble.problem

    @property
    def offset(self) -> int:
        """Where it stopped; at most the end of the text."""
        return min(self.trouble.offset, len(self.source.text))

    @property
    def start(self) -> int:
        """Where it began to read what failed."""
        return self.offset if self.trouble.start is None else self.trouble.start

    @property
    def line(self) -> tuple[int, str]:
        """(offset of its start, text) of the line it stopped on."""
        start, end = self.source.line_bounds(self.offset)
        return start, self.source.text[start:end]

    @property
    def before(self) -> str:
        """The line up to where it stopped."""
        start, text = self.line
        return text[: self.offset - start]

    @property
    def rest(self) -> str:
        """The line from there on, without the white space at its end."""
        return self.rest_from(self.offset)

    @property
    def at_end(self) -> bool:
        """Whether nothing but white space follows."""
        return not self.source.text[self.offset :].strip()

    def rest_from(self, offset: int) -> str:
        """The text from an offset to the end of its line, without the white space there."""
        return self.source.text[offset : self.source.line_bounds(offset)[1]].rstrip()

    def report(  # noqa: PLR0913  a diagnostic has that many parts, most of them named and optional
        self, code: str, message: str, start: int, width: int = 1, *, hint: str | None = None, note: str | None = None
    ) -> Diagnostic:
        """A diagnostic at `start`; `note` is said about where PyYAML began to read."""
        related: tuple[Related, ...] = ()
        if note is not None and self.trouble.start is not None:
            related = (self.source.related(note, self.source.span(self.start, self.start + 1)),)
        end = min(start + max(width, 1), len(self.source.text))
        return self.source.diagnostic(code, message, self.source.span(start, end), suggestion=hint, related=related)


def value_of(rest: str) -> str:
    """What was meant as an unquoted value: the rest of a line without a comment."""
    return rest.split(" #", 1)[0].rstrip()


def write_quoted(text: str, *, before: str = "") -> str:
    """The suggestion to write `text` in quotes, double ones unless it holds some."""
    if len(text) > _REPEATED:
        return "put the value in quotes"
    single = '"' in text and "'" not in text and "\n" not in text
    shown = f"'{text}'" if single else json.dumps(text, ensure_ascii=False)
    return f"write {before}{shown}"
