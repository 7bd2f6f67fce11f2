"""Makes a generated JSON Schema short to read for a model: no titles, no indirection that says nothing."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from runner.spec import Json, JsonObject

# The keywords whose values are schemas, by the form they have.
_NAMED = ("properties", "patternProperties", "$defs", "dependentSchemas")
_LISTED = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE = ("items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else")
_REFERENCE = "#/$defs/"


def lean(schema: JsonObject) -> JsonObject:
    """The same schema without generated titles, defaults that are no JSON, and needless `$defs`.

    A definition is written in place when it is used once or refers to nothing, so that the result can never grow much;
    recursive ones stay in `$defs`.
    """
    return _inlined(_bare(schema))


def _bare(schema: Json) -> Json:
    if not isinstance(schema, Mapping):
        return schema
    kept = {key: value for key, value in schema.items() if key not in ("title", "discriminator")}
    if isinstance(default := kept.get("default"), float) and not math.isfinite(default):
        del kept["default"]
    return _changed(kept, _bare)


def _inlined(schema: JsonObject) -> JsonObject:
    definitions: Mapping[str, JsonObject] = schema.get("$defs", {})
    uses = Counter(_references(schema))
    inner = {name: set(_references(definition)) for name, definition in definitions.items()}
    simple = {name for name in definitions if not _reaches_itself(name, inner) and (uses[name] == 1 or not inner[name])}

    def expand(part: Json) -> Json:
        if not isinstance(part, Mapping):
            return part
        name = _target(part)
        if name not in simple:
            return _changed(part, expand)
        beside = {key: value for key, value in part.items() if key != "$ref"}  # its own description, its default
        return {**expand(definitions[name]), **beside}

    kept = {name: expand(definition) for name, definition in definitions.items() if name not in simple}
    result = expand({key: value for key, value in schema.items() if key != "$defs"})
    return {**result, "$defs": kept} if kept else result


def _changed(schema: JsonObject, change: Callable[[Json], Json]) -> JsonObject:
    """The schema with `change` applied to every schema directly inside it."""
    result = dict(schema)
    for key, value in schema.items():
        if key in _NAMED:
            result[key] = {name: change(part) for name, part in value.items()}
        elif key in _LISTED:
            result[key] = [change(part) for part in value]
        elif key in _SINGLE:
            result[key] = change(value)
    return result


def _references(schema: JsonObject) -> Iterator[str]:
    """The names of definitions that the schema refers to, as often as it does."""
    found: list[str] = []

    def collect(part: Json) -> Json:
        if isinstance(part, Mapping):
            if name := _target(part):
                found.append(name)
            _changed(part, collect)
        return part

    collect(schema)
    return iter(found)


def _target(schema: JsonObject) -> str:
    return str(schema.get("$ref", "")).removeprefix(_REFERENCE)


def _reaches_itself(name: str, inner: Mapping[str, set[str]]) -> bool:
    seen: set[str] = set()
    waiting = list(inner[name])
    while waiting:
        current = waiting.pop()
        if current not in seen:
            seen.add(current)
            waiting += inner.get(current, ())
    return name in seen
