"""Sees that parameters declared in YAML can reach the function they are declared for."""

from collections.abc import Mapping

from runner.spec import Json, JsonObject
from runner.tools.annotations import UnreadableSignatureError
from runner.tools.mending import in_words, types_of

# Every integer is a number.
_ALSO_NUMBERS = frozenset({"integer"})


def check_agreement(declared_schema: JsonObject, own_schema: JsonObject) -> None:
    """See that declared parameters can reach the function; `validate` cannot see through a decorator.

    Raises:
        UnreadableSignatureError: a declared one is not taken, or a required one can never be given.
    """
    told, taken = declared_schema["properties"], own_schema["properties"]
    if not own_schema["additionalProperties"] and (strange := [name for name in told if name not in taken]):
        names = ", ".join(taken) or "none"
        raise UnreadableSignatureError(f"it does not take the declared parameter '{strange[0]}'; it takes: {names}")
    needed = own_schema.get("required", ())
    is_closed = declared_schema.get("additionalProperties") is False
    if is_closed and (lacking := [name for name in needed if name not in told]):
        raise UnreadableSignatureError(f"it needs '{lacking[0]}', which is not among the declared parameters")
    given = declared_schema.get("required", ())
    optional = [name for name in needed if name in told and name not in given and not _has_default(told[name])]
    if optional:
        raise UnreadableSignatureError(f"it needs '{optional[0]}', which the declared parameters do not require")
    for name, part in told.items():
        if (types := _json_types(part)) and (own := _json_types(taken.get(name))) and types.isdisjoint(own):
            told_types, own_types = in_words(types - _ALSO_NUMBERS), in_words(own - _ALSO_NUMBERS)
            raise UnreadableSignatureError(f"'{name}' is declared as {told_types}, and the function takes {own_types}")


def _has_default(schema: Json) -> bool:
    return isinstance(schema, Mapping) and "default" in schema


def _json_types(schema: Json) -> frozenset[str]:
    """The JSON types that a schema says it allows; none when it does not, or not in so many words."""
    if not isinstance(schema, Mapping) or not schema.keys().isdisjoint(("$ref", "anyOf", "oneOf", "allOf", "enum")):
        return frozenset()
    types = types_of(schema) - {"null"}
    return types | {"integer", "number"} if types & {"integer", "number"} else types
