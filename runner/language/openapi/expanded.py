"""What a tool of type `openapi` has been expanded to, as values."""

from dataclasses import dataclass

from runner.diagnostics import Diagnostic
from runner.spec import JsonObject

CODES = {
    "RUN521": "an OpenAPI document that cannot be read",
    "RUN522": "a document that is not OpenAPI 3.0 or 3.1",
    "RUN523": "a reference in an OpenAPI document that cannot be followed",
    "RUN524": "an operation that an OpenAPI document does not have",
    "RUN525": "an OpenAPI document without the address of its server",
    "RUN526": "an operation that cannot be a tool",
    "RUN527": "two operations whose tools have the same name",
    "RUN528": "an OpenAPI document that needs a key",
    "RUN529": "operations left out",
    "RUN530": "operations whose server gets no keys",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Expansion:
    """The tools that a declaration stands for, as they would be declared one by one, and its problems."""

    tools: tuple[JsonObject, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
