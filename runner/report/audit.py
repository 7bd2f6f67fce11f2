"""The audit of a session: every tool call, who let it pass, and what came of it."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Literal

from runner.engine.events import Resolution
from runner.report import session_phrases as words
from runner.report.json_text import dumped
from runner.report.noted import NotedCall, NotedDecision, NotedRun, Outcome
from runner.report.phrases import counted, duration, shortened, visible
from runner.report.reading import runs_of
from runner.report.run_phrases import call as written
from runner.sessions.ports import Stored
from runner.spec import Json, JsonObject

AUDIT_VERSION = 1

# `nobody`: the permissions let it pass without a question, or it never came to one.
Approval = Resolution | Literal["nobody", "pending"]


@dataclass(frozen=True, kw_only=True, slots=True)
class AuditDecision:
    """A decision about a call.

    Attributes:
        by: a person, or `permissions`; `nobody` when there was nobody to ask.
        arguments: what the call may be made with; None when it may not.
        reason: what the model was told of it; None when nothing.
        for_run: whether an approval holds for all calls of the tool in the run.
        follows: whether nobody was asked, because such an approval had been given before.
    """

    decision: Resolution
    by: str
    at: datetime
    arguments: JsonObject | None
    reason: str | None
    for_run: bool
    follows: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class AuditRow:
    """One tool call.

    Attributes:
        run: the number of its run in the session, from 1.
        id: of the call, unique in its run.
        arguments: what it was made with, or would have been; None when they could not be read.
        asked: what the model asked for, when a person changed it; otherwise None.
        approval: what was decided about it last; `pending` while a decision is waited for.
        decisions: all that was decided; more than one when a run was stopped or broke off at the call.
        starts: how often it was started; 0 for one that was never made, more than 1 after a crash.
        started: when it was started last.
        ended: when its result was noted, also the one of a call that was not made.
        seconds: how long it ran, None when it did not or nobody knows.
        result_sha256: SHA-256 of the result as the model got it, in UTF-8; None without a result.
        result_characters: its length.
        chain: the digest of the last entry about the call, which `sessions verify` checks.
        entry: the number of that entry.
    """

    run: int
    step: int
    id: str
    tool: str
    arguments: JsonObject | None
    asked: JsonObject | None
    approval: Approval
    decisions: tuple[AuditDecision, ...]
    outcome: Outcome
    starts: int
    started: datetime | None
    ended: datetime | None
    seconds: float | None
    result_sha256: str | None
    result_characters: int | None
    chain: str
    entry: int


def audit_rows(stored: Sequence[Stored]) -> tuple[AuditRow, ...]:
    """Every tool call that the model asked for, also those that were not made, in that order."""
    return tuple(_row(run, step.number, call) for run in runs_of(stored) for step in run.steps for call in step.calls)


def _row(run: NotedRun, step: int, call: NotedCall) -> AuditRow:
    decision, result = call.decision, call.result
    decided: Approval = "nobody" if decision is None else decision.decision
    return AuditRow(
        run=run.number,
        step=step,
        id=call.call.id,
        tool=call.call.name,
        arguments=call.arguments,
        asked=call.call.arguments if call.edited else None,
        approval="pending" if call.waiting else decided,
        decisions=tuple(_decision(each) for each in call.decisions),
        outcome=call.outcome,
        starts=call.starts,
        started=None if call.started is None else call.started.at,
        ended=None if call.ended is None else call.ended.at,
        seconds=call.seconds if call.started and call.ended and call.outcome != "unknown" else None,
        result_sha256=None if result is None else sha256(result.content),
        result_characters=None if result is None else len(result.content),
        chain=call.last.digest,
        entry=call.last.number,
    )


def _decision(noted: NotedDecision) -> AuditDecision:
    resolution = noted.resolution
    return AuditDecision(
        decision=resolution.decision,
        by=resolution.by,
        at=noted.stored.at,
        arguments=resolution.arguments,
        reason=resolution.reason,
        for_run=resolution.for_run,
        follows=noted.follows,
    )


def sha256(text: str) -> str:
    """The digest of a text in UTF-8, in hexadecimal; a lone surrogate counts as the three bytes it would be."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def audit_json(stored: Sequence[Stored], *, session: str) -> str:
    """The document `{"version": 1, "session": …, "entries": …, "head": …, "calls": […]}`, ending with a line end.

    `head` is the digest of the last entry; each call has the fields of `AuditRow`, times in ISO 8601.
    """
    document: dict[str, Json] = {
        "version": AUDIT_VERSION,
        "session": session,
        "entries": len(stored),
        "head": stored[-1].digest if stored else "",
        "calls": [_json(row) for row in audit_rows(stored)],
    }
    return dumped(document, indent=2) + "\n"


def _json(row: AuditRow) -> Json:
    # By way of text, because a number that JSON has no word for has to become null: a tool may have been given one.
    text = json.dumps(
        asdict(row), default=lambda value: value.isoformat() if isinstance(value, datetime) else str(value)
    )
    read: Json = json.loads(text, parse_constant=lambda _: None)
    return read


def audit_text(stored: Sequence[Stored]) -> str:
    """The same for people, some lines for each call; each line ends with a line end.

    ```
    run 1, step 2 · refund(order=1182, amount=30) · done
      approval  changed and approved by anna, 2026-11-30 09:00:15 UTC; the model asked for refund(order=1182, amount=40)
      started   2026-11-30 09:00:15 UTC, took 0.2 s
      result    8 characters, sha256 9f86d081…
      chain     entry 7, 2c26b46b…
    ```
    """
    rows = audit_rows(stored)
    if not rows:
        return "no tool was called\n"
    blocks = ["".join(f"{line}\n" for line in _lines(row)) for row in rows]
    head = f"{counted(len(rows), 'tool call')} · {len(stored):,} entries · head {stored[-1].digest}\n"
    return "\n".join([*blocks, head])


def _lines(row: AuditRow) -> Iterator[str]:
    made = written(row.tool, row.arguments, limit=None)
    yield f"run {row.run}, step {row.step} · {made} · {words.OUTCOMES[row.outcome]}"
    for decision in row.decisions:
        yield f"  approval  {_approval(row, decision)}"
    if row.approval == "pending":
        yield f"  approval  waited for; the call is {visible(row.id)}"
    elif not row.decisions:
        yield "  approval  nobody was asked"
    if row.started is not None:
        taken = "" if row.seconds is None else f", took {duration(row.seconds)}"
        again = f", the last of {row.starts} starts" if row.starts > 1 else ""
        yield f"  started   {words.when(row.started)}{taken}{again}"
    if row.result_sha256 is not None:
        size = counted(row.result_characters or 0, "character")
        yield f"  result    {size}, sha256 {row.result_sha256}"
    yield f"  chain     entry {row.entry}, {row.chain}"


def _approval(row: AuditRow, decision: AuditDecision) -> str:
    by, at = shortened(decision.by, 60), words.when(decision.at)
    resolved = words.resolved(decision.decision, by, for_run=decision.for_run, follows=decision.follows)
    if decision.decision == "edited":
        return f"{resolved}, {at}; the model asked for {written(row.tool, row.asked, limit=None)}"
    told = f"; the model was told: {shortened(decision.reason, 300)}" if decision.reason else ""
    return f"{resolved}, {at}{told}"
