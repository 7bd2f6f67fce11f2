"""Reads the arguments of a tool call as a JSON object, or says what is wrong with them."""

import json

from runner.parsing.json_text import NotJsonError, loads
from runner.spec import Json, JsonObject


def read_arguments(value: Json) -> JsonObject:
    """Accept an object, its JSON text (even encoded twice), or nothing at all (a call without arguments).

    Raises:
        NotJsonError: it is anything else; the message is for the model.
    """
    for _ in range(2):
        if isinstance(value, str):
            value = loads(value) if value.strip() else {}
    if value is None:
        return {}
    if not isinstance(value, dict):
        kind = "a list" if isinstance(value, list) else f"{json.dumps(value, ensure_ascii=False)[:60]}"
        raise NotJsonError(f"arguments must be a JSON object, found {kind}")
    return value


def arguments_text(arguments: JsonObject | None) -> str:
    """The arguments as compact JSON text, non-ASCII verbatim; `{}` when they could not be read."""
    return json.dumps(arguments or {}, ensure_ascii=False)
