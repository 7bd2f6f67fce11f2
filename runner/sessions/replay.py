"""Entries of a session to what a run needs of them: what was said, and what there is to go on with."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from runner.engine.approval import Approved, Decision
from runner.engine.events import RunFinished, Status
from runner.engine.journal import Began, CallEnded, CallStarted, Decided, Entry, Finished, Replied, Summarized
from runner.engine.messages import AssistantMessage, Message, ToolCall, ToolResult, ToolResults, UserMessage
from runner.engine.past import Past
from runner.engine.ports import Usage
from runner.sessions.session import Unfinished
from runner.spec import JsonObject

# Nothing is left to do in a run that ended so; every other one can be gone on with.
# Masks are kept in the place of secrets, so what is kept of a call with one must not be made.
_HIDDEN = (
    "its arguments held a secret, which is not written down, and the run did not go on in the same process. "
    "Call the tool again if that is still needed"
)
_OVER: frozenset[Status] = frozenset({"completed", "invalid_output", "config_invalid"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Replayed:
    """What a session holds; see `Session`."""

    history: tuple[Message, ...] = ()
    unfinished: Unfinished | None = None


def replay(entries: Iterable[Entry]) -> Replayed:
    """What was said in the runs of a session, and its last run when it can be gone on with.

    A run in which the model never said anything leaves no history: whoever asks again would else have asked twice.

    Raises:
        ValueError: the entries are not those of runs.
    """
    runs: list[_Run] = []
    for entry in entries:
        if isinstance(entry, Began):
            runs.append(_Run(began=entry))
        elif runs:
            runs[-1].take(entry)
        else:
            raise ValueError(f"the first entry is {type(entry).__name__}, not the beginning of a run")
    last = runs.pop() if runs and runs[-1].goes_on else None
    history = tuple(message for run in runs for message in run.settled())
    return Replayed(history=history, unfinished=None if last is None else last.unfinished())


@dataclass(kw_only=True, slots=True)
class _Run:
    """One run, entry by entry."""

    began: Began
    finished: RunFinished | None = None
    messages: list[Message] = field(default_factory=list)
    open: Replied | None = None
    results: dict[str, ToolResult] = field(default_factory=dict)
    started: dict[str, JsonObject | None] = field(default_factory=dict)
    decisions: dict[str, Decision] = field(default_factory=dict)
    waiting: set[str] = field(default_factory=set)
    approved: dict[str, str] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)
    calls: list[ToolCall] = field(default_factory=list)
    steps: int = 0
    rejected: int = 0
    usage: Usage = field(default_factory=Usage)
    cost: float | None = 0.0
    seconds: float = 0.0

    @property
    def goes_on(self) -> bool:
        return self.finished is None or self.finished.status not in _OVER

    def take(self, entry: Entry) -> None:
        """Take in the next entry; one after the end means that the run was gone on with."""
        self.finished = None
        if isinstance(entry, Summarized | CallStarted | CallEnded | Decided) and entry.clock is not None:
            self.seconds = entry.clock
        match entry:
            case Replied():
                self._reply(entry)
            case Summarized():
                self._spend(entry.usage, entry.cost)
            case CallStarted():
                self._start(entry)
            case CallEnded():
                self.results[entry.id] = entry.result
                self.waiting.discard(entry.id)
            case Decided():
                self._decide(entry)
            case Finished():
                self._finish(entry.finished)
            case Began():  # pragma: no cover - it begins a run of its own
                raise ValueError("a run that has begun cannot begin")

    def _reply(self, entry: Replied) -> None:
        self._close(partial(_lost, "the run went on without it"))
        self.steps, self.rejected, self.seconds = entry.step, entry.rejected, entry.seconds
        self._spend(entry.usage, entry.cost)
        self.hidden = set(entry.hidden)
        if entry.correction is not None:
            self.messages += [entry.message, UserMessage(text=entry.correction)]
        elif entry.message.calls:
            self.open = entry
        else:
            self.messages.append(entry.message)

    def _spend(self, usage: Usage, cost: float | None) -> None:
        self.usage += usage
        self.cost = None if self.cost is None or cost is None else self.cost + cost

    def _start(self, entry: CallStarted) -> None:
        call = self._call(entry.id)
        if call is not None and call.problem is None and entry.id not in self.started:
            self.calls.append(call)
        self.started[entry.id] = entry.arguments
        # What was decided was carried out: should the call break off, it is a new question whether to make it again.
        self.decisions.pop(entry.id, None)
        self.waiting.discard(entry.id)

    def _decide(self, entry: Decided) -> None:
        resolution = entry.resolution
        if resolution.for_run:
            self.approved[resolution.name] = resolution.by
        self.waiting.discard(resolution.id)
        if entry.hidden:
            self.hidden.add(resolution.id)
        match resolution.decision:
            case "approved" if resolution.for_run:
                # It ends with its process: the tool may be another one by now, and nobody may have seen this call.
                pass
            case "approved":
                self.decisions[resolution.id] = Approved(by=resolution.by)
            case "edited":
                self.decisions[resolution.id] = Approved(by=resolution.by, arguments=resolution.arguments)
            case "rejected" | "denied":
                # The result that the engine would have noted next: broken off in between, it is not asked again.
                self.results[resolution.id] = ToolResult(content=resolution.reason or "not run", is_error=True)
            case "deferred":
                self.waiting.add(resolution.id)
            case "stopped":
                pass

    def _finish(self, finished: RunFinished) -> None:
        self.finished = finished
        # The numbers of an end are those of the whole run, with what no entry tells, such as a reply broken off. What
        # that has cost nobody knows; the run may be gone on with all the same, so it counts with what is known.
        self.usage, self.seconds = finished.usage, finished.seconds
        self.cost = self.cost if finished.cost is None else finished.cost

    def _call(self, id_: str) -> ToolCall | None:
        calls = self.open.message.calls if self.open else ()
        return next((call for call in calls if call.id == id_), None)

    def _unanswered(self) -> Sequence[ToolCall]:
        """The calls of the last reply without a result, with the arguments they were made with if they were."""
        calls = self.open.message.calls if self.open else ()
        return [
            replace(call, arguments=self.started.get(call.id, call.arguments))
            for call in calls
            if call.id not in self.results
        ]

    def _refused(self) -> dict[str, ToolResult]:
        """What the model is told of the calls that cannot be made any more, by id."""
        calls = [call for call in self._unanswered() if call.id in self.hidden and call.problem is None]
        return {call.id: _lost(_HIDDEN, started=call.id in self.started) for call in calls}

    def _close(self, lost: "_Missing") -> None:
        self.messages += self._answered(lost)
        self.open = None
        self.results, self.started, self.decisions, self.waiting = {}, {}, {}, set()

    def _answered(self, lost: "_Missing") -> list[Message]:
        """The last reply with a result for every call."""
        if self.open is None:
            return []
        calls = self.open.message.calls
        results = tuple((call, self.results.get(call.id) or lost(started=call.id in self.started)) for call in calls)
        return [self.open.message, ToolResults(results=results)]

    def settled(self) -> tuple[Message, ...]:
        """What was said, every call answered."""
        answer = self.finished.answer if self.finished else None
        reason = (self.finished and (self.finished.error or self.finished.status)) or "the run broke off"
        said = [*self.messages, *self._answered(partial(_lost, reason))]
        said += [] if answer is None else [AssistantMessage(text=answer)]
        return (UserMessage(text=self.began.prompt), *said) if said else ()

    def unfinished(self) -> Unfinished:
        """The run as one that can be gone on with."""
        results = {**self.results, **self._refused()}
        unanswered = self.open.message if self.open else None
        past = Past(
            messages=tuple(self.messages),
            unanswered=unanswered,
            in_order=self.open is not None and self.open.in_order,
            results=results,
            started={
                call.id: self.started[call.id]
                for call in self._unanswered()
                if call.id in self.started and call.id not in results
            },
            decisions={call: decision for call, decision in self.decisions.items() if call not in results},
            approved=dict(self.approved),
            calls=tuple(self.calls),
            steps=self.steps,
            rejected=self.rejected,
            usage=self.usage,
            cost=self.cost,
            seconds=self.seconds,
        )
        return Unfinished(
            began=self.began,
            past=past,
            pending=tuple(call for call in self._unanswered() if call.id in self.waiting - results.keys()),
            status=None if self.finished is None else self.finished.status,
            settled=self.settled(),
        )


class _Missing(Protocol):
    def __call__(self, *, started: bool) -> ToolResult:
        """The result of a call that has none."""


def _lost(reason: str, *, started: bool) -> ToolResult:
    what = "nobody knows what it did, it was running when the run ended" if started else "not run"
    return ToolResult(content=f"{what}: {reason}", is_error=True)
