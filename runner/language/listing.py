"""What a project has: its agents and the tools they may use, well formed or not."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from runner.language.catalog import DeclaredTool
from runner.language.checks import check_agent, has_errors
from runner.language.discovery import documents_of_project
from runner.language.extends import follow
from runner.language.paths import place_of, shown
from runner.language.project import Project
from runner.language.resolve import Problem, resolve
from runner.language.workspace import Workspace
from runner.spec import Json


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedAgent:
    """An agent as far as it can be told.

    Attributes:
        name: its name, which a base may give, or that of its file.
        model: None when there is none.
        tools: the names it gives, known or not.
        file: its file as people here write it.
        state: `ready` to run, a `base` that only others extend, or `invalid`: `runner validate` says why.
    """

    name: str
    description: str
    model: str | None
    tools: tuple[str, ...]
    file: str
    state: Literal["ready", "base", "invalid"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedTool:
    """A tool that agents may name.

    Attributes:
        risk: `low` unless its declaration says otherwise.
        description: that of its declaration or the summary of its function; None when there is neither.
        declared: `file:line` of its declaration.
        from_toolkit: whether it comes with the runner.
    """

    name: str
    type: str
    risk: str
    description: str | None
    declared: str
    from_toolkit: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ProjectListing:
    """The agents and tools of a project, by name."""

    root: str
    agents: tuple[ListedAgent, ...]
    tools: tuple[ListedTool, ...]


def list_project(root: Path) -> ProjectListing:
    """List the project with this root folder (`find_root` of `runner.language.project` finds it)."""
    workspace = Workspace()
    agents = []
    for path, kind in documents_of_project(root):
        if kind == "agent":
            agents.append(_agent(path, workspace))
            workspace.forget(path)
    return ProjectListing(
        root=str(root),
        agents=tuple(sorted(agents, key=lambda agent: agent.name)),
        tools=list_tools(workspace, workspace.project_at(root)),
    )


def list_tools(workspace: Workspace, project: Project) -> tuple[ListedTool, ...]:
    """The tools that agents of a project may name, by name; its policy is not asked."""
    catalog = workspace.catalog(project)
    toolkit = catalog.toolsets[-1]
    tools = (
        ListedTool(
            name=tool.name,
            type=_text(tool.data.get("type")) or "?",
            risk=_text(tool.data.get("risk", "low")) or "?",
            description=_text(tool.data.get("description")) or _summary(tool, project),
            declared=f"{tool.document.file}:{tool.document.span(tool.path).line}",
            from_toolkit=tool.document is toolkit.document,
        )
        for tool in catalog.tools.values()
    )
    return tuple(sorted(tools, key=lambda tool: tool.name))


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentNames:
    """What the agents of a project are called; a name that is not unique has several files.

    Attributes:
        all: the names as `list_project` shows them, in order.
        named: the files by the name that is written.
        by_file: all files, by their own name without its ending.
    """

    all: tuple[str, ...]
    named: Mapping[str, tuple[Path, ...]]
    by_file: Mapping[str, tuple[Path, ...]]

    def files(self, name: str) -> tuple[Path, ...]:
        """The files of the agents with a name; only if there are none, those of the files that are called so."""
        return self.named.get(name) or self.by_file.get(name, ())


def agent_names(root: Path) -> AgentNames:
    """Name the agents that `list_project` lists, without checking them; files that several paths lead to count once."""
    workspace = Workspace()
    named: dict[str, tuple[Path, ...]] = {}
    by_file: dict[str, tuple[Path, ...]] = {}
    shown_names: set[str] = set()
    seen: set[Path] = set()
    for path, kind in documents_of_project(root):
        real = workspace.real(path)
        if kind != "agent" or real in seen:
            continue
        seen.add(real)
        by_file[path.stem] = (*by_file.get(path.stem, ()), path)
        name = _name(path, workspace)
        shown_names.add(name or path.stem)
        if name is not None:
            named[name] = (*named.get(name, ()), path)
    return AgentNames(
        all=tuple(sorted(shown_names)),
        named={name: _without_bases(paths, workspace) for name, paths in named.items()},
        by_file=by_file,
    )


def _without_bases(paths: tuple[Path, ...], workspace: Workspace) -> tuple[Path, ...]:
    """Who inherits a name from a base that cannot run shares it with nobody."""
    if len(paths) == 1:
        return paths
    return tuple(path for path in paths if _agent(path, workspace).state != "base") or paths


def _name(path: Path, workspace: Workspace) -> str | None:
    document = workspace.read(path).document
    if document is None:
        return None
    lineage = follow(document, workspace, workspace.project_of(place_of(document)))
    names = (_text(each.data.get("name")) for each in reversed(lineage.documents))
    return next(filter(None, names), None)


def _agent(path: Path, workspace: Workspace) -> ListedAgent:
    checked = check_agent(path, workspace)
    agent = checked.agent
    if agent is not None and checked.usable:
        return ListedAgent(
            name=agent.value("name"),
            description=agent.value("description") or "",
            model=agent.value("model", "name"),
            tools=tuple(use.tool.name for use in agent.tools if use.tool is not None),
            file=shown(path),
            state="ready",
        )
    document = workspace.read(path).document
    data = document.data if document else {}
    model, tools = data.get("model"), data.get("tools")
    return ListedAgent(
        name=_name(path, workspace) or path.stem,
        description=_text(data.get("description")) or "",
        model=_text(model.get("name") if isinstance(model, dict) else model),
        tools=tuple(filter(None, map(_tool_name, tools if isinstance(tools, list) else ()))),
        file=shown(path),
        state="invalid" if has_errors(check_agent(path, workspace, is_base=True).diagnostics) else "base",
    )


def _summary(tool: DeclaredTool, project: Project) -> str | None:
    """What the docstring of a Python tool says first; its module is read, not imported."""
    function = tool.data.get("function")
    if tool.data.get("type") != "python" or not isinstance(function, str):
        return None
    found = resolve(function, folder=place_of(tool.document).parent, project=project.spec)
    return None if isinstance(found, Problem) or found.definition is None else found.definition.summary


def _tool_name(entry: Json) -> str | None:
    return _text(entry.get("name") if isinstance(entry, dict) else entry)


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None
