"""What a project has: its agents and the tools they may use, well formed or not."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from runner.language.checks import check_agent, has_errors
from runner.language.compiler import compile_agent
from runner.language.discovery import documents_of_project
from runner.language.paths import shown
from runner.language.workspace import Workspace
from runner.spec import Json


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedAgent:
    """An agent as far as it can be told.

    Attributes:
        name: its name, or that of its file.
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
        description: None when only its own code tells.
        declared: `file:line` of its declaration.
        from_toolkit: whether it comes with the runner.
    """

    name: str
    type: str
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
    agents = [_agent(path, workspace) for path, kind in documents_of_project(root) if kind == "agent"]
    catalog = workspace.catalog(workspace.project_at(root))
    toolkit = catalog.toolsets[-1]
    tools = [
        ListedTool(
            name=tool.name,
            type=_text(tool.data.get("type")) or "?",
            description=_text(tool.data.get("description")),
            declared=f"{tool.document.file}:{tool.document.span(tool.path).line}",
            from_toolkit=tool.document is toolkit.document,
        )
        for tool in catalog.tools.values()
    ]
    return ProjectListing(
        root=str(root),
        agents=tuple(sorted(agents, key=lambda agent: agent.name)),
        tools=tuple(sorted(tools, key=lambda tool: tool.name)),
    )


def _agent(path: Path, workspace: Workspace) -> ListedAgent:
    spec = compile_agent(path, cache=workspace).spec
    if spec is not None:
        return ListedAgent(
            name=spec.name,
            description=spec.description,
            model=spec.model.name,
            tools=tuple(tool.name for tool in spec.tools),
            file=shown(path),
            state="ready",
        )
    document = workspace.read(path).document
    data = document.data if document else {}
    model, tools = data.get("model"), data.get("tools")
    return ListedAgent(
        name=_text(data.get("name")) or path.stem,
        description=_text(data.get("description")) or "",
        model=_text(model.get("name") if isinstance(model, dict) else model),
        tools=tuple(filter(None, map(_tool_name, tools if isinstance(tools, list) else ()))),
        file=shown(path),
        state="invalid" if has_errors(check_agent(path, workspace, is_base=True).diagnostics) else "base",
    )


def _tool_name(entry: Json) -> str | None:
    return _text(entry.get("name") if isinstance(entry, dict) else entry)


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None
