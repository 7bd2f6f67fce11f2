r"""Mends JSON values that a model sent one JSON level too deep, or in another case, by what a schema allows.

Models send `"3"` for 3, `"[\"a\"]"` for a list and `"RED"` for `red` (field bug B44). What a lenient validator would
take for something else than it says is told apart instead: true for the number 1, "NaN" for a number (B70), "2024" for
the seconds since 1970.
"""

import json
import math
from collections.abc import Mapping, Sequence

from runner.spec import Json, JsonObject

_SPELLED: Mapping[str, bool | None] = {"true": True, "false": False, "null": None, "none": None}
_DATES = {
    "date-time": "a date and time such as 2026-05-31T09:00:00",
    "date": "a date such as 2026-05-31",
    "time": "a time such as 09:00:00",
    "duration": "a duration such as PT1H30M",
}
# What pydantic takes for true or false; a model that writes it may have meant something else.
_LIKE_BOOLEANS = frozenset({"0", "1", "f", "t", "n", "y", "no", "yes", "off", "on"})
_WORDS = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_TYPES: Mapping[type, frozenset[str]] = {
    type(None): frozenset({"null"}),
    bool: frozenset({"boolean"}),
    int: frozenset({"integer", "number"}),
    float: frozenset({"number"}),
    str: frozenset({"string"}),
    list: frozenset({"array"}),
}


def mended(value: Json, schema: JsonObject) -> Json:
    """The value itself, or what was meant by a value one JSON level too deep or in another case."""
    allowed, options = types_of(schema), options_of(schema)
    if not isinstance(value, str):
        return _whole(value, allowed)
    if options is not None:
        same = [option for option in options if isinstance(option, str) and option.casefold() == value.casefold()]
        if value in options or len(same) == 1:
            return value if value in options else same[0]
        return meant if is_among(meant := _parsed(value), options) else value
    if not allowed or "string" in allowed:
        return value
    meant = _whole(_parsed(value), allowed)
    return meant if type_names(meant) & allowed else value


def misread(value: Json, schema: JsonObject) -> str | None:
    """What was expected, where a lenient validator would take the value for something else than it says."""
    allowed = types_of(schema)
    if isinstance(value, float) and not math.isfinite(value):
        return "a number that JSON has"
    if _is_lenient(value, allowed):
        return in_words(allowed)
    date = _DATES.get(str(schema.get("format")))
    return date if date and (isinstance(value, int | float) or _is_number(value)) else None


def _is_lenient(value: Json, allowed: frozenset[str]) -> bool:
    """Whether only a lenient validator finds one of the allowed types in a value that has none of them."""
    if not allowed or type_names(value) & allowed:
        return False
    numeric = allowed & {"integer", "number"}
    if isinstance(value, bool):
        return bool(numeric)
    if isinstance(value, int | float):
        return "boolean" in allowed and not numeric
    if not isinstance(value, str):
        return False
    # Python reads "1_000" and " +5" as numbers, JSON does not.
    return bool(numeric and _is_number(value)) or ("boolean" in allowed and value.strip().casefold() in _LIKE_BOOLEANS)


def in_words(types: frozenset[str]) -> str:
    """The JSON types for a message, `a string or null`."""
    return " or ".join(words for name, words in _WORDS.items() if name in types) or "a value"


def types_of(schema: JsonObject) -> frozenset[str]:
    """The JSON types that a schema allows; none when it does not say."""
    types = schema.get("type", ())
    return frozenset((types,) if isinstance(types, str) else types)


def options_of(schema: JsonObject) -> Sequence[Json] | None:
    """The only values a schema allows; None when it does not list them."""
    return [schema["const"]] if "const" in schema else schema.get("enum")


def is_among(value: Json, options: Sequence[Json]) -> bool:
    """Whether a value is one of the options; true is not 1."""
    return any(option == value and isinstance(option, bool) is isinstance(value, bool) for option in options)


def type_names(value: Json) -> frozenset[str]:
    """The JSON types a value has."""
    return _TYPES.get(type(value), frozenset({"object"}))


def _whole(value: Json, allowed: frozenset[str]) -> Json:
    """3.0 as 3 where only integers are allowed."""
    whole = isinstance(value, float) and value.is_integer() and "integer" in allowed and "number" not in allowed
    return int(value) if whole else value


def _is_number(value: Json) -> bool:
    try:
        return isinstance(value, str) and float(value) is not None
    except ValueError:
        return False


def _parsed(text: str) -> Json:
    """The JSON value that a text spells, or the text itself."""
    text = text.strip()
    if text.casefold() in _SPELLED:
        return _SPELLED[text.casefold()]
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text if isinstance(value, float) and not math.isfinite(value) else value
