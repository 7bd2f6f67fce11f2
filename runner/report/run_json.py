"""The JSON form of what happens in a run, as `event.schema.json` and `result.schema.json` describe it."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass

from runner.engine.events import Event, RunFinished
from runner.report.phrases import UNSAFE
from runner.spec import Json

RESULT_VERSION = 1


def event_json(event: Event) -> dict[str, Json]:
    """An event as `{"type": "RunStarted", …}` with the fields of its dataclass."""
    return {"type": type(event).__name__, **_plain(event)}


def result_json(finished: RunFinished) -> dict[str, Json]:
    """The outcome of a run as the result document: `{"version": 1, "status": …}`."""
    return {"version": RESULT_VERSION, **_plain(finished)}


def dumped(value: Json, *, indent: int | None = None) -> str:
    r"""JSON text that keeps non-ASCII characters as they are; with no `indent` it is a single line.

    Only what could drive a terminal, split a line or not be encoded is written as `\u009b`, which reads back the same.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    return UNSAFE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    character = match.group()
    return character if character == "\n" else json.dumps(character)[1:-1]  # the line breaks are those of `indent`


def _plain(value: object) -> Json:
    """Dataclasses and mappings as dicts, sequences as lists; a number JSON has no word for becomes null."""
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
