"""Checks arguments against `parameters` declared in YAML, which then replace those read from the signature."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from runner.spec import Json, JsonObject
from runner.tools.arguments import WrongArgumentsError, read_arguments

# Keywords that bring in properties from elsewhere, so that `properties` alone does not tell which ones there are.
_COMPOSED = ("allOf", "anyOf", "oneOf", "$ref", "if", "patternProperties", "additionalProperties")

# What follows an argument's name in a path: `points[0].x`.
_ARGUMENT = re.compile(r"[.\[]")


@dataclass(frozen=True, kw_only=True, slots=True)
class DeclaredParameters:
    """Parameters as a person wrote them, made complete.

    Attributes:
        schema: a JSON Schema of an object; other arguments than its `properties` are refused unless it says otherwise.
        check: what is wrong with a value by a schema, one line each.
    """

    schema: JsonObject
    check: Callable[[Json, JsonObject], Sequence[str]]

    def read(self, arguments: JsonObject) -> JsonObject:
        """The arguments, mended, with the declared defaults of those not given.

        Raises:
            WrongArgumentsError: they do not fit the schema.
        """
        values, problems = read_arguments(arguments, self.schema)
        # What is found already (missing, unknown and misread arguments) is not told twice.
        rest = {key: value for key, value in self.schema.items() if key not in ("required", "additionalProperties")}
        doubtful = {_ARGUMENT.split(path, maxsplit=1)[0] for path in problems}
        others = {name: value for name, value in values.items() if name not in doubtful}
        found = [*problems.values(), *self.check(others, rest)]
        if found:
            raise WrongArgumentsError(found)
        properties = self.schema["properties"].items()
        defaults = {name: part["default"] for name, part in properties if isinstance(part, dict) and "default" in part}
        return {**defaults, **values}


def declared(parameters: JsonObject, check: Callable[[Json, JsonObject], Sequence[str]]) -> DeclaredParameters:
    """The parameters of a tool's declaration."""
    closing = {} if any(key in parameters for key in _COMPOSED) else {"additionalProperties": False}
    return DeclaredParameters(schema={"type": "object", "properties": {}, **parameters, **closing}, check=check)
