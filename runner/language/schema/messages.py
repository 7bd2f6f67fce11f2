"""One mismatch -> what a person is told."""

import json
import re
from collections.abc import Callable

from runner.language.schema.mismatch import Mismatch
from runner.language.schema.vocabulary import LATER_VALUES, OTHER_TYPE_NAMES
from runner.language.wording import clip
from runner.spec import Json
from runner.suggest import did_you_mean

# (message without the place, suggestion or None)
Words = tuple[str, str | None]

_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}
# What YAML 1.1 read as a boolean, and people still write as one.
_YAML_1_1_BOOLEANS = frozenset(("yes", "no", "on", "off", "y", "n"))


def words(mismatch: Mismatch) -> Words:
    """What was expected and what was found."""
    speak = _WORDS.get(mismatch.keyword)
    return speak(mismatch) if speak else (clip(mismatch.message), None)


def found(value: Json) -> str:
    """A value, named for a message: `the text 'abc'`, `the number 3`, `a list`."""
    if isinstance(value, str):
        return f"the text {shown(value)}" if value else "an empty text"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return shown(value)
    if isinstance(value, int | float):
        return f"the number {shown(value)}"
    return "a list" if isinstance(value, list) else "a mapping"


def shown(value: Json) -> str:
    """A value as it may be written, shortened; text in single quotes."""
    if isinstance(value, str):
        return f"'{clip(value)}'"
    if isinstance(value, list | dict):
        return found(value)
    return clip(json.dumps(value, ensure_ascii=False))


def _type(mismatch: Mismatch) -> Words:
    types = mismatch.expected if isinstance(mismatch.expected, list) else [mismatch.expected]
    expected = " or ".join(_TYPES[name] for name in types)
    return f"expected {expected}, found {found(mismatch.value)}", _type_hint(types, mismatch.value)


def _type_hint(types: list[str], value: Json) -> str | None:
    numeric = "number" in types or "integer" in types
    if isinstance(value, str):
        if "boolean" in types and value.lower() in _YAML_1_1_BOOLEANS:
            return "write true or false"
        if numeric and re.fullmatch(r"-?[0-9]{1,20}(\.[0-9]{1,20})?", value):
            return f"write {value}, without quotes"
        if "${" in value and (numeric or "boolean" in types):
            return "environment variables are not replaced here"
        if "array" in types and re.fullmatch(r"[\w./-]{1,60}", value):
            return f"write [{value}]"
    elif types == ["string"] and isinstance(value, bool | int | float):
        return f"write {json.dumps(shown(value))}, in quotes"
    return None


def _one_of(mismatch: Mismatch) -> Words:
    options = mismatch.expected if mismatch.keyword == "enum" else [mismatch.expected]
    listed = ", ".join(option if isinstance(option, str) else shown(option) for option in options)
    value = mismatch.value
    if isinstance(value, str) and value in LATER_VALUES.get(str(mismatch.path[-1]) if mismatch.path else "", ()):
        return f"{shown(value)} is not supported by this version; expected {listed}", None
    expected = f"one of {listed};" if len(options) > 1 else f"'{listed}',"
    return f"expected {expected} found {shown(value)}", _option_hint(options, value)


def _option_hint(options: list[Json], value: Json) -> str | None:
    names = [option for option in options if isinstance(option, str)]
    if isinstance(value, str):
        other = OTHER_TYPE_NAMES.get(value.lower())
        return f"did you mean '{other}'?" if other in names else did_you_mean(value, names)
    return f"write {json.dumps(shown(value))}, in quotes" if shown(value) in names else None


def _pattern(mismatch: Mismatch) -> Words:
    rule = mismatch.schema.get("patternErrorMessage", f"it must match {mismatch.expected}")
    return f"{shown(mismatch.value)} is not allowed: {rule}", None


def _not(mismatch: Mismatch) -> Words:
    rule = mismatch.schema.get("errorMessage", "the schema excludes it")
    if mismatch.expected == {}:
        return str(rule), None
    return f"{shown(mismatch.value)} is not allowed: {rule}", None


def _bound(phrase: str) -> Callable[[Mismatch], Words]:
    return lambda mismatch: (f"must be {phrase} {shown(mismatch.expected)}, found {shown(mismatch.value)}", None)


def _size(phrase: str, unit: str) -> Callable[[Mismatch], Words]:
    def speak(mismatch: Mismatch) -> Words:
        if phrase == "at least" and mismatch.expected == 1 and not mismatch.value:
            return "must not be empty", None
        plural = "" if mismatch.expected == 1 else "s"
        return f"must have {phrase} {mismatch.expected} {unit}{plural}, found {len(mismatch.value)}", None

    return speak


def _number_of_keys(phrase: str) -> Callable[[Mismatch], Words]:
    counted = _size(phrase, "key")

    def speak(mismatch: Mismatch) -> Words:
        schema = mismatch.schema
        choices = schema.get("properties")
        # One of a few: their names say more than their number.
        if (
            not isinstance(choices, dict)
            or schema.get("maxProperties") != 1
            or schema.get("additionalProperties", True)
        ):
            return counted(mismatch)
        listed = ", ".join(clip(key) for key in choices)
        if not mismatch.value:
            return f"must have one of the keys {listed}", None
        return f"must have only one of the keys {listed}; found {', '.join(clip(key) for key in mismatch.value)}", None

    return speak


def _unique(_: Mismatch) -> Words:
    return "holds the same item twice", None


def _nothing_allowed(mismatch: Mismatch) -> Words:
    return f"{found(mismatch.value)} is not allowed here", None


def _format(mismatch: Mismatch) -> Words:
    name = "regular expression" if mismatch.expected == "regex" else mismatch.expected
    return f"{shown(mismatch.value)} is not a valid {name}", None


def _no_branch(mismatch: Mismatch) -> Words:
    if "valid under each of" in mismatch.message:  # the other way a `oneOf` fails
        return f"{found(mismatch.value)} fits more than one of the {len(mismatch.expected)} alternatives", None
    return f"found {found(mismatch.value)}, which fits none of the {len(mismatch.expected)} alternatives", None


_WORDS: dict[str, Callable[[Mismatch], Words]] = {
    "type": _type,
    "enum": _one_of,
    "const": _one_of,
    "pattern": _pattern,
    "not": _not,
    "format": _format,
    "minimum": _bound("at least"),
    "maximum": _bound("at most"),
    "exclusiveMinimum": _bound("greater than"),
    "exclusiveMaximum": _bound("less than"),
    "minLength": _size("at least", "character"),
    "maxLength": _size("at most", "character"),
    "minItems": _size("at least", "item"),
    "maxItems": _size("at most", "item"),
    "minProperties": _number_of_keys("at least"),
    "maxProperties": _number_of_keys("at most"),
    "uniqueItems": _unique,
    "false": _nothing_allowed,
    "anyOf": _no_branch,
    "oneOf": _no_branch,
}
