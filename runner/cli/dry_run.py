"""Tells what a call of a tool would do, one function per type of tool; nothing is called or sent."""

from collections.abc import Callable, Mapping
from pathlib import Path

from runner.engine.ports import Tool
from runner.language.resolve import Problem, resolve
from runner.language.schema import problems
from runner.report.json_text import dumped
from runner.spec import Json, JsonObject, ProjectSpec, ToolSpec
from runner.tools.arguments import WrongArgumentsError, explained
from runner.tools.declared import declared
from runner.tools.failures import shown

# Written as a block below the other lines.
_BLOCK = "request"


class RefusedCallError(Exception):
    """The call would not be made; the message is what the model would be told."""


def dry_run(tool: Tool, spec: ToolSpec, project: ProjectSpec, arguments: JsonObject) -> dict[str, Json]:
    """What a call would do: `{"tool": …, "type": …, "declared": …}` and what its type adds.

    Raises:
        RefusedCallError: the arguments do not fit.
    """
    about = {"tool": spec.name, "type": spec.type, "declared": spec.origin}
    return {**about, **_TYPES[spec.type](tool, spec, project, arguments)}


def dry_run_text(told: Mapping[str, Json]) -> str:
    """The same for people."""
    lines = [(key, value) for key, value in told.items() if key != _BLOCK]
    width = max(len(key) for key, _ in lines) + 2
    text = "\n".join(f"{key:<{width}}{value if isinstance(value, str) else dumped(value)}" for key, value in lines)
    return f"{text}\n\n{told[_BLOCK]}" if _BLOCK in told else text


def _python(tool: Tool, spec: ToolSpec, project: ProjectSpec, arguments: JsonObject) -> dict[str, Json]:
    parameters = tool.definition.parameters
    try:
        values = declared(parameters, problems).read(arguments)
    except WrongArgumentsError as error:
        raise RefusedCallError(explained(spec.name, error.problems, parameters)) from None
    function = str(spec.settings["function"])
    found = resolve(function, folder=Path(spec.folder), project=project)
    file = {} if isinstance(found, Problem) else {"file": shown(found.file, Path(project.root).resolve())}
    # As they are declared: what `${VAR}` stands for may be a secret.
    settings = {key: spec.settings[key] for key in ("config", "isolation") if key in spec.settings}
    return {"function": function, **file, **settings, "arguments": values}


def _http(tool: Tool, spec: ToolSpec, project: ProjectSpec, arguments: JsonObject) -> dict[str, Json]:
    del spec, project
    from runner.tools.http.failures import UnpreparedError  # noqa: PLC0415 - the HTTP library is slow to import
    from runner.tools.http.tool import HttpTool  # noqa: PLC0415 - as above

    if not isinstance(tool, HttpTool):
        raise TypeError(f"expected an HTTP tool, found a {type(tool).__name__}")
    try:
        return {_BLOCK: tool.shown(tool.prepare(arguments))}
    except UnpreparedError as error:
        raise RefusedCallError(str(error)) from None


_TYPES: dict[str, Callable[[Tool, ToolSpec, ProjectSpec, JsonObject], dict[str, Json]]] = {
    "python": _python,
    "http": _http,
}
