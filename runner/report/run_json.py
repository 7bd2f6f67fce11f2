"""The JSON form of what happens in a run, as `event.schema.json` and `result.schema.json` describe it."""

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass

from runner.engine.events import Event, RunFinished
from runner.spec import Json

RESULT_VERSION = 1


def event_json(event: Event) -> dict[str, Json]:
    """An event as `{"type": "RunStarted", …}` with the fields of its dataclass."""
    return {"type": type(event).__name__, **_plain(event)}


def result_json(finished: RunFinished) -> dict[str, Json]:
    """The outcome of a run as the result document: `{"version": 1, "status": …}`."""
    return {"version": RESULT_VERSION, **_plain(finished)}


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
