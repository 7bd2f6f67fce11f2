"""The schema of agents made for one project: its own tools and models in it, so that an editor offers them."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from runner.allowed_models import is_allowed
from runner.diagnostics import Diagnostic
from runner.language.catalog import Catalog
from runner.language.listing import ListedTool, list_tools
from runner.language.policy import RISKS
from runner.language.project import Project
from runner.language.schema_files import schema_text
from runner.language.workspace import Workspace
from runner.spec import Json, JsonObject, ProjectSpec


class UnreadableProject(Exception):  # noqa: N818 - it is the project that cannot be read
    """Files with tools cannot be read, so that a schema would refuse names that are right."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__("; ".join(f"{each.location}: {each.message}" for each in diagnostics))
        self.diagnostics = diagnostics


def project_schema(root: Path) -> str:
    """The JSON text of one schema, without references to other files, for the agents of the project at `root`.

    It takes the names of the tools that the project's agents may use, and no others; its examples of models are some
    that the project allows.

    Raises:
        UnreadableProject: a toolset or `runner.yaml` is no YAML that can be understood.
    """
    workspace = Workspace()
    project = workspace.project_at(root)
    catalog = workspace.catalog(project)
    unread = tuple(_unreadable(project, catalog))
    if unread:
        raise UnreadableProject(unread)
    tools = [tool for tool in list_tools(workspace, project) if _may_be_used(tool, project.spec)]
    schema = json.loads(schema_text("agent"))
    del schema["$id"]  # which is that of the published one
    schema["description"] += f" Made for the project {root.name} by `runner schema agent --with-project`."
    schema["properties"]["tools"] = _tools(schema["properties"]["tools"], tools, project.spec)
    choices = schema["properties"]["tool_choice"]
    choices["examples"] = [*choices["examples"], *(tool.name for tool in tools)]
    for about in _about_models(schema):
        about["examples"] = list(_models(project, about["examples"])) or about["examples"]
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _unreadable(project: Project, catalog: Catalog) -> Iterator[Diagnostic]:
    if project.document is None:
        yield from project.diagnostics
    for toolset in catalog.toolsets:
        yield from toolset.diagnostics if toolset.document is None else ()


def _may_be_used(tool: ListedTool, project: ProjectSpec) -> bool:
    return tool.risk not in RISKS or RISKS.index(tool.risk) <= RISKS.index(project.max_risk)


def _tools(about: JsonObject, tools: Iterable[ListedTool], project: ProjectSpec) -> JsonObject:
    named = {tool.name: f"{tool.description or tool.type} ({_origin(tool)}, risk {tool.risk})" for tool in tools}
    names: dict[str, Json] = {
        "description": "The name of a tool of this project or of the toolkit.",
        "enum": list(named),
        # What VS Code shows beside each.
        "enumDescriptions": list(named.values()),
    }
    examples = [list(named)[:2]]
    if project.inline_tools == "deny":
        description = "What the model may use: names of tools; the project allows no tools declared here."
        return {**about, "description": description, "items": {**names, "type": "string"}, "examples": examples}
    entry = {key: value for key, value in about["items"].items() if key in ("description", "type", "if", "then")}
    return {**about, "items": {**entry, "else": names}, "examples": examples}


def _origin(tool: ListedTool) -> str:
    return "comes with runner" if tool.from_toolkit else tool.declared.rpartition(":")[0]


def _about_models(schema: JsonObject) -> Iterator[dict[str, Json]]:
    for kind in ("model", "fallback"):
        yield schema["$defs"][kind]
        yield schema["$defs"][kind]["properties"]["name"]


def _models(project: Project, usual: Iterable[str]) -> Iterator[str]:
    """The project's default, the models that its policy names in full, and what it allows of the usual examples."""
    defaults = project.document.data.get("defaults") if project.document else None
    model = defaults.get("model") if isinstance(defaults, dict) else None
    default = model.get("name") if isinstance(model, dict) else model
    allowed = project.spec.models
    candidates = [default, *(name for name in allowed if not set(name) & set("*?[")), *usual]
    yield from dict.fromkeys(name for name in candidates if isinstance(name, str) and is_allowed(name, allowed))
