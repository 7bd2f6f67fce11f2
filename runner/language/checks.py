"""Checks agents and toolsets with everything they refer to: structure, references, rules, completeness."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.diagnostics import Diagnostic, in_order
from runner.language import catalog, document, extends, modelines, references, rules, templates
from runner.language import resolve as import_paths
from runner.language.catalog import DeclaredTool, Toolset, repeated
from runner.language.document import Document
from runner.language.overrides import Override, without_lines
from runner.language.project import PROJECT_FILE, Project
from runner.language.references import MergedAgent, assemble
from runner.language.rules import AGENT_RULES, TOOL_RULES
from runner.language.tool_places import ToolPlaces
from runner.language.wording import quoted
from runner.language.workspace import Workspace
from runner.spec import JsonObject

CODES: dict[str, str] = {
    "RUN311": "an agent that lacks something",
    "RUN313": "a toolset where an agent is expected",
    "RUN314": "an agent declared twice",
    **catalog.CODES,
    **modelines.CODES,
    **extends.CODES,
    **references.CODES,
    **templates.CODES,
    **rules.CODES,
    **import_paths.CODES,
}
_UNKNOWN_KEY = "RUN201"
_UNREAD = frozenset({"RUN304", "RUN305", "RUN306"}) | document.CODES.keys()
_PROTOCOL = ("instructions", "call", "answer")
_PROMPTS = ("instructions", "instructions_file", "prompt", "prompt_file")


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """An agent and everything that is wrong with it.

    Attributes:
        agent: None when its text cannot be understood as one.
        usable: whether it can run: it has no errors and lacks nothing.
    """

    agent: MergedAgent | None
    diagnostics: tuple[Diagnostic, ...]
    usable: bool


def check_agent(
    path: Path,
    workspace: Workspace,
    *,
    display: str | None = None,
    overrides: Sequence[Override] = (),
    is_base: bool = False,
) -> Checked:
    """Read an agent and check it with all it refers to. Nothing is imported, fetched or run.

    Args:
        path: the agent's file.
        workspace: the files already read.
        display: its name in messages, by default `path` (relative to the current folder when inside of it).
        overrides: what wins over what is written, the last most.
        is_base: whether others extend the file, so that what it lacks is theirs to add.
    """
    read = workspace.read(path, display=display)
    if read.document is None:
        return Checked(agent=None, diagnostics=read.diagnostics, usable=False)
    if read.document.data.get("kind") == "toolset":
        return Checked(agent=None, diagnostics=(*read.diagnostics, _toolset(read.document)), usable=False)
    agent, problems = assemble(read.document, workspace, overrides=overrides, is_base=is_base)
    lacking = list(_incomplete(agent))
    told = lacking if agent.complete and not is_base and not _may_be_misspelt(problems) else []
    found = [*problems, *_agent_diagnostics(agent, workspace), *told]
    diagnostics = tuple(in_order(without_lines(found, agent.options)))
    return Checked(agent=agent, diagnostics=diagnostics, usable=not has_errors(diagnostics) and not lacking)


def _toolset(document: Document) -> Diagnostic:
    suggestion = "toolsets belong into tools.d, and agents name the tools in them"
    return document.diagnostic("RUN313", "expected an agent, found a toolset", ("kind",), suggestion=suggestion)


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether any of them is more than a warning."""
    return any(diagnostic.severity == "error" for diagnostic in diagnostics)


def _agent_diagnostics(agent: MergedAgent, workspace: Workspace) -> Iterator[Diagnostic]:
    """What the rules say about an agent, its inline tools, and the toolset files that hold its other tools.

    Toolset files it does not use are not its business, nor are tools that it does not use in the others.
    """
    for rule in AGENT_RULES:
        yield from rule(agent)
    toolsets: dict[str, Toolset] = {}
    for use in agent.tools:
        toolset = agent.catalog.toolset_of(use.tool) if agent.catalog and use.tool else None
        if toolset is not None:
            toolsets[toolset.file] = toolset
        elif use.tool is not None:
            yield from _tool_diagnostics(use.tool, agent.project)
    for toolset in toolsets.values():
        found = toolset_diagnostics(toolset, agent.project, workspace)
        yield from _about_used(toolset, found, agent) if found else ()
    if agent.catalog is not None:
        yield from agent.catalog.repeats(use.name for use in agent.tools)


def _about_used(toolset: Toolset, found: Iterable[Diagnostic], agent: MergedAgent) -> Iterator[Diagnostic]:
    """The diagnostics that are not about a tool which the agent does not use."""
    if toolset.document is None:
        yield from found
        return
    places = ToolPlaces(toolset.document)
    used = {use.tool.path[-1] for use in agent.tools if use.tool and use.tool.document is toolset.document}
    for diagnostic in found:
        index = places.tool_of(diagnostic)
        if index is None or index in used:
            yield diagnostic


def toolset_diagnostics(toolset: Toolset, project: Project, workspace: Workspace) -> tuple[Diagnostic, ...]:
    """What is wrong with a toolset file and the tools in it; worked out once per workspace."""
    key = (toolset.file, project.spec.root)
    if key not in workspace.toolset_diagnostics:
        found = list(toolset.diagnostics)
        for tool in toolset.tools:
            found += _tool_diagnostics(tool, project)
        own: dict[str, DeclaredTool] = {}
        for tool in toolset.tools:
            if own.setdefault(tool.name, tool) is not tool:
                found.append(repeated(tool, own[tool.name]))
        workspace.toolset_diagnostics[key] = tuple(found)
    return workspace.toolset_diagnostics[key]


def _tool_diagnostics(tool: DeclaredTool, project: Project) -> Iterator[Diagnostic]:
    for rule in TOOL_RULES:
        yield from rule(tool, project.spec)


def lacks_something(data: JsonObject) -> bool:
    """Whether a document by itself is no agent."""
    return not {"name", "model"} <= data.keys() or not any(key in data for key in _PROMPTS)


def _incomplete(agent: MergedAgent) -> Iterator[Diagnostic]:
    """What is in none of the layers and must be, other than what the schema has said of the agent's own file."""
    if agent.partial and agent.value("name") is None and not _has(agent, "name"):
        yield _lacks(agent, "this agent has no 'name'", "add 'name: …'")
    if agent.value("model", "name") is None and not any(_is_no_model(layer.data) for layer in agent.layers):
        message = f"this agent has no 'model', and no {PROJECT_FILE} gives a default"
        yield _lacks(agent, message, f"add 'model: provider/model', or defaults.model to {PROJECT_FILE}")
    if agent.partial and all(agent.value(key) is None for key in _PROMPTS):
        message = "this agent has neither 'instructions' nor 'prompt'"
        yield _lacks(agent, message, "add 'instructions: …' (or instructions_file, prompt, prompt_file)")
    if agent.partial and agent.value("parsing", "mode") == "text":
        lacking = [key for key in _PROTOCOL if agent.value("parsing", key) is None]
        if lacking:
            message = f"parsing mode text needs {quoted(lacking)}, which no file of this agent gives"
            yield agent.diagnostic("RUN311", message, ("parsing",), key=True)


def _has(agent: MergedAgent, key: str) -> bool:
    """Whether a key is there, if without a value: then the schema has complained."""
    return any(key in layer.data for layer in agent.layers)


def _is_no_model(data: JsonObject) -> bool:
    """Whether `model`, or its name, is of a type that the schema has complained of."""
    model = data.get("model", "")
    return not isinstance(model, str | dict) or (isinstance(model, dict) and model.get("name", "") is None)


def _lacks(agent: MergedAgent, message: str, suggestion: str) -> Diagnostic:
    place = ("extends",) if "extends" in agent.document.data else ()
    return agent.document.diagnostic("RUN311", message, place, key=True, suggestion=suggestion)


def _may_be_misspelt(problems: Iterable[Diagnostic]) -> bool:
    """Whether something that seems to be lacking may be there under a wrong name, or in a file that cannot be read."""
    return any(each.code == _UNKNOWN_KEY or each.code in _UNREAD for each in problems)
