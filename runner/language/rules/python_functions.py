"""A Python tool names a function that exists, in a place it may be taken from."""

from collections.abc import Iterator, Mapping

from runner.diagnostics import Diagnostic
from runner.language.catalog import DeclaredTool
from runner.language.function_source import Parameters
from runner.language.passages import ScalarPassage, diagnostic_in
from runner.language.paths import place_of
from runner.language.resolve import Problem, Resolved, is_import_path, resolve
from runner.spec import Json, ProjectSpec
from runner.suggest import did_you_mean

CODES = {"RUN507": "parameters of a tool that its function does not take"}
_ABOUT_THE_FUNCTION = ("RUN502", "RUN505")


def check_tool(tool: DeclaredTool, project: ProjectSpec) -> Iterator[Diagnostic]:
    """Resolve the function; compare it with the declared parameters, if there are any."""
    function = tool.data.get("function")
    if tool.data.get("type") != "python" or not isinstance(function, str) or not is_import_path(function):
        return  # the schema's complaint
    found = resolve(function, folder=place_of(tool.document).parent, project=project)
    if isinstance(found, Problem):
        yield _problem(tool, function, found)
    else:
        yield from _definition(tool, function, found)


def _problem(tool: DeclaredTool, function: str, problem: Problem) -> Diagnostic:
    path = (*tool.path, "function")
    colon = function.index(":")
    place = (colon + 1, len(function)) if problem.code in _ABOUT_THE_FUNCTION else (0, colon)
    passage = ScalarPassage(document=tool.document, path=path, value=function)
    return diagnostic_in(passage, problem.code, problem.message, place, suggestion=problem.suggestion)


def _definition(tool: DeclaredTool, function: str, found: Resolved) -> Iterator[Diagnostic]:
    declared = tool.data.get("parameters")
    if found.definition is None:
        return
    if found.definition.kind == "assignment" and found.owner is None and declared is None:
        message = f"'{found.name}' is assigned, not defined with def or class, so its parameters cannot be read"
        problem = Problem(code="RUN505", message=message, suggestion="declare them under parameters")
        yield _problem(tool, function, problem)
    elif found.definition.parameters and isinstance(declared, Mapping):
        yield from _parameters(tool, found, found.definition.parameters, declared)


def _parameters(
    tool: DeclaredTool, found: Resolved, taken: Parameters, declared: Mapping[str, Json]
) -> Iterator[Diagnostic]:
    path = (*tool.path, "parameters")
    properties = declared.get("properties", {})
    if not isinstance(properties, Mapping):
        return
    for name in properties:
        if name not in taken.names and not taken.open:
            message = f"function '{found.name}' has no parameter '{name}'"
            suggestion = did_you_mean(name, taken.names)
            yield tool.document.diagnostic(
                "RUN507", message, (*path, "properties", name), key=True, suggestion=suggestion
            )
    for name in taken.required:
        if name not in properties:
            message = f"function '{found.name}' needs '{name}', which parameters does not declare"
            yield tool.document.diagnostic("RUN507", message, path, key=True)
