"""Finds one tool by its name and compiles it, whatever else may be wrong around it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath

from runner.diagnostics import Diagnostic, in_order
from runner.language.catalog import DeclaredTool
from runner.language.checks import check_agent, has_errors
from runner.language.compiler import compile_agent, tool_spec
from runner.language.discovery import kind_of
from runner.language.document import Document, Path
from runner.language.project import Project
from runner.language.rules import TOOL_RULES
from runner.language.workspace import Workspace
from runner.spec import Json, Limits, ProjectSpec, ToolSpec


@dataclass(frozen=True, kw_only=True, slots=True)
class FoundTool:
    """A tool that is declared.

    Attributes:
        spec: None exactly if its declaration has errors.
        limits: those of the agent it was looked for in, else the default ones.
        diagnostics: what is wrong with its declaration; problems elsewhere are not told.
    """

    spec: ToolSpec | None
    project: ProjectSpec
    limits: Limits
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class NoTool:
    """Nothing has the name.

    Attributes:
        names: the tools there are.
        diagnostics: why files cannot be read that might have it.
    """

    names: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class _Shelf:
    """The tools among which one is looked for.

    Attributes:
        problems: what is wrong with the files they are in, rules aside.
        unread: why files cannot be read that might have more.
        repeats: the complaints about further tools of a name.
    """

    project: Project
    tools: Mapping[str, DeclaredTool]
    problems: tuple[Diagnostic, ...]
    unread: tuple[Diagnostic, ...]
    repeats: Callable[[Iterable[str]], Iterable[Diagnostic]] = lambda _: ()
    limits: Limits = field(default_factory=Limits)


def find_tool(name: str, *, root: FilePath, file: FilePath | None = None) -> FoundTool | NoTool:
    """Find a tool among those that agents may name, or in one file.

    Nothing is imported, fetched or run.

    Args:
        name: the tool's name.
        root: the root folder of the project.
        file: an agent, whose own tools are meant then, inline ones included, or a toolset.
    """
    workspace = Workspace()
    if file is None:
        shelf = _catalog(workspace.project_at(root), workspace)
    elif kind_of(file) == "toolset":
        shelf = _toolset(file, workspace)
    else:
        shelf = _agent(file, workspace)
    tool = shelf.tools.get(name)
    if tool is None:
        return NoTool(names=tuple(sorted(shelf.tools)), diagnostics=tuple(in_order(shelf.unread)))
    inside = _Extent(tool.document, tool.path)
    found = [*filter(inside.has, shelf.problems), *shelf.repeats([name])]
    for rule in TOOL_RULES:
        found += rule(tool, shelf.project.spec)
    return FoundTool(
        # Compiling takes declarations that are right.
        spec=None if has_errors(found) else tool_spec(tool),
        project=shelf.project.spec,
        limits=shelf.limits,
        diagnostics=tuple(in_order(found)),
    )


def _catalog(project: Project, workspace: Workspace) -> _Shelf:
    catalog = workspace.catalog(project)
    return _Shelf(
        project=project,
        tools=catalog.tools,
        problems=tuple(each for toolset in catalog.toolsets for each in toolset.diagnostics),
        unread=tuple(each for toolset in catalog.toolsets if toolset.document is None for each in toolset.diagnostics),
        repeats=catalog.repeats,
    )


def _toolset(file: FilePath, workspace: Workspace) -> _Shelf:
    toolset = workspace.toolset(file)
    return _Shelf(
        project=workspace.project_of(workspace.real(file)),
        tools={tool.name: tool for tool in reversed(toolset.tools)},  # the first of a name counts
        problems=toolset.diagnostics,
        unread=toolset.diagnostics if toolset.document is None else (),
    )


def _agent(file: FilePath, workspace: Workspace) -> _Shelf:
    checked = check_agent(file, workspace)
    uses = checked.agent.tools if checked.agent else ()
    spec = compile_agent(file, cache=workspace).spec
    return _Shelf(
        project=workspace.project_of(workspace.real(file)),
        tools={use.name: use.tool for use in uses if use.tool is not None},
        problems=checked.diagnostics,
        unread=checked.diagnostics if checked.agent is None else (),
        limits=Limits() if spec is None else spec.limits,
    )


class _Extent:
    """The lines of a value in a document."""

    def __init__(self, document: Document, path: Path) -> None:
        value: Json = document.data
        for step in path:
            value = value[step]
        spans = [document.span(each, key=key) for each in _paths(path, value) for key in (False, True)]
        self._file = document.file
        self._first = min(span.line for span in spans)
        self._last = max(span.end_line for span in spans)

    def has(self, diagnostic: Diagnostic) -> bool:
        """Whether a problem is about something in them."""
        span = diagnostic.location.span
        return diagnostic.location.file == self._file and span is not None and self._first <= span.line <= self._last


def _paths(path: Path, value: Json) -> Iterator[Path]:
    """The path of a value and of everything in it."""
    yield path
    steps: Iterable[tuple[int | str, Json]] = ()
    if isinstance(value, dict):
        steps = value.items()
    elif isinstance(value, list):
        steps = enumerate(value)
    for step, part in steps:
        yield from _paths((*path, step), part)
