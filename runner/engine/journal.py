"""What a run notes down as it goes: enough to read it afterwards, and to go on with it after a crash."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from runner.engine.events import ApprovalResolved, RunFinished
from runner.engine.messages import AssistantMessage, ToolResult
from runner.engine.ports import Usage
from runner.spec import JsonObject


@dataclass(frozen=True, kw_only=True, slots=True)
class Began:
    """A run has begun.

    Attributes:
        agent: its name.
        file: the absolute path of its file.
        model: `provider/model` as asked for.
        text: the text of the run, None when there was none.
        inputs: values of the declared inputs, as given.
        prompt: the first user message, rendered.
    """

    agent: str
    file: str
    model: str
    text: str | None
    inputs: JsonObject
    prompt: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Replied:
    """The model has replied with something that is not the final answer.

    Attributes:
        message: the reply as it stands in the conversation, call ids unique.
        correction: what the model is told when it could not be used; None when it could.
        in_order: whether its calls are made one after the other.
        rejected: corrections in a row so far.
        usage: tokens of this reply.
        cost: dollars of this reply, None when unknown.
        seconds: from the start of this run to here.
        hidden: ids of calls whose arguments held a secret: what is kept of them cannot be used to make the call.
    """

    step: int
    model: str
    message: AssistantMessage
    correction: str | None
    in_order: bool
    rejected: int
    usage: Usage
    cost: float | None
    seconds: float
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Summarized:
    """A model has summed up what was left out of the conversation; cost and clock as in other entries."""

    model: str
    usage: Usage
    cost: float | None
    clock: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class CallStarted:
    """A tool call is about to be made, with these arguments.

    Attributes:
        clock: seconds from the start of this run to here, earlier parts of it included; None in entries of a version
            that did not write it down.
    """

    step: int
    id: str
    name: str
    arguments: JsonObject | None
    clock: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class CallEnded:
    """A tool call has its result; one that was not made has one too (`seconds` 0). `clock` as in `CallStarted`."""

    step: int
    id: str
    name: str
    result: ToolResult
    seconds: float
    clock: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Decided:
    """The question about a call was decided.

    Attributes:
        hidden: whether a person's arguments held a secret, as `Replied.hidden`.
        clock: as in `CallStarted`.
    """

    resolution: ApprovalResolved
    hidden: bool = False
    clock: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Finished:
    """The run has ended; one that waits for approval, was interrupted or failed can be gone on with."""

    finished: RunFinished


Entry = Began | Replied | Summarized | CallStarted | CallEnded | Decided | Finished


class JournalError(Exception):
    """An entry could not be written down, so the run ends; the message is one line for a person."""


class Journal(Protocol):
    """Where a run notes down what happens."""

    def note(self, entry: Entry) -> None:
        """Write an entry down; it is durable when this returns.

        Raises:
            JournalError: it is not.
        """


class NoJournal:
    """Notes nothing: the run belongs to no session."""

    def note(self, entry: Entry) -> None:
        """Forget it."""


class ClockedJournal:
    """A journal that is also told when in the run something happened, so that time stays spent however the run ends.

    Args:
        clock: gives the seconds of the run, earlier parts of it included.
    """

    def __init__(self, journal: Journal, clock: Callable[[], float]) -> None:
        self._journal = journal
        self._clock = clock

    def note(self, entry: Entry) -> None:
        """Write the entry down with the time, as `Journal.note`."""
        if isinstance(entry, Summarized | CallStarted | CallEnded | Decided):
            entry = replace(entry, clock=self._clock())
        self._journal.note(entry)
