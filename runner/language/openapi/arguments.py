"""The arguments of one operation's tool, each with its place in the request."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from runner.language.openapi.definitions import Named, settle
from runner.language.openapi.naming import argument_name
from runner.spec import Json

Place = Literal["path", "query", "header", "body"]
# Of equal names the first keeps it: what stands in the address is hardest to miss.
PLACES: tuple[Place, ...] = ("path", "query", "header", "body")


class UnusableError(Exception):
    """An operation cannot be made a tool; the message says why, as in `it needs …`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Argument:
    """One argument.

    Attributes:
        key: what the request calls it; None for a body that is one argument.
        schema: its JSON Schema, with `Named` references.
        style: of a query parameter: how a list is written, as `query` of an http tool has it.
        name: what the model calls it; given by `named`.
    """

    place: Place
    key: str | None
    schema: Json
    required: bool = False
    style: str = "repeat"
    name: str = ""

    @property
    def template(self) -> str:
        """What stands for it in a request."""
        return f"{{{{ {self.name} }}}}"


def named(arguments: Sequence[Argument]) -> list[Argument]:
    """The arguments in the order of their places, each with a name of its own."""
    taken: set[str] = set()
    result: list[Argument] = []
    for argument in sorted(arguments, key=lambda each: PLACES.index(each.place)):
        name = argument_name(argument.key or "body", argument.place, taken)
        taken.add(name)
        result.append(replace(argument, name=name))
    return result


def parameters_of(arguments: Sequence[Argument], definitions: dict[str, Json]) -> dict[str, Json]:
    """The JSON Schema of named arguments.

    What is declared as a default would be sent, which is more than the caller asked for (a PATCH would reset what it
    does not name); the server has its defaults, so they are only told.
    """
    schema: dict[str, Json] = {
        "type": "object",
        "properties": {each.name: {} if each.schema is True else each.schema for each in arguments},
        "required": [argument.name for argument in arguments if argument.required],
        "additionalProperties": False,
    }
    settled = settle(schema, definitions)
    settled["properties"] = {name: _default_told(each) for name, each in settled["properties"].items()}
    return settled


def _default_told(schema: Json) -> Json:
    if not isinstance(schema, dict) or "default" not in schema:
        return schema
    told = f"Default: {json.dumps(schema['default'], ensure_ascii=False)}."
    description = f"{schema.get('description', '')}\n{told}".strip()
    return {**{key: value for key, value in schema.items() if key != "default"}, "description": description}


def described(schema: Json, description: str) -> Json:
    """The schema with a description, which wins over its own."""
    if not description or not isinstance(schema, dict):
        return {"description": description} if description and schema is True else schema
    if isinstance(schema, Named):
        return Named(schema.name, {**schema, "description": description})
    return {**schema, "description": description}


def as_text(description: str, form: str) -> dict[str, Json]:
    """The schema of a value that has to be written as text; `form` says how."""
    return {"type": "string", "description": f"{description} ({form})".strip()}
