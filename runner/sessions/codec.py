"""Entries of a journal as JSON and back."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

from runner.engine.events import ApprovalResolved, RunFinished, Source
from runner.engine.journal import Began, CallEnded, CallStarted, Decided, Entry, Finished, Replied, Summarized
from runner.engine.messages import AssistantMessage, ToolCall, ToolResult
from runner.engine.ports import Usage
from runner.spec import JsonObject


class CodecError(ValueError):
    """The JSON is not one of an entry; the message is one line."""


def entry_json(entry: Entry) -> JsonObject:
    """`{"type": "Began", …}` with the fields of the entry, nested as they are; `entry_of` reads it."""
    return {"type": type(entry).__name__, **_json(entry)}


def _json(value: object) -> Any:
    # `dataclasses.asdict` copies all of the JSON inside as well, which takes longer than all the rest.
    if is_dataclass(value):
        return {each.name: _json(getattr(value, each.name)) for each in fields(value)}
    return [_json(item) for item in value] if isinstance(value, tuple) else value


def entry_of(data: JsonObject) -> Entry:
    """The entry that `entry_json` gave.

    Raises:
        CodecError: it is not one, or one of a later version.
    """
    kind = data.get("type")
    try:
        return _entry(kind, {name: value for name, value in data.items() if name != "type"})
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise CodecError(f"not an entry that this version can read ({kind}): {error}") from error


def _entry(kind: object, data: JsonObject) -> Entry:
    if not isinstance(kind, str) or kind not in _READERS:
        raise ValueError("unknown type")
    return _READERS[kind](data)


def _replied(data: JsonObject) -> Replied:
    message, usage, hidden = _message(data["message"]), Usage(**data["usage"]), tuple(data.get("hidden", ()))
    return Replied(**{**data, "message": message, "usage": usage, "hidden": hidden})


def _message(data: JsonObject) -> AssistantMessage:
    return AssistantMessage(**{**data, "calls": tuple(ToolCall(**call) for call in data["calls"])})


def _finished(data: JsonObject) -> RunFinished:
    sources = tuple(Source(**source) for source in data["sources"])
    return RunFinished(**{**data, "usage": Usage(**data["usage"]), "sources": sources})


_READERS: dict[str, Callable[[JsonObject], Entry]] = {
    "Began": lambda data: Began(**data),
    "Replied": _replied,
    "Summarized": lambda data: Summarized(**{**data, "usage": Usage(**data["usage"])}),
    "CallStarted": lambda data: CallStarted(**data),
    "CallEnded": lambda data: CallEnded(**{**data, "result": ToolResult(**data["result"])}),
    "Decided": lambda data: Decided(**{**data, "resolution": ApprovalResolved(**data["resolution"])}),
    "Finished": lambda data: Finished(finished=_finished(data["finished"])),
}
