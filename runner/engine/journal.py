"""What a run notes down as it goes: enough to read it afterwards, and to go on with it after a crash."""

from dataclasses import dataclass
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


@dataclass(frozen=True, kw_only=True, slots=True)
class CallStarted:
    """A tool call is about to be made, with these arguments."""

    step: int
    id: str
    name: str
    arguments: JsonObject | None


@dataclass(frozen=True, kw_only=True, slots=True)
class CallEnded:
    """A tool call has its result; one that was not made has one too (`seconds` 0)."""

    step: int
    id: str
    name: str
    result: ToolResult
    seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Decided:
    """The question about a call was decided."""

    resolution: ApprovalResolved


@dataclass(frozen=True, kw_only=True, slots=True)
class Finished:
    """The run has ended; one that waits for approval, was interrupted or failed can be gone on with."""

    finished: RunFinished


Entry = Began | Replied | CallStarted | CallEnded | Decided | Finished


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
