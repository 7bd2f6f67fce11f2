"""A session as it is read afterwards: runs, their steps, and the tool calls of each."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from runner.engine.events import ApprovalResolved, RunFinished
from runner.engine.journal import Began, Summarized
from runner.engine.messages import ToolCall, ToolResult
from runner.engine.ports import Usage
from runner.sessions.ports import Stored
from runner.spec import JsonObject

# `unknown`: it was started and no result was noted, so nobody knows what it did.
Outcome = Literal["ok", "error", "not made", "waiting", "unknown"]

FASTEST_PERSON = 0.5  # seconds; nobody decides in less


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """From where to where something took place, in seconds of its run; times when nothing ran are left out."""

    start: float
    end: float

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.end - self.start


@dataclass(frozen=True, kw_only=True, slots=True)
class NotedDecision:
    """What was decided about a call.

    Attributes:
        waited: seconds that the decision took.
        follows: whether nobody was asked, because the tool had been approved for the run before.
    """

    resolution: ApprovalResolved
    stored: Stored
    waited: float
    follows: bool = False


@dataclass(kw_only=True, slots=True)
class NotedCall:
    """One tool call.

    Attributes:
        call: as the model asked for it.
        asked: the entry of the reply that asks for it.
        decisions: what was decided about it; more than one when a run was stopped or broke off at it. That nobody could
            decide is none.
        deferred: the entry that says last that nobody could decide about it.
        started: the entry of its last start.
        starts: how often it was started; more than once after a crash.
        ended: the entry of its result, also of a call that was not made.
        result: what the model was told.
        seconds: how long it ran.
        span: when it ran.
        waiting: whether a decision about it is waited for.
        held: whether it may be made, and has to come after one that waits.
    """

    call: ToolCall
    asked: Stored
    decisions: list[NotedDecision] = field(default_factory=list)
    started: Stored | None = None
    starts: int = 0
    ended: Stored | None = None
    result: ToolResult | None = None
    made_with: JsonObject | None = None
    seconds: float = 0.0
    span: Span | None = None
    waiting: bool = False
    held: bool = False
    deferred: Stored | None = None

    @property
    def arguments(self) -> JsonObject | None:
        """What it was made with, or would be; None when the model's could not be read."""
        if self.started is not None:
            return self.made_with
        edited = self.decision.arguments if self.decision else None
        return self.call.arguments if edited is None else edited

    @property
    def decision(self) -> ApprovalResolved | None:
        """What was decided about it last; None when nobody had to be asked."""
        return self.decisions[-1].resolution if self.decisions else None

    @property
    def edited(self) -> bool:
        """Whether a person changed the arguments."""
        return any(each.resolution.decision == "edited" for each in self.decisions)

    @property
    def last(self) -> Stored:
        """The last entry about it."""
        entries = [self.asked, *(each.stored for each in self.decisions), self.deferred, self.started, self.ended]
        return max(filter(None, entries), key=lambda stored: stored.number)

    @property
    def outcome(self) -> Outcome:
        """How it ended, as far as it is known."""
        if self.started is None:
            return "waiting" if self.waiting or self.held else "not made"
        # A person who is asked about a call that broke off, and does not let it be made again, leaves it unknown.
        if self.result is None or (self.decision is not None and self.decision.decision in ("rejected", "denied")):
            return "unknown"
        return "error" if self.result.is_error else "ok"


@dataclass(kw_only=True, slots=True)
class NotedStep:
    """One reply of the model and the calls it asks for.

    Attributes:
        model: who replied; empty for the answer, of which that is not noted.
        text: what was said.
        correction: what the model was told when the reply could not be used.
        is_answer: whether it is the final answer.
        usage: tokens of the reply; of the answer, what the run took beyond the replies before.
        cost: dollars, None when unknown.
        span: when the model was asked.
    """

    number: int
    at: datetime
    model: str
    text: str
    usage: Usage
    cost: float | None
    span: Span
    correction: str | None = None
    is_answer: bool = False
    calls: list[NotedCall] = field(default_factory=list)


@dataclass(kw_only=True, slots=True)
class NotedEnd:
    """An end of a run; `resumed` is when it was gone on with, None when it was not."""

    finished: RunFinished
    at: datetime
    resumed: datetime | None = None


@dataclass(kw_only=True, slots=True)
class NotedRun:
    """A run, from its beginning to its last end.

    Attributes:
        began: how it began; None in a session whose beginning is missing.
        parts: its steps and ends in order.
        summaries: what a model has summed up on the way, and what that took.
        length: seconds in which something ran; spans lie within it.
    """

    number: int
    at: datetime
    began: Began | None
    parts: list[NotedStep | NotedEnd] = field(default_factory=list)
    summaries: list[Summarized] = field(default_factory=list)
    length: float = 0.0

    @property
    def steps(self) -> list[NotedStep]:
        """Its replies, the answer included."""
        return [part for part in self.parts if isinstance(part, NotedStep)]

    @property
    def calls(self) -> list[NotedCall]:
        """Its tool calls, in the order in which they were asked for."""
        return [call for step in self.steps for call in step.calls]

    @property
    def end(self) -> NotedEnd | None:
        """How it ended; None when it broke off, or has not ended yet."""
        last = self.parts[-1] if self.parts else None
        return last if isinstance(last, NotedEnd) and last.resumed is None else None

    @property
    def total(self) -> RunFinished:
        """What it took so far, as its end says or its entries tell; the status is only right when there is an `end`."""
        if self.end is not None:
            return self.end.finished
        replies: list[NotedStep | Summarized] = [*self.steps, *self.summaries]
        return RunFinished(
            status="interrupted",
            answer=None,
            steps=len(self.steps),
            tool_calls=sum(call.starts for call in self.calls if call.call.problem is None),
            usage=sum((each.usage for each in replies), Usage()),
            cost=added(each.cost for each in replies),
            seconds=self.length,
        )


def added(costs: Iterable[float | None]) -> float | None:
    """Dollars together; None when one of them is unknown."""
    known = list(costs)
    return None if None in known else sum(cost for cost in known if cost is not None)
