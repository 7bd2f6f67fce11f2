"""Reads every file of a check once, however many agents refer to it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import runner
from runner.diagnostics import Diagnostic
from runner.language.catalog import (
    Catalog,
    DeclaredTool,
    Toolset,
    declared_tools,
    make_catalog,
    make_toolset,
    toolset_files,
)
from runner.language.document import Document, read_document
from runner.language.document import Path as Place
from runner.language.expansions import SpecFiles
from runner.language.modelines import check_modelines
from runner.language.paths import place_of, real_path, shown
from runner.language.project import Project, find_root, load_project
from runner.language.schema import check
from runner.spec import Json

_TOOLKIT = Path(runner.__file__).parent / "toolkit" / "toolkit.yaml"
Kind = Literal["agent", "toolset"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Read:
    """A file as read; the document is None when its text cannot be understood."""

    document: Document | None
    diagnostics: tuple[Diagnostic, ...]


class Workspace:
    """The files of one check, by real path.

    Attributes:
        documents: what has been read so far, by real path.
        toolset_diagnostics: what the rules said about a toolset, by its file and the root of the project asking.
    """

    def __init__(self) -> None:
        self.toolset_diagnostics: dict[tuple[str, str], tuple[Diagnostic, ...]] = {}
        self._real: dict[Path, Path] = {}
        self._names: dict[Path, str] = {}
        self.documents: dict[Path, Read] = {}
        self._checked: dict[tuple[Path, Kind, bool], tuple[Diagnostic, ...]] = {}
        self._roots: dict[Path, Path] = {}
        self._projects: dict[Path, Project] = {}
        self._toolsets: dict[Path, Toolset] = {}
        self._catalogs: dict[Path, Catalog] = {}
        self._specs = SpecFiles()

    def real(self, path: Path) -> Path:
        """The path with links followed."""
        if path not in self._real:
            self._real[path] = real_path(path)
        return self._real[path]

    def read(self, path: Path, *, display: str | None = None) -> Read:
        """The document in a file; `display` is the name shown, as `read_document` takes it."""
        real = self.real(path)
        if real not in self.documents:
            name = display or self._names.get(real) or shown(path)
            document, diagnostics = read_document(real, display=name)
            self.documents[real] = Read(document=document, diagnostics=tuple(diagnostics))
        return self.documents[real]

    def call(self, path: Path) -> None:
        """Remember under which name a file was asked for: it goes by that, whichever way it is come upon first."""
        self._names.setdefault(self.real(path), shown(path))

    def forget(self, path: Path) -> None:
        """Let go of an agent that nothing else needs: of a thousand files not all have to be in memory at once."""
        real = self.real(path)
        self.documents.pop(real, None)
        for partial in (True, False):
            self._checked.pop((real, "agent", partial), None)

    def check(self, document: Document, kind: Kind, *, partial: bool) -> tuple[Diagnostic, ...]:
        """What the schema says about a document of this workspace, and what is wrong with the one it names itself."""
        place = place_of(document)
        key = (place, kind, partial)
        if key not in self._checked:
            # The toolkit's is where the sources are, which an installation has not.
            named = () if place == self.real(_TOOLKIT) else check_modelines(document, kind, self.project_of(place).root)
            self._checked[key] = (*check(document, kind, partial=partial), *named)
        return self._checked[key]

    def project_of(self, file: Path) -> Project:
        """The project that a file (given by its real path) belongs to."""
        folder = file.parent
        if folder not in self._roots:
            self._roots[folder] = find_root(folder)
        return self.project_at(self._roots[folder])

    def project_at(self, root: Path) -> Project:
        """The project with this root folder."""
        if root not in self._projects:
            self._projects[root] = load_project(root)
        return self._projects[root]

    def toolset(self, path: Path) -> Toolset:
        """The toolset in a file, read and checked against the schema."""
        real = self.real(path)
        if real not in self._toolsets:
            read = self.read(path)
            structure = self.check(read.document, "toolset", partial=False) if read.document else ()
            file = read.document.file if read.document else shown(path)
            root = self.project_of(real).root
            problems = (*read.diagnostics, *structure)
            self._toolsets[real] = make_toolset(file, read.document, problems, root, self._specs)
        return self._toolsets[real]

    def tools_in(
        self, entry: Json, document: Document, place: Place
    ) -> tuple[tuple[DeclaredTool, ...], tuple[Diagnostic, ...]]:
        """The tools that a mapping in an agent's `tools` declares, and what is wrong with those it stands for."""
        root = self.project_of(place_of(document)).root
        return declared_tools(entry, document, place, root, self._specs)

    def catalog(self, project: Project) -> Catalog:
        """The tools that agents of a project may name."""
        if project.root not in self._catalogs:
            self.read(_TOOLKIT, display="runner/toolkit/toolkit.yaml")  # where it is installed says nothing
            files = toolset_files(Path(project.spec.tools_folder))
            self._catalogs[project.root] = make_catalog(map(self.toolset, files), self.toolset(_TOOLKIT))
        return self._catalogs[project.root]
