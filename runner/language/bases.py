"""The files that others extend, so that what such a file lacks is no mistake."""

from collections.abc import Iterable
from pathlib import Path

from runner.language.checks import lacks_something
from runner.language.discovery import documents_in, mentions
from runner.language.extends import named_bases
from runner.language.paths import place_of
from runner.language.project import AGENTS_FOLDER, find_root
from runner.language.workspace import Workspace


class Bases:
    """The files that others extend, as far as the files being checked and their projects tell."""

    def __init__(self, workspace: Workspace, agents: Iterable[Path]) -> None:
        self._workspace = workspace
        self._known: set[Path] = set()
        self._searched: set[Path] = set()
        for path in agents:
            if workspace.real(path) in workspace.documents or mentions(path, "extends"):
                self._note(path)

    def has(self, path: Path) -> bool:
        """Whether another file extends this one. Other files of the project are read only if it looks like a base."""
        real = self._workspace.real(path)
        if real not in self._known and self._looks_like_one(path):
            self._search(find_root(real.parent) / AGENTS_FOLDER, deep=True)
            self._search(real.parent, deep=False)
        return real in self._known

    def knows(self, path: Path) -> bool:
        """Whether another file is already known to extend this one."""
        return self._workspace.real(path) in self._known

    def _looks_like_one(self, path: Path) -> bool:
        document = self._workspace.read(path).document
        return document is not None and "extends" not in document.data and lacks_something(document.data)

    def _search(self, folder: Path, *, deep: bool) -> None:
        if folder in self._searched:
            return
        self._searched.add(folder)
        for path, kind in documents_in(folder, deep=deep):
            if kind == "agent" and mentions(path, "extends"):
                self._note(path)

    def _note(self, path: Path) -> None:
        document = self._workspace.read(path).document
        if document is not None:
            folder = place_of(document).parent
            self._known |= {self._workspace.real(folder / base) for _, base in named_bases(document)}
