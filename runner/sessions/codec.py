"""Entries of a journal as JSON and back."""

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
    match kind:
        case "Began":
            return Began(**data)
        case "Replied":
            message, usage = _message(data["message"]), Usage(**data["usage"])
            hidden = tuple(data.get("hidden", ()))
            return Replied(**{**data, "message": message, "usage": usage, "hidden": hidden})
        case "Summarized":
            return Summarized(**{**data, "usage": Usage(**data["usage"])})
        case "CallStarted":
            return CallStarted(**data)
        case "CallEnded":
            return CallEnded(**{**data, "result": ToolResult(**data["result"])})
        case "Decided":
            return Decided(**{**data, "resolution": ApprovalResolved(**data["resolution"])})
        case "Finished":
            return Finished(finished=_finished(data["finished"]))
        case _:
            raise ValueError("unknown type")


def _message(data: JsonObject) -> AssistantMessage:
    return AssistantMessage(**{**data, "calls": tuple(ToolCall(**call) for call in data["calls"])})


def _finished(data: JsonObject) -> RunFinished:
    sources = tuple(Source(**source) for source in data["sources"])
    return RunFinished(**{**data, "usage": Usage(**data["usage"]), "sources": sources})
