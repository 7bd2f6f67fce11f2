"""Many files -> everything that is wrong with them, as one value."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.diagnostics import Diagnostic, Location, Related, in_order
from runner.language.checks import check_agent, lacks_something, toolset_diagnostics
from runner.language.discovery import Kind, documents_in, documents_of_project, is_of_project, kind_of, mentions
from runner.language.extends import named_bases
from runner.language.imports import Open, Seen, import_diagnostics
from runner.language.paths import place_of, shown
from runner.language.project import AGENTS_FOLDER, find_root
from runner.language.references import MergedAgent
from runner.language.workspace import Workspace


@dataclass(frozen=True, kw_only=True, slots=True)
class ValidationReport:
    """The outcome of a validation.

    Attributes:
        diagnostics: in the order of files and places.
        files: how many files were checked, those included that an error was found in on the way (a base, say).
        files_with_errors: how many of these have errors.
        missing: the paths asked for that do not exist: nothing is known about them.
    """

    diagnostics: tuple[Diagnostic, ...]
    files: int
    files_with_errors: int
    missing: tuple[str, ...] = ()

    @property
    def nothing_matched(self) -> bool:
        """Whether there was nothing to check, which is no success."""
        return self.files == 0

    @property
    def errors(self) -> int:
        """How many diagnostics are errors."""
        return sum(diagnostic.severity == "error" for diagnostic in self.diagnostics)

    @property
    def warnings(self) -> int:
        """How many diagnostics are warnings."""
        return len(self.diagnostics) - self.errors


def validate_paths(paths: Sequence[Path], *, open_tools: Open | None = None) -> ValidationReport:
    """Check files, the documents in folders, or (no path) the whole project around the current folder.

    Args:
        paths: files that are named are always checked; in folders, those that are documents of ours.
        open_tools: opens the Python tools, which runs their modules; None leaves them alone.
    """
    there = [path for path in paths if os.path.exists(path)]  # noqa: PTH110 - the method raises where nobody may look
    workspace = Workspace()
    found: dict[Path, tuple[Path, Kind]] = {}
    for path, kind in _documents(there, whole=not paths):
        found.setdefault(workspace.real(path), (path, kind))
    for path, _ in found.values():
        workspace.read(path)  # so that a base is called by the name it was asked for
    bases = _Bases(workspace, [path for path, kind in found.values() if kind == "agent"])
    names = _Names()
    diagnostics: list[Diagnostic] = []
    for path, kind in found.values():
        diagnostics += _check(path, kind, workspace, bases, names)
    diagnostics += names.repeats()
    if open_tools is not None:
        diagnostics += import_diagnostics(_seen(found.values(), workspace, diagnostics), open_tools)
    ordered = tuple(in_order(diagnostics))
    wrong = {each.location.file for each in ordered if each.severity == "error"}
    checked = {shown(path) for path, _ in found.values()}
    return ValidationReport(
        diagnostics=ordered,
        files=len(checked | wrong),
        files_with_errors=len(wrong),
        missing=tuple(str(path) for path in paths if path not in there),
    )


def _seen(found: Iterable[tuple[Path, Kind]], workspace: Workspace, diagnostics: Sequence[Diagnostic]) -> Seen:
    toolsets = [workspace.toolset(path) for path, kind in found if kind == "toolset"]
    checked = [check_agent(path, workspace) for path, kind in found if kind == "agent"]
    return Seen(
        toolsets=[(each, workspace.project_of(place_of(each.document))) for each in toolsets if each.document],
        agents=[each.agent for each in checked if each.agent is not None and each.usable],
        diagnostics=diagnostics,
    )


def _documents(paths: Iterable[Path], *, whole: bool) -> Iterable[tuple[Path, Kind]]:
    if whole:
        yield from documents_of_project(find_root(Path.cwd()))
    for path in paths:
        if path.is_dir():
            yield from documents_in(path)
        else:
            yield path, kind_of(path)


def _check(path: Path, kind: Kind, workspace: Workspace, bases: "_Bases", names: "_Names") -> Iterable[Diagnostic]:
    project = workspace.project_of(workspace.real(path))
    if kind == "project":
        return project.diagnostics
    if kind == "agent":
        return _check_agent(path, workspace, bases, names)
    toolset = workspace.toolset(path)
    repeats = workspace.catalog(project).repeats(tool.name for tool in toolset.tools)
    return [
        *toolset_diagnostics(toolset, project, workspace),
        *(each for each in repeats if each.location.file == toolset.file),
    ]


def _check_agent(path: Path, workspace: Workspace, bases: "_Bases", names: "_Names") -> Iterable[Diagnostic]:
    """A file that others extend may leave things for them to add; one that is complete is an agent like any other."""
    if bases.has(path):
        as_base = check_agent(path, workspace, is_base=True)
        if not as_base.usable:
            return as_base.diagnostics
    checked = check_agent(path, workspace)
    names.note(checked.agent)
    return checked.diagnostics


class _Names:
    """The names of the agents that are checked; those of a project that go by their name need one each."""

    def __init__(self) -> None:
        self._agents: dict[tuple[Path, str], list[MergedAgent]] = {}

    def note(self, agent: MergedAgent | None) -> None:
        """Remember an agent that others find by its name."""
        name = agent.value("name") if agent else None
        if agent is None or not isinstance(name, str):
            return
        root = agent.project.root
        if is_of_project(place_of(agent.document), root):
            self._agents.setdefault((root, name), []).append(agent)

    def repeats(self) -> Iterable[Diagnostic]:
        """The complaints about all agents of a name but the first; whoever inherits the name comes last."""
        for (_, name), agents in self._agents.items():
            first, *others = sorted(agents, key=lambda agent: "name" not in agent.document.data)
            related = Related(message="first declared", location=_named_at(first))
            for agent in others:
                yield agent.document.diagnostic(
                    "RUN314",
                    f"agent '{name}' is declared twice",
                    _naming(agent),
                    suggestion="give it a name of its own",
                    related=(related,),
                )


def _naming(agent: MergedAgent) -> tuple[str]:
    """What in its own file gives an agent its name."""
    return ("name",) if "name" in agent.document.data else ("extends",)


def _named_at(agent: MergedAgent) -> Location:
    return Location(file=agent.document.file, span=agent.document.span(_naming(agent)))


class _Bases:
    """The files that others extend, as far as the files being checked and their projects tell."""

    def __init__(self, workspace: Workspace, agents: Iterable[Path]) -> None:
        self._workspace = workspace
        self._known: set[Path] = set()
        self._searched: set[Path] = set()
        for path in agents:
            self._note(path)

    def has(self, path: Path) -> bool:
        """Whether another file extends this one. Other files of the project are read only if it looks like a base."""
        real = self._workspace.real(path)
        if real not in self._known and self._looks_like_one(path):
            self._search(find_root(real.parent) / AGENTS_FOLDER, deep=True)
            self._search(real.parent, deep=False)
        return real in self._known

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
