"""Keeps secrets out of events: everything that was read from the environment is shown as `***`."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from runner.engine.events import Event, ModelDelta, RunFinished
from runner.engine.journal import Decided, Entry, Journal, Replied
from runner.environment import Secrets

E = TypeVar("E", bound=Event)


def masked(event: E, secrets: Secrets) -> E:
    """The event with every secret in its texts replaced; the model's own answer is given as it is."""
    if not secrets.values:
        return event
    shown: E = _masked(event, secrets)
    if isinstance(shown, RunFinished) and isinstance(event, RunFinished):
        return replace(shown, answer=event.answer, output=event.output)
    if isinstance(shown, ModelDelta) and isinstance(event, ModelDelta):
        return replace(shown, answer=event.answer)
    return shown


class MaskedJournal:
    """A journal that is shown no secrets."""

    def __init__(self, journal: Journal, secrets: Secrets) -> None:
        self._journal = journal
        self._secrets = secrets

    def note(self, entry: Entry) -> None:
        """Write the entry down with every secret in it replaced; as `Journal.note`."""
        self._journal.note(_noted(entry, self._secrets) if self._secrets.values else entry)


def _noted(entry: Entry, secrets: Secrets) -> Entry:
    """The entry with every secret in it replaced, saying which calls cannot be made with what is left."""
    shown: Entry = _masked(entry, secrets)
    if isinstance(entry, Replied) and isinstance(shown, Replied):
        calls = zip(entry.message.calls, shown.message.calls, strict=True)
        return replace(shown, hidden=tuple(kept.id for call, kept in calls if call.arguments != kept.arguments))
    if isinstance(entry, Decided) and isinstance(shown, Decided):
        return replace(shown, hidden=entry.resolution.arguments != shown.resolution.arguments)
    return shown


def _masked(value: Any, secrets: Secrets) -> Any:
    if isinstance(value, str):
        return secrets.mask(value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{each.name: _masked(getattr(value, each.name), secrets) for each in fields(value)})
    if isinstance(value, Mapping):
        return {_masked(key, secrets): _masked(item, secrets) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(_masked(item, secrets) for item in value)
    return value
