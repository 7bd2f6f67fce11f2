"""Writes sessions entry by entry, as a store would give them back."""

import hashlib
from datetime import UTC, datetime, timedelta

from runner.engine.events import ApprovalResolved, Resolution, RunFinished, Status
from runner.engine.journal import Began, CallEnded, CallStarted, Decided, Entry, Finished, Replied
from runner.engine.messages import AssistantMessage, ToolCall, ToolResult
from runner.engine.ports import Usage
from runner.sessions.ports import Stored
from runner.spec import JsonObject

MORNING = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
MODEL = "openai/gpt-4o-mini"
DAY = 24 * 3600.0


class Noting:
    """A session being written; every method notes one entry, `after` seconds after the one before."""

    def __init__(self) -> None:
        self.stored: list[Stored] = []
        self._at = MORNING
        self._ran = 0.0

    def note(self, entry: Entry, after: float = 0.0) -> "Noting":
        self._at += timedelta(seconds=after)
        number = len(self.stored) + 1
        digest = hashlib.sha256(f"entry {number}".encode()).hexdigest()
        self.stored.append(Stored(number=number, at=self._at, entry=entry, digest=digest))
        return self

    def began(self, prompt: str, *, text: str | None = None, after: float = 0.0) -> "Noting":
        self._ran = 0.0
        began = Began(
            agent="refunds", file="/p/agents.d/refunds.yaml", model=MODEL, text=text, inputs={}, prompt=prompt
        )
        return self.note(began, after)

    def replied(
        self, step: int, *calls: ToolCall, text: str = "", correction: str | None = None, after: float = 1.0
    ) -> "Noting":
        self._ran += after
        replied = Replied(
            step=step,
            model=MODEL,
            message=AssistantMessage(text=text, calls=calls),
            correction=correction,
            in_order=False,
            rejected=0,
            usage=Usage(input_tokens=300 + 80 * step, output_tokens=32),
            cost=0.001,
            seconds=self._ran,
        )
        return self.note(replied, after)

    def started(self, step: int, call: ToolCall, arguments: JsonObject | None = None) -> "Noting":
        return self.note(CallStarted(step=step, id=call.id, name=call.name, arguments=arguments or call.arguments))

    def ended(
        self, step: int, call: ToolCall, content: str, *, error: bool = False, took: float = 0.0, after: float = 0.0
    ) -> "Noting":
        self._ran += after
        result = ToolResult(content=content, is_error=error)
        return self.note(CallEnded(step=step, id=call.id, name=call.name, result=result, seconds=took), after)

    def decided(
        self,
        step: int,
        call: ToolCall,
        decision: Resolution,
        *,
        by: str = "anna",
        arguments: JsonObject | None = None,
        reason: str | None = None,
        for_run: bool = False,
        after: float = 12.0,
    ) -> "Noting":
        resolution = ApprovalResolved(
            step=step,
            id=call.id,
            name=call.name,
            decision=decision,
            by=by,
            arguments=arguments,
            reason=reason,
            for_run=for_run,
        )
        return self.note(Decided(resolution=resolution), after)

    def deferred(self, step: int, call: ToolCall, *, after: float = 0.0) -> "Noting":
        return self.decided(step, call, "deferred", by="nobody", after=after)

    def finished(
        self,
        status: Status = "completed",
        *,
        answer: str | None = None,
        error: str | None = None,
        steps: int = 1,
        tool_calls: int = 0,
        after: float = 0.5,
    ) -> "Noting":
        self._ran += after
        finished = RunFinished(
            status=status,
            answer=answer,
            error=error,
            steps=steps,
            tool_calls=tool_calls,
            usage=Usage(input_tokens=450 * steps, output_tokens=35 * steps),
            cost=0.001 * steps,
            seconds=self._ran,
            session="s1",
        )
        return self.note(Finished(finished=finished), after)


def call(call_id: str, name: str, /, **arguments: object) -> ToolCall:
    return ToolCall(id=call_id, name=name, arguments=arguments)


def realistic() -> list[Stored]:
    """Two runs: parallel tools, an approval with an edit, one that waits for days, an error, a long result."""
    order, mails = call("c1", "get_order", id=1182), call("c2", "search_mails", query="order 1182", limit=20)
    refund = call("c3", "refund", order=1182, amount=49.9, currency="EUR", note="Damaged on arrival, see the photo")
    edited = {"order": 1182, "amount": 30.0, "currency": "EUR", "note": "Damaged on arrival, partial refund"}
    mail = call("c4", "send_email", to="kim@example.com", subject="Ihre Bestellung 1182", body="Liebe Kim, …")
    track, again = call("c5", "track_parcel", number="DE-77"), call("c6", "track_parcel", number="DE 77 118 2")
    close = call("c7", "close_ticket", ticket=55)
    hits = "\n".join(f"mail {n}: from kim@example.com, 'Re: order 1182', still waiting for a reply" for n in range(120))
    session = Noting()
    session.began("Refund order 1182 if it arrived damaged, and tell the customer.", text="order 1182")
    session.replied(1, order, mails, text="Let me look at the order and at what the customer wrote.", after=1.4)
    session.started(1, order).started(1, mails)
    session.ended(1, order, '{"id": 1182, "total": 49.9, "status": "delivered"}', took=0.3, after=0.3)
    session.ended(1, mails, hits, took=2.1, after=1.8)
    session.replied(2, text="Action: refund the order", correction="no tool call was found: use the tools", after=0.9)
    session.replied(3, refund, text="It arrived damaged, so I refund it.", after=1.1)
    session.decided(3, refund, "edited", arguments=edited, after=42.0)
    session.started(3, refund, edited).ended(3, refund, "refunded 30.00 EUR", took=0.6, after=0.6)
    session.replied(4, mail, after=1.2).finished(
        "waiting_for_approval", error="waiting for approval of send_email (c4)", steps=4, tool_calls=3, after=0.01
    )
    session.decided(4, mail, "approved", by="ben", arguments=mail.arguments, after=2.2 * DAY)
    session.started(4, mail).ended(4, mail, "sent", took=0.4, after=0.4)
    session.finished(answer="Order 1182: 30 € were refunded, and Kim was told.", steps=5, tool_calls=4, after=0.8)
    session.began("And where is the replacement?", after=600.0)
    session.replied(1, track, after=0.9).started(1, track)
    session.ended(1, track, "no such parcel: 'DE-77'", error=True, took=0.2, after=0.2)
    session.replied(2, again, close, text="The number was cut; once more with all of it.", after=1.0)
    session.decided(2, close, "rejected", reason="not run, it was rejected: the ticket stays open", after=8.0)
    session.ended(2, close, "not run, it was rejected: the ticket stays open", error=True)
    session.started(2, again).ended(2, again, "in Leipzig since 07:12", took=1.9, after=1.9)
    answer = "The replacement has been in **Leipzig** since 07:12 this morning.\n\nIt should arrive tomorrow."
    return session.finished(answer=answer, steps=3, tool_calls=2, after=1.3).stored


HOSTILE = (
    "</script><script>window.ran = 1</script><img src=x onerror='window.ran = 1'>"
    '"><svg onload="window.ran = 1"><iframe src="javascript:window.ran=1"></iframe></pre></style></title>'
    "<!-- ]]> <a href='https://example.com'>x</a> \x00\x1b[31m\x9b2J\u202egnp\u2066 \ud800 &lt;b&gt; " + "W" * 3000
)


def hostile() -> list[Stored]:
    """A session in which every text tries to break out of the page."""
    tool = call("c1" + HOSTILE, HOSTILE, **{HOSTILE: [HOSTILE]})
    began = Began(agent=HOSTILE, file=HOSTILE, model=HOSTILE, text=HOSTILE + "!", inputs={}, prompt=HOSTILE)
    session = Noting().note(began).replied(1, text=HOSTILE, correction=HOSTILE).replied(2, tool, text=HOSTILE)
    session.decided(2, tool, "edited", by=HOSTILE, arguments={HOSTILE: HOSTILE}, reason=HOSTILE)
    session.started(2, tool, {HOSTILE: HOSTILE}).ended(2, tool, HOSTILE, error=True)
    session.finished("model_error", answer=HOSTILE, error=HOSTILE, steps=3)
    return session.stored


def documented() -> list[Stored]:
    """The session that docs/traces.md shows."""
    order, refund = call("c1", "get_order", id=1182), call("c2", "refund", order=1182, amount=49.9)
    edited = {"order": 1182, "amount": 30.0}
    session = Noting().began("Refund order 1182 if it arrived damaged.")
    session.replied(1, order, text="Let me look at the order.", after=1.4).started(1, order)
    session.ended(1, order, '{"id": 1182, "total": 49.9}', took=0.3, after=0.3).replied(2, refund, after=1.1)
    session.decided(2, refund, "edited", arguments=edited, after=42.0).started(2, refund, edited)
    session.ended(2, refund, "refunded 30.00 EUR", took=0.6, after=0.6)
    return session.finished(answer="30 EUR were refunded.", steps=3, tool_calls=2, after=0.8).stored
