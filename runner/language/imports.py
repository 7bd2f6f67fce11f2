"""What only importing the Python tools of a validation can tell: `runner validate --import`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from runner.diagnostics import Diagnostic
from runner.language.catalog import DeclaredTool, Toolset
from runner.language.compiler import tool_spec
from runner.language.document import Path
from runner.language.project import Project
from runner.language.references import MergedAgent
from runner.language.tool_places import ToolPlaces
from runner.spec import JsonObject, ProjectSpec, ToolSpec

CODES = {
    "RUN540": "a Python tool that cannot be opened",
    "RUN541": "a Python tool that was not opened, because a variable is not set",
    "RUN542": "a Python tool that has no description",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """What a validation found.

    Attributes:
        toolsets: the toolset files, and the project each belongs to.
        agents: the agents without errors.
        diagnostics: what is known to be wrong; tools with errors are not imported.
    """

    toolsets: Sequence[tuple[Toolset, Project]]
    agents: Sequence[MergedAgent]
    diagnostics: Sequence[Diagnostic]


@dataclass(frozen=True, kw_only=True, slots=True)
class Opening:
    """A Python tool to be opened; `examples` are arguments that it should take."""

    spec: ToolSpec
    project: ProjectSpec
    examples: tuple[JsonObject, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Opened:
    """What came of it.

    Attributes:
        problem: why it cannot be used, one line.
        unset: whether only an environment variable is missing.
        described: whether a model is told what it does.
        examples: what is wrong with the arguments of an example, by its place in `Opening.examples`.
    """

    problem: str | None = None
    unset: bool = False
    described: bool = True
    examples: Mapping[int, str] = field(default_factory=dict)


Open = Callable[[Sequence[Opening]], Sequence[Opened]]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Entry:
    """A tool and the examples that call it."""

    tool: DeclaredTool
    project: Project
    calls: list[tuple[MergedAgent, Path, JsonObject]] = field(default_factory=list)

    def opening(self) -> Opening:
        examples = tuple(arguments for _, _, arguments in self.calls)
        return Opening(spec=tool_spec(self.tool), project=self.project.spec, examples=examples)


def import_diagnostics(seen: Seen, open_tools: Open) -> Iterator[Diagnostic]:
    """Open every Python tool that is well declared, and tell what is wrong then; this runs people's code."""
    entries = list(_entries(seen).values())
    for entry, opened in zip(entries, open_tools([entry.opening() for entry in entries]), strict=True):
        yield from _told(entry, opened)


def _entries(seen: Seen) -> Mapping[tuple[str, Path], _Entry]:
    entries: dict[tuple[str, Path], _Entry] = {}
    wrong = [each for each in seen.diagnostics if each.severity == "error"]
    for toolset, project in seen.toolsets:
        for tool in _sound(toolset, wrong):
            entries[tool.document.file, tool.path] = _Entry(tool=tool, project=project)
    for agent in seen.agents:
        for use in agent.tools:
            if use.tool is not None and use.tool.data.get("type") == "python":
                new = _Entry(tool=use.tool, project=agent.project)
                entry = entries.setdefault((use.tool.document.file, use.tool.path), new)
                entry.calls.extend((agent, path, arguments) for path, arguments in _calls(agent, use.name))
    return entries


def _sound(toolset: Toolset, wrong: Iterable[Diagnostic]) -> Iterator[DeclaredTool]:
    if toolset.document is None:
        return
    places = ToolPlaces(toolset.document)
    broken = {places.tool_of(each) for each in wrong}
    for tool in toolset.tools:
        if tool.data.get("type") == "python" and tool.path[-1] not in broken:
            yield tool


def _calls(agent: MergedAgent, name: str) -> Iterator[tuple[Path, JsonObject]]:
    """The arguments that the agent's examples give a tool; the agent has no errors."""
    for index in range(len(agent.value("examples") or ())):
        for number, call in enumerate(agent.value("examples", index, "calls") or ()):
            if call["tool"] == name:
                path = ("examples", index, "calls", number)
                yield (*path, "arguments" if "arguments" in call else "tool"), call.get("arguments") or {}


def _told(entry: _Entry, opened: Opened) -> Iterator[Diagnostic]:
    tool = entry.tool
    if opened.problem is not None:
        yield tool.document.diagnostic(
            "RUN541" if opened.unset else "RUN540",
            f"'{tool.name}' was not opened: {opened.problem}" if opened.unset else opened.problem,
            (*tool.path, "function"),
            severity="warning" if opened.unset else "error",
        )
    if not opened.described:
        yield tool.document.diagnostic(
            "RUN542",
            f"'{tool.name}' has neither a description nor a docstring, so a model is not told what it does",
            (*tool.path, "function"),
            suggestion="write a docstring in the function",
            severity="warning",
        )
    for index, problem in opened.examples.items():
        agent, path, _ = entry.calls[index]
        message = f"the arguments of this example do not fit '{tool.name}': {problem}"
        yield agent.diagnostic("RUN509", message, path)
