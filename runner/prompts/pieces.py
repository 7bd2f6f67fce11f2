"""What a template of a request is rendered to, as values."""

import json
from dataclasses import dataclass

from runner.spec import Json


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """What one `{{ … }}` wrote, with its type."""

    value: Json


@dataclass(frozen=True, kw_only=True, slots=True)
class Absent:
    """Stands where a `{{ … }}` needs something that is not there; `name` is what it needs."""

    name: str


Piece = str | Written | Absent


def text_form(value: Json) -> str:
    """A value inside of other text: text as it is, everything else as JSON, which is how the web writes it.

    Raises:
        ValueError: it holds a number that JSON does not have (NaN).
    """
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
