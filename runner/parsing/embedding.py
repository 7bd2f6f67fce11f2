"""Puts one JSON Schema inside another so that its references still hold."""

from collections.abc import Callable, Iterator

from runner.spec import Json, JsonObject

_DEFS = "#/$defs/"


def embed(schema: JsonObject, owner: str) -> tuple[JsonObject, dict[str, Json]]:
    """The schema for a place inside another one, and the `$defs` the other one's root must have for it.

    Args:
        schema: a schema whose references are to places in itself.
        owner: a name for its definitions, used by no other schema in the same root.
    """
    references = set(_references(schema))
    if not references:
        return {key: value for key, value in schema.items() if key != "$defs"}, {}
    if all(reference.startswith(_DEFS) for reference in references):
        own = _renamed(schema, lambda reference: reference.replace(_DEFS, f"{_DEFS}{owner}.", 1))
        return own, {f"{owner}.{name}": value for name, value in own.pop("$defs", {}).items()}
    # A reference to some other place (`#` is a tree's): only the schema as a whole keeps it right.
    whole = _renamed(schema, lambda reference: f"{_DEFS}{owner}{reference.removeprefix('#')}")
    return {"$ref": f"{_DEFS}{owner}"}, {owner: whole}


def _references(schema: Json) -> Iterator[str]:
    if isinstance(schema, list):
        for item in schema:
            yield from _references(item)
    elif isinstance(schema, dict):
        for key, value in schema.items():
            if key == "$ref" and isinstance(value, str):
                yield value
            else:
                yield from _references(value)


def _renamed(schema: Json, rename: Callable[[str], str]) -> Json:
    if isinstance(schema, list):
        return [_renamed(item, rename) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: rename(value) if key == "$ref" and isinstance(value, str) else _renamed(value, rename)
        for key, value in schema.items()
    }
