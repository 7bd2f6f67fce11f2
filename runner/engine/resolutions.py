"""Puts what was decided about a call into events for people and words for the model."""

import json
from dataclasses import replace

from runner.engine.approval import ApprovalRequest
from runner.engine.events import ApprovalRequested, ApprovalResolved, Resolution
from runner.engine.messages import ToolCall, ToolResult
from runner.spec import JsonObject

UNKNOWN_OUTCOME = "it was running when the run broke off, and nobody knows what it did"


def not_made(reason: str, *, started: bool) -> str:
    """What the model is told of a call that is not made; of one that had been started, nobody can say "not run"."""
    return f"{UNKNOWN_OUTCOME}; it was not made again: {reason}" if started else f"not run, {reason}"


WAS_REJECTED = "it was rejected: "
# How the model is told of a call that a person has rejected.
REJECTED = not_made(WAS_REJECTED, started=False)


def requested(request: ApprovalRequest) -> ApprovalRequested:
    """The question as an event."""
    call = request.call
    return ApprovalRequested(
        step=request.step,
        id=call.id,
        name=call.name,
        arguments=call.arguments or {},
        risk=request.risk,
        reason=request.reason,
    )


def resolved(  # noqa: PLR0913 - the parts of the event
    step: int,
    call: ToolCall,
    decision: Resolution,
    *,
    by: str,
    made_with: JsonObject | None = None,
    reason: str | None = None,
    for_run: bool = False,
) -> ApprovalResolved:
    """The decision as an event."""
    return ApprovalResolved(
        step=step,
        id=call.id,
        name=call.name,
        decision=decision,
        by=by,
        arguments=made_with,
        reason=reason,
        for_run=for_run,
    )


def with_note(result: ToolResult, edited: JsonObject) -> ToolResult:
    """A result that tells the model with which arguments the call was really made, since a person changed them."""
    made = json.dumps(edited, ensure_ascii=False, default=str)
    return replace(result, content=f"(A person changed the arguments to {made}.)\n{result.content}")
