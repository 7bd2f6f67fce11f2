"""A text that might be written into a file, and what the validator would say about it there."""

from dataclasses import dataclass
from pathlib import Path

from runner.diagnostics import Diagnostic
from runner.language.discovery import Kind
from runner.language.document import Document, parse_document
from runner.language.fixing.mistake import Mistake
from runner.language.fixing.places import Places
from runner.language.paths import shown
from runner.language.schema import check
from runner.language.validation import validate_paths


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """A text and everything that is wrong with it.

    Attributes:
        document: None when the text cannot be understood at all.
        diagnostics: of this file, and of those that it refers to.
    """

    file: str
    text: str
    document: Document | None
    diagnostics: tuple[Diagnostic, ...]

    @property
    def mistakes(self) -> list[Mistake]:
        """The problems that are in this very text and have a place there."""
        places = Places(self.text, self.document)
        found = []
        for diagnostic in self.diagnostics:
            span = diagnostic.location.span
            if span is not None and diagnostic.location.file == self.file:
                path, on_key = places.at(span) or (None, False)
                found.append(Mistake(diagnostic=diagnostic, places=places, span=span, path=path, on_key=on_key))
        return found


class Desk:
    """Checks drafts of one file, with the files around it as they are."""

    def __init__(self, path: Path, kind: Kind) -> None:
        self._path = path
        self._kind = kind
        self._file = shown(path)

    def draft(self, text: str) -> Draft:
        """Check a text as if it stood in the file."""
        data = text.encode()
        document, problems = parse_document(data, display=self._file, path=self._path)
        if self._kind == "project":
            problems += check(document, "project") if document else []
            found = tuple(problems)
        else:
            found = validate_paths([self._path], unsaved={self._path: data}).diagnostics
        return Draft(file=self._file, text=text, document=document, diagnostics=found)
