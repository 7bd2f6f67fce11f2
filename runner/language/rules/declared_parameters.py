"""Every argument that a tool's declared `parameters` require is one that they declare."""

from collections.abc import Iterator, Mapping

from runner.diagnostics import Diagnostic
from runner.language.catalog import DeclaredTool
from runner.spec import ProjectSpec
from runner.suggest import did_you_mean

CODES = {"RUN508": "a required parameter of a tool that is not declared"}
# With any of these, arguments may be taken that `properties` does not name.
_OPENING = ("additionalProperties", "patternProperties", "allOf", "anyOf", "oneOf", "$ref", "if")


def check_tool(tool: DeclaredTool, project: ProjectSpec) -> Iterator[Diagnostic]:
    """Look at the declared parameters: a model could never give an argument that it is not shown."""
    del project
    parameters = tool.data.get("parameters")
    if not isinstance(parameters, Mapping) or any(parameters.get(key) for key in _OPENING):
        return
    properties, required = parameters.get("properties", {}), parameters.get("required", [])
    if not isinstance(properties, Mapping) or not isinstance(required, list):
        return  # the schema's complaint
    for index, name in enumerate(required):
        if isinstance(name, str) and name not in properties:
            yield tool.document.diagnostic(
                "RUN508",
                f"parameter '{name}' is required, but not declared under properties",
                (*tool.path, "parameters", "required", index),
                suggestion=did_you_mean(name, properties),
            )
