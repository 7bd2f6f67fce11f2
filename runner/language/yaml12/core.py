"""The values of the YAML 1.2 core schema: what an unquoted scalar means."""

import re

from runner.spec import Json

# https://yaml.org/spec/1.2.2/#103-core-schema. yes, no, on, off, dates and 1:20 are text.
CONSTANTS: dict[str, Json] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_NUMBER_START = frozenset("+-.0123456789")
# Python turns at most 4,300 decimal digits into an int or back, and JSON is decimal.
_MAX_DIGITS = 3_000


def plain(text: str) -> Json:
    """The value of an unquoted scalar. A number that JSON cannot hold is a float that is not finite."""
    value = CONSTANTS.get(text, text)
    if value is text and text[0] in _NUMBER_START:
        return _number(text)
    return value


def _number(text: str) -> int | float | str:
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) <= _MAX_DIGITS else float("inf")
    if _FLOAT.fullmatch(text):
        return float(text)
    if _BASED.fullmatch(text):
        return int(text, 0) if len(text) <= _MAX_DIGITS else float("inf")
    if _NOT_FINITE.fullmatch(text):
        return float(text.replace(".", "", 1))
    return text
