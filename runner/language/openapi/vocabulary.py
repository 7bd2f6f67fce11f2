"""The keywords of JSON Schema that are taken over from OpenAPI documents, and which values they may have."""

from collections.abc import Callable, Mapping
from functools import lru_cache

from runner.spec import Json

TYPES = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})
# Keywords that hold schemas: one, a list of them, or a mapping of names to them.
ONE = frozenset({"not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames"}) | {
    "unevaluatedItems",
    "unevaluatedProperties",
}
SEVERAL = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
BY_NAME = frozenset({"properties", "patternProperties", "dependentSchemas"})
# What only says something about a value: beside a reference it is kept, and wins over what the target says.
ANNOTATIONS = frozenset({"title", "description", "default", "deprecated", "examples"})


def _text(value: Json) -> bool:
    return isinstance(value, str)


def _flag(value: Json) -> bool:
    return isinstance(value, bool)


def _number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _count(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _anything(value: Json) -> bool:
    del value
    return True


def _a_list(value: Json) -> bool:
    return isinstance(value, list)


def _names(value: Json) -> bool:
    return isinstance(value, list) and all(map(_text, value)) and len(set(value)) == len(value)


@lru_cache(maxsize=1024)
def _compiles(pattern: str) -> bool:
    """Whether it can be searched for in linear time: patterns are written for JavaScript, which has more to write."""
    from runner.parsing.patterns import not_linear  # noqa: PLC0415 - few documents have patterns

    return not_linear(pattern) is None


# Keywords without schemas in them. What does not fit is left out: it would make the whole schema invalid.
PLAIN: Mapping[str, Callable[[Json], bool]] = {
    **dict.fromkeys(("title", "description", "format", "contentEncoding", "contentMediaType"), _text),
    **dict.fromkeys(("deprecated", "uniqueItems"), _flag),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _number),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), _count),
    **dict.fromkeys(("minContains", "maxContains"), _count),
    **dict.fromkeys(("default", "const"), _anything),
    **dict.fromkeys(("enum", "examples"), _a_list),
    "multipleOf": lambda value: _number(value) and value > 0,
    "pattern": lambda value: isinstance(value, str) and _compiles(value),
    "required": _names,
    "dependentRequired": lambda value: isinstance(value, dict) and all(map(_names, value.values())),
}
