"""A Python tool names a function that exists, in a place it may be taken from."""

from collections.abc import Iterator, Mapping

from runner.diagnostics import Diagnostic
from runner.language.catalog import DeclaredTool
from runner.language.function_source import Parameters
from runner.language.passages import ScalarPassage, diagnostic_in
from runner.language.paths import place_of
from runner.language.resolve import Problem, Resolved, is_import_path, resolve
from runner.language.wording import quoted
from runner.spec import Json, ProjectSpec
from runner.suggest import did_you_mean

CODES = {
    "RUN507": "parameters of a tool that its function does not take",
    "RUN536": "a function that asks for the ToolContext more than once",
}
# Whether null is taken too is no contradiction.
_NULL = frozenset({"null"})
_ABOUT_THE_FUNCTION = ("RUN502", "RUN505", "RUN536")


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
    contexts = found.definition.parameters.contexts if found.definition.parameters else ()
    if len(contexts) > 1:
        message = f"{quoted(contexts)} of '{found.name}' ask for the ToolContext, which is given once"
        yield _problem(tool, function, Problem(code="RUN536", message=message, suggestion="keep one of them"))
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
    for name, wanted in taken.types.items():
        given = properties.get(name)
        if isinstance(given, Mapping) and (types := _types_of(given)) and (types - _NULL).isdisjoint(wanted):
            message = (
                f"'{name}' is declared as {_in_words(types)}, and function '{found.name}' takes {_in_words(wanted)}"
            )
            yield tool.document.diagnostic("RUN507", message, (*path, "properties", name))
    required = declared.get("required", [])
    for name in taken.required:
        given = properties.get(name)
        if name not in properties:
            message = f"function '{found.name}' needs '{name}', which parameters does not declare"
            yield tool.document.diagnostic("RUN507", message, path, key=True)
        elif (
            isinstance(required, list)
            and name not in required
            and not (isinstance(given, Mapping) and "default" in given)
        ):
            message = f"function '{found.name}' needs '{name}', which parameters does not require"
            suggestion = f"write 'required: [{', '.join(map(str, [*required, name]))}]', or give '{name}' a default"
            yield tool.document.diagnostic(
                "RUN507", message, (*path, "properties", name), key=True, suggestion=suggestion
            )


def _types_of(schema: Mapping[str, Json]) -> frozenset[str]:
    types = schema.get("type", ())
    listed = (types,) if isinstance(types, str) else types if isinstance(types, list) else ()
    return frozenset(each for each in listed if isinstance(each, str))


def _in_words(types: frozenset[str]) -> str:
    # Every integer is a number.
    return " or ".join(sorted(types - {"integer"} if "number" in types else types))
