"""Many files -> everything that is wrong with them, as one value."""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.diagnostics import Diagnostic, in_order
from runner.language.agent_names import AgentNames
from runner.language.bases import Bases
from runner.language.checks import Checked, check_agent, toolset_diagnostics
from runner.language.codes import CODES
from runner.language.discovery import Kind, documents_in, documents_of_project, kind_of
from runner.language.document import parse_document
from runner.language.imports import CODES as IMPORT_CODES
from runner.language.imports import Open, Seen, import_diagnostics
from runner.language.paths import place_of, shown
from runner.language.project import find_root
from runner.language.source import Source
from runner.language.suppression import without_ignored
from runner.language.unset_variables import CODES as ENVIRONMENT_CODES
from runner.language.unset_variables import in_agent, in_tool
from runner.language.workspace import Read, Workspace

# What only importing tools finds, or finds more of.
_ONLY_IMPORTED = frozenset({*IMPORT_CODES, "RUN509"})
# It says that a variable is missing where that is no error; where it is one, the variable itself is told.
_UNSET = "RUN541"


@dataclass(frozen=True, kw_only=True, slots=True)
class ValidationReport:
    """The outcome of a validation.

    Attributes:
        diagnostics: in the order of files and places.
        checked: the names of the files, those included that an error was found in on the way (a base, say).
        missing: the paths asked for that do not exist: nothing is known about them.
    """

    diagnostics: tuple[Diagnostic, ...]
    checked: frozenset[str]
    missing: tuple[str, ...] = ()

    @property
    def files(self) -> int:
        """How many files were checked."""
        return len(self.checked)

    @property
    def files_with_errors(self) -> int:
        """How many of these have errors."""
        return len({each.location.file for each in self.diagnostics if each.severity == "error"})

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


def validate_paths(
    paths: Sequence[Path],
    *,
    open_tools: Open | None = None,
    environ: Mapping[str, str] | None = None,
    unsaved: Mapping[Path, bytes] | None = None,
) -> ValidationReport:
    """Check files, the documents in folders, or (no path) the whole project around the current folder.

    Problems that a comment in their file hides (`# runner: ignore[RUN203]`) are left out.

    Args:
        paths: files that are named are always checked; in folders, those that are documents of ours.
        open_tools: opens the Python tools, which runs their modules; None leaves them alone.
        environ: must have the variables that are filled in at a run; None asks nothing of it.
        unsaved: the text of files that is to be taken instead of what is on the disk, where there need be nothing.
    """
    unsaved = unsaved or {}
    there = [path for path in paths if path in unsaved or os.path.exists(path)]  # noqa: PTH110 - the method raises where nobody may look
    workspace = Workspace()
    _preload(workspace, unsaved)
    found: dict[Path, tuple[Path, Kind]] = {}
    for path, kind in _documents(there, workspace, unsaved, whole=not paths):
        found.setdefault(workspace.real(path), (path, kind))
    for path, _ in found.values():
        workspace.call(path)
    bases = Bases(workspace, [path for path, kind in found.values() if kind == "agent"])
    names = AgentNames()
    diagnostics: list[Diagnostic] = []
    for path, kind in found.values():
        diagnostics += _check(path, kind, workspace, bases, names, environ)
        if kind == "agent" and path not in unsaved and not bases.knows(path) and not _has_comments(path, workspace):
            workspace.forget(path)
    diagnostics += names.repeats(workspace)
    if open_tools is not None:
        imported = import_diagnostics(_seen(found.values(), workspace, diagnostics), open_tools)
        diagnostics += (each for each in imported if environ is None or each.code != _UNSET)
    checked = {shown(path) for path, _ in found.values()}
    # Of single files nobody can tell what the files that refer to them would find there.
    in_part = any(path in unsaved or not path.is_dir() for path in there)
    told = without_ignored(
        diagnostics,
        list(_sources(found.values(), workspace)),
        known=CODES,
        checked=checked,
        unsought=None if in_part else _unsought(open_tools, environ),
    )
    ordered = tuple(in_order(told))
    wrong = {each.location.file for each in diagnostics if each.severity == "error"}
    return ValidationReport(
        diagnostics=ordered,
        checked=frozenset(checked | wrong),
        missing=tuple(str(path) for path in paths if path not in there),
    )


def _unsought(open_tools: Open | None, environ: Mapping[str, str] | None) -> Collection[str]:
    """The codes that nobody looked for."""
    of_environment = ENVIRONMENT_CODES.keys() if environ is None else {_UNSET}
    return of_environment if open_tools else _ONLY_IMPORTED | of_environment


def _preload(workspace: Workspace, unsaved: Mapping[Path, bytes]) -> None:
    for path, data in unsaved.items():
        real = workspace.real(path)
        document, diagnostics = parse_document(data, display=shown(path), path=real)
        workspace.documents[real] = Read(document=document, diagnostics=tuple(diagnostics))


def _has_comments(path: Path, workspace: Workspace) -> bool:
    """Whether there may be comments for us, which are read in the end."""
    document = workspace.read(path).document
    return document is not None and "runner:" in document.text


def _sources(found: Iterable[tuple[Path, Kind]], workspace: Workspace) -> Iterable[Source]:
    """The texts of the documents that were read and may have comments for us."""
    documents = [read.document for read in workspace.documents.values()]
    # The project's own file is not read by the workspace.
    documents += [workspace.project_of(workspace.real(path)).document for path, kind in found if kind == "project"]
    return (Source(document.file, document.text) for document in documents if document is not None)


def _seen(found: Iterable[tuple[Path, Kind]], workspace: Workspace, diagnostics: Sequence[Diagnostic]) -> Seen:
    toolsets = [workspace.toolset(path) for path, kind in found if kind == "toolset"]
    checked = [check_agent(path, workspace) for path, kind in found if kind == "agent"]
    return Seen(
        toolsets=[(each, workspace.project_of(place_of(each.document))) for each in toolsets if each.document],
        agents=[each.agent for each in checked if each.agent is not None and each.usable],
        diagnostics=diagnostics,
    )


def _documents(
    paths: Iterable[Path], workspace: Workspace, unsaved: Mapping[Path, bytes], *, whole: bool
) -> Iterable[tuple[Path, Kind]]:
    if whole:
        yield from documents_of_project(find_root(Path.cwd()))
    for path in paths:
        if path in unsaved:
            yield path, _kind_of_unsaved(path, workspace)
        elif path.is_dir():
            yield from documents_in(path)
        else:
            yield path, kind_of(path)


def _kind_of_unsaved(path: Path, workspace: Workspace) -> Kind:
    """What the place says, else what the new text says."""
    kind, document = kind_of(path), workspace.read(path).document
    if kind == "agent" and document is not None and document.data.get("kind") == "toolset":
        return "toolset"
    return kind


def _check(  # noqa: PLR0913, PLR0917 - what all the files of a validation share
    path: Path,
    kind: Kind,
    workspace: Workspace,
    bases: Bases,
    names: AgentNames,
    environ: Mapping[str, str] | None,
) -> Iterable[Diagnostic]:
    project = workspace.project_of(workspace.real(path))
    if kind == "project":
        return project.diagnostics
    if kind == "agent":
        checked = _check_agent(path, workspace, bases)
        agent = checked.agent
        if agent is None or agent.is_base:
            return checked.diagnostics
        names.note(agent)
        return [*checked.diagnostics, *(in_agent(agent, environ) if environ is not None else ())]
    toolset = workspace.toolset(path)
    repeats = workspace.catalog(project).repeats(tool.name for tool in toolset.tools)
    return [
        *toolset_diagnostics(toolset, project, workspace),
        *(each for each in repeats if each.location.file == toolset.file),
        *(each for tool in toolset.tools if environ is not None for each in in_tool(tool, environ)),
    ]


def _check_agent(path: Path, workspace: Workspace, bases: Bases) -> Checked:
    """A file that others extend may leave things for them to add; one that is complete is an agent like any other."""
    if bases.has(path):
        as_base = check_agent(path, workspace, is_base=True)
        if not as_base.usable:
            return as_base
    return check_agent(path, workspace)
