"""Writes values into the query of an address or into a form, lists and objects by their style."""

from collections.abc import Iterator, Mapping
from typing import Literal
from urllib.parse import quote, quote_plus

from runner.prompts import text_form
from runner.spec import Json

Style = Literal["repeat", "comma", "space", "pipe", "brackets", "deep"]

_SEPARATORS = {"comma": ",", "space": "%20", "pipe": "%7C"}


def pairs(name: str, value: Json, style: Style = "repeat") -> Iterator[str]:
    """The `name=value` texts of one parameter, encoded; none for null and for an empty list."""
    if value is None:
        return
    if isinstance(value, Mapping) and style == "deep":
        for key, each in value.items():
            yield from pairs(f"{name}[{key}]", each, style)
        return
    if not isinstance(value, list):
        yield _pair(name, _encoded(value))
        return
    values = [_encoded(each) for each in value if each is not None]
    if not values:
        return
    if style in _SEPARATORS:
        yield _pair(name, _SEPARATORS[style].join(values))
        return
    for each in values:
        yield _pair(f"{name}[]" if style == "brackets" else name, each)


def _pair(name: str, encoded: str) -> str:
    return f"{quote(name, safe='[]')}={encoded}"


def _encoded(value: Json) -> str:
    return quote_plus(text_form(value))
