"""How a value does not fit a JSON Schema."""

from dataclasses import dataclass

from runner.language.source import Path
from runner.spec import Json, JsonObject


@dataclass(frozen=True, kw_only=True, slots=True)
class Mismatch:
    """One keyword of a schema that a value does not fit.

    Attributes:
        path: the value's place; of a key, the place of its mapping.
        keyword: the keyword, or `false` for a schema that allows nothing; jsonschema then gives the path without its
            last step.
        expected: the keyword's value.
        value: what was found.
        schema: the schema that holds the keyword.
        on_key: whether `value` is a key of the mapping at `path`.
        message: jsonschema's own words.
    """

    path: Path
    keyword: str
    expected: Json
    value: Json
    schema: JsonObject
    on_key: bool
    message: str


class UnresolvableReferenceError(Exception):
    """A `$ref` of the schema names nothing inside it."""
