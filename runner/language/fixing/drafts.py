"""A text that might be written into a file, and what the validator would say about it there."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from runner.diagnostics import Diagnostic
from runner.language.checks import check_agent, toolset_diagnostics
from runner.language.discovery import Kind
from runner.language.document import Document, parse_document
from runner.language.fixing.mistake import Mistake
from runner.language.fixing.places import Places
from runner.language.paths import shown
from runner.language.schema import check
from runner.language.workspace import Read, Workspace

# What is missing in a file, and in an agent with all its files.
_LACKS = ("RUN202", "RUN311")


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
    """Checks drafts of one file; the files around it are read once."""

    def __init__(self, path: Path, kind: Kind, reported: Iterable[Diagnostic] = ()) -> None:
        """`reported` is what the validation of all files said: it knows whether other files add what this one lacks."""
        self._path = path
        self._kind = kind
        self._file = shown(path)
        self._around = Workspace()
        lacking = check_agent(path, self._around).diagnostics if kind == "agent" else ()
        told = set(reported)
        self._is_base = any(each.code in _LACKS and each not in told for each in lacking)

    def draft(self, text: str) -> Draft:
        """Check a text as if it stood in the file."""
        workspace = Workspace()
        workspace.documents.update(self._around.documents)
        real = workspace.real(self._path)
        document, problems = parse_document(text.encode(), display=self._file, path=real)
        workspace.documents[real] = Read(document=document, diagnostics=tuple(problems))
        found = self._check(workspace, document, tuple(problems))
        self._around.documents.update(workspace.documents)
        return Draft(file=self._file, text=text, document=document, diagnostics=found)

    def _check(
        self, workspace: Workspace, document: Document | None, problems: tuple[Diagnostic, ...]
    ) -> tuple[Diagnostic, ...]:
        project = workspace.project_of(workspace.real(self._path))
        if self._kind == "project":
            return (*problems, *(check(document, "project") if document else ()))
        if self._kind == "toolset":
            return toolset_diagnostics(workspace.toolset(self._path), project, workspace)
        return check_agent(self._path, workspace, is_base=self._is_base).diagnostics
