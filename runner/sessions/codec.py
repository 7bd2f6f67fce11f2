"""Entries of a journal as JSON and back."""

from dataclasses import asdict

from runner.engine.events import ApprovalResolved, RunFinished, Source
from runner.engine.journal import Began, CallEnded, CallStarted, Decided, Entry, Finished, Replied
from runner.engine.messages import AssistantMessage, ToolCall, ToolResult
from runner.engine.ports import Usage
from runner.spec import JsonObject


class CodecError(ValueError):
    """The JSON is not one of an entry; the message is one line."""


def entry_json(entry: Entry) -> JsonObject:
    """`{"type": "Began", …}` with the fields of the entry, nested as they are; `entry_of` reads it."""
    return {"type": type(entry).__name__, **asdict(entry)}


def entry_of(data: JsonObject) -> Entry:
    """The entry that `entry_json` gave.

    Raises:
        CodecError: it is not one, or one of a later version.
    """
    fields = dict(data)
    kind = fields.pop("type", None)
    try:
        return _entry(kind, fields)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise CodecError(f"not an entry that this version can read ({kind}): {error}") from error


def _entry(kind: object, fields: JsonObject) -> Entry:
    match kind:
        case "Began":
            return Began(**fields)
        case "Replied":
            message, usage = _message(fields["message"]), Usage(**fields["usage"])
            return Replied(**{**fields, "message": message, "usage": usage})
        case "CallStarted":
            return CallStarted(**fields)
        case "CallEnded":
            return CallEnded(**{**fields, "result": ToolResult(**fields["result"])})
        case "Decided":
            return Decided(**{**fields, "resolution": ApprovalResolved(**fields["resolution"])})
        case "Finished":
            return Finished(finished=_finished(fields["finished"]))
        case _:
            raise ValueError("unknown type")


def _message(data: JsonObject) -> AssistantMessage:
    return AssistantMessage(**{**data, "calls": tuple(ToolCall(**call) for call in data["calls"])})


def _finished(data: JsonObject) -> RunFinished:
    sources = tuple(Source(**source) for source in data["sources"])
    return RunFinished(**{**data, "usage": Usage(**data["usage"]), "sources": sources})
