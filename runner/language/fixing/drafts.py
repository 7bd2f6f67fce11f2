"""Texts that might be written into files, and what the validator would say about them there."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from runner.diagnostics import Diagnostic
from runner.language.discovery import kind_of
from runner.language.document import Document, parse_document
from runner.language.fixing.mistake import Mistake
from runner.language.fixing.places import Places
from runner.language.paths import shown
from runner.language.schema import check
from runner.language.validation import validate_paths


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """A text for a file and everything that is wrong with it.

    Attributes:
        document: None when the text cannot be understood at all.
        diagnostics: of this file only.
    """

    path: Path
    text: str
    document: Document | None
    diagnostics: tuple[Diagnostic, ...]

    @property
    def mistakes(self) -> list[Mistake]:
        """The problems that have a place in the text."""
        places = Places(self.text, self.document)
        found = []
        for diagnostic in self.diagnostics:
            span = diagnostic.location.span
            if span is not None:
                path, on_key = places.at(span) or (None, False)
                found.append(Mistake(diagnostic=diagnostic, places=places, span=span, path=path, on_key=on_key))
        return found


def make_draft(path: Path, text: str, diagnostics: Iterable[Diagnostic]) -> Draft:
    """A draft of a file, with those of the diagnostics that are about it."""
    file = shown(path)
    document, _ = parse_document(text.encode(), display=file, path=path.absolute())
    own = tuple(each for each in diagnostics if each.location.file == file)
    return Draft(path=path, text=text, document=document, diagnostics=own)


def checked_drafts(texts: Mapping[Path, str]) -> Mapping[Path, Draft]:
    """Check texts as if they stood in their files; all other files are as they are on the disk."""
    diagnostics = [each for path, text in texts.items() if _is_project(path) for each in _of_project(path, text)]
    unsaved = {path: text.encode() for path, text in texts.items() if not _is_project(path)}
    if unsaved:  # without a path the whole project would be meant
        diagnostics += validate_paths(list(unsaved), unsaved=unsaved).diagnostics
    return {path: make_draft(path, text, diagnostics) for path, text in texts.items()}


def _is_project(path: Path) -> bool:
    return kind_of(path) == "project"


def _of_project(path: Path, text: str) -> list[Diagnostic]:
    """The validation takes the project file from the disk: what rules the others cannot be a draft."""
    document, problems = parse_document(text.encode(), display=shown(path), path=path.absolute())
    return [*problems, *(check(document, "project") if document else ())]
