"""Puts the entries of a session together to what a person reads: runs, steps, and tool calls."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from runner.engine.events import ApprovalResolved, RunFinished
from runner.engine.journal import Began, CallEnded, CallStarted, Decided, Finished, Replied, Summarized
from runner.engine.messages import ToolCall
from runner.engine.ports import Usage
from runner.report.noted import FASTEST_PERSON, NotedCall, NotedDecision, NotedEnd, NotedRun, NotedStep, Span, added
from runner.sessions.ports import Stored


def runs_of(entries: Iterable[Stored]) -> list[NotedRun]:
    """The runs of a session; whatever the entries are, none is lost and none is an error."""
    building: list[_Building] = []
    for stored in entries:
        if isinstance(stored.entry, Began) or not building:
            if building:
                building[-1].leave()
            began = stored.entry if isinstance(stored.entry, Began) else None
            building.append(_Building(NotedRun(number=len(building) + 1, at=stored.at, began=began), stored.at))
        building[-1].add(stored)
    return [each.run for each in building]


def total_of(runs: Sequence[NotedRun]) -> RunFinished:
    """What all runs took together; only the sums mean something."""
    totals = [run.total for run in runs]
    return RunFinished(
        status="completed",
        answer=None,
        steps=sum(total.steps for total in totals),
        tool_calls=sum(total.tool_calls for total in totals),
        usage=sum((total.usage for total in totals), Usage()),
        cost=added(total.cost for total in totals),
        seconds=sum(total.seconds for total in totals),
    )


class _Building:
    """Puts one run together, entry by entry.

    Its clock counts only time in which something ran. The time between two entries says the most that can have been;
    what the entry itself says of its duration leaves out the hours in which a laptop was closed or a person thought.
    """

    def __init__(self, run: NotedRun, at: datetime) -> None:
        self.run = run
        self._previous = at
        self._told = 0.0  # the run's own seconds, as the last entry that has them says
        self._calls: dict[str, NotedCall] = {}
        self._starts: dict[str, float] = {}
        self._approved: set[str] = set()  # tools that are not asked about any more

    def add(self, stored: Stored) -> None:
        """Take in the next entry."""
        passed = max(0.0, (stored.at - self._previous).total_seconds())
        self._go_on(stored)
        match stored.entry:
            case Replied() as replied:
                self._replied(stored, replied, self._advance(passed, replied.seconds))
            case Summarized() as summarized:
                self.run.summaries.append(summarized)
                if summarized.clock is not None:
                    self._advance(passed, summarized.clock)
            case CallStarted() as started:
                self._started(stored, started)
            case CallEnded() as ended:
                self._ended(stored, ended, passed)
            case Decided(resolution=resolution):
                self._decided(stored, resolution, passed)
            case Finished(finished=finished):
                self._finished(stored, finished, self._advance(passed, finished.seconds))
            case Began():
                pass
        self._previous = stored.at

    def leave(self) -> None:
        """Nobody is waited for any more."""
        for call in self.run.calls:
            call.waiting = call.held = False

    def _go_on(self, stored: Stored) -> None:
        last = self.run.end
        if last is not None:
            last.resumed = stored.at
            self._approved.clear()
            for call in self.run.calls:
                call.held = False

    def _advance(self, passed: float, told: float) -> Span:
        ran = min(passed, max(0.0, told - self._told))
        self._told = max(self._told, told)
        return self._take(ran)

    def _take(self, seconds: float) -> Span:
        start = self.run.length
        self.run.length += seconds
        return Span(start=start, end=self.run.length)

    def _replied(self, stored: Stored, replied: Replied, span: Span) -> None:
        calls = [NotedCall(call=call, asked=stored) for call in replied.message.calls]
        self._calls.update({call.call.id: call for call in calls})
        self.run.parts.append(
            NotedStep(
                number=replied.step,
                at=stored.at,
                model=replied.model,
                text=replied.message.text,
                usage=replied.usage,
                cost=replied.cost,
                span=span,
                correction=replied.correction,
                calls=calls,
            )
        )

    def _started(self, stored: Stored, started: CallStarted) -> None:
        call = self._call(stored, started.id, started.name, started.step)
        call.started, call.starts, call.made_with = stored, call.starts + 1, started.arguments
        call.waiting = False
        self._starts[started.id] = self.run.length

    def _ended(self, stored: Stored, ended: CallEnded, passed: float) -> None:
        call = self._call(stored, ended.id, ended.name, ended.step)
        self._take(min(passed, max(0.0, ended.seconds)))
        call.ended, call.result, call.seconds = stored, ended.result, ended.seconds
        call.waiting = False
        start = self._starts.get(ended.id)
        if start is not None:
            call.span = Span(start=start, end=self.run.length)

    def _decided(self, stored: Stored, resolution: ApprovalResolved, passed: float) -> None:
        call = self._call(stored, resolution.id, resolution.name, resolution.step)
        call.waiting = resolution.decision == "deferred"
        if call.waiting:
            call.deferred = stored
            return
        # A call that broke off is asked about all the same, and so is every call when a run has broken off, of which no
        # entry tells; but no person decides this fast.
        known = resolution.for_run and resolution.name in self._approved and call.started is None
        follows = known and passed < FASTEST_PERSON
        if resolution.for_run:
            self._approved.add(resolution.name)
        waited = 0.0 if follows else passed
        call.decisions.append(NotedDecision(resolution=resolution, stored=stored, waited=waited, follows=follows))

    def _call(self, stored: Stored, call_id: str, name: str, step: int) -> NotedCall:
        """The call of an entry; one that no reply asks for gets a step of its own, so that it is seen."""
        if call_id not in self._calls:
            call = NotedCall(call=ToolCall(id=call_id, name=name, arguments=None), asked=stored)
            self._calls[call_id] = call
            span = Span(start=self.run.length, end=self.run.length)
            self.run.parts.append(
                NotedStep(
                    number=step, at=stored.at, model="", text="", usage=Usage(), cost=0.0, span=span, calls=[call]
                )
            )
        return self._calls[call_id]

    def _finished(self, stored: Stored, finished: RunFinished, span: Span) -> None:
        steps = self.run.steps
        if finished.steps > len(steps) and finished.answer is not None:
            known = added(step.cost for step in steps)
            self.run.parts.append(
                NotedStep(
                    number=finished.steps,
                    at=stored.at,
                    model="",
                    text=finished.answer,
                    usage=_beyond(finished.usage, sum((step.usage for step in steps), Usage())),
                    cost=None if finished.cost is None or known is None else max(0.0, finished.cost - known),
                    span=span,
                    is_answer=True,
                )
            )
        if finished.status == "waiting_for_approval" and steps:
            calls = steps[-1].calls
            deferred = any(call.waiting for call in calls)
            for call in calls:
                if call.started is None and call.ended is None and not call.waiting:
                    call.held, call.waiting = deferred, not (deferred or call.decisions)
        self.run.parts.append(NotedEnd(finished=finished, at=stored.at))


def _beyond(total: Usage, known: Usage) -> Usage:
    return Usage(
        input_tokens=max(0, total.input_tokens - known.input_tokens),
        output_tokens=max(0, total.output_tokens - known.output_tokens),
        cached_tokens=max(0, total.cached_tokens - known.cached_tokens),
        reasoning_tokens=max(0, total.reasoning_tokens - known.reasoning_tokens),
        estimated=total.estimated,
    )
