"""Lets tool calls pass, or not: what the permissions say, and what a person decides."""

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from runner.engine.approval import ApprovalRequest, Approved, Approver, Decision, Deferred, Rejected, Stopped
from runner.engine.events import ApprovalRequested, ApprovalResolved, Resolution
from runner.engine.messages import ToolCall, ToolResult
from runner.engine.outcome import Ended
from runner.engine.past import Past
from runner.engine.permissions import Permissions
from runner.engine.ports import Tool
from runner.engine.scope import Scope
from runner.spec import JsonObject

_UNKNOWN_OUTCOME = "it was running when the run broke off, and nobody knows what it did"


@dataclass(kw_only=True, slots=True)
class Passage:
    """What has become of the calls of one reply.

    Attributes:
        made: those that may be made, with the arguments they are made with.
        results: of those that may not.
        deferred: those that nobody could decide about.
        edited: the arguments that a person gave, by call id.
    """

    made: list[ToolCall] = field(default_factory=list)
    results: dict[str, ToolResult] = field(default_factory=dict)
    deferred: list[ToolCall] = field(default_factory=list)
    edited: dict[str, JsonObject] = field(default_factory=dict)


class Gate:
    """Decides about the calls of one run, one after the other."""

    def __init__(
        self, tools: Mapping[str, Tool], *, permissions: Permissions, approver: Approver, scope: Scope, past: Past
    ) -> None:
        self._tools = tools
        self._permissions = permissions
        self._approver = approver
        self._scope = scope
        self._past = past
        self._approved = set(past.approved)

    async def decide(
        self, step: int, said: str, calls: Sequence[ToolCall], passage: Passage
    ) -> AsyncGenerator[ApprovalRequested | ApprovalResolved, None]:
        """Sort `calls` into `passage`.

        Raises:
            Ended: a person stopped the run.
            Interrupted, OutOfTime: the run is over.
        """
        for call in calls:
            tool, arguments = self._tools[call.name], call.arguments or {}
            started = call.id in self._past.started
            if started:
                arguments = self._past.started[call.id] or arguments
            ruling = self._permissions.of(call.name, (arguments, tool.mended(arguments)), tool.risk)
            if ruling.verdict == "deny":
                reason = f"not run, the permissions of this agent forbid it ({ruling.reason})"
                passage.results[call.id] = ToolResult(content=reason, is_error=True)
                yield _resolved(step, call, "denied", by="permissions", reason=reason)
                continue
            needs_person = (ruling.verdict == "ask" and call.name not in self._approved) or (
                started and not tool.idempotent
            )
            if not needs_person:
                passage.made.append(replace(call, arguments=arguments))
                continue
            reason = _UNKNOWN_OUTCOME if started else ruling.reason
            decision = self._past.decisions.get(call.id)
            if decision is None:
                yield ApprovalRequested(
                    step=step, id=call.id, name=call.name, arguments=arguments, risk=tool.risk, reason=reason
                )
                request = ApprovalRequest(
                    step=step,
                    call=replace(call, arguments=arguments),
                    risk=tool.risk,
                    reason=reason,
                    said=said,
                    check=tool.check,
                    started=started,
                )
                decision = await self._scope.wait(self._approver.decide(request))
            yield self._carry_out(step, replace(call, arguments=arguments), decision, passage, started=started)
            if isinstance(decision, Stopped):
                raise Ended("interrupted", f"{decision.by} stopped the run when asked about {call.name}")

    def _carry_out(
        self, step: int, call: ToolCall, decision: Decision, passage: Passage, *, started: bool
    ) -> ApprovalResolved:
        match decision:
            case Approved(arguments=None):
                passage.made.append(call)
                if decision.for_run:
                    self._approved.add(call.name)
                return _resolved(step, call, "approved", by=decision.by, made_with=call.arguments)
            case Approved(arguments=edited):
                passage.made.append(replace(call, arguments=edited))
                passage.edited[call.id] = edited or {}
                return _resolved(step, call, "edited", by=decision.by, made_with=edited)
            case Rejected():
                what = f"{_UNKNOWN_OUTCOME}; it was not made again" if started else "not run, it was rejected"
                reason = f"{what}: {decision.reason}"
                passage.results[call.id] = ToolResult(content=reason, is_error=True)
                return _resolved(step, call, "rejected", by=decision.by, reason=reason)
            case Stopped():
                return _resolved(step, call, "stopped", by=decision.by)
            case Deferred():
                passage.deferred.append(call)
                return _resolved(step, call, "deferred", by="nobody")


def _resolved(  # noqa: PLR0913 - the parts of the event
    step: int,
    call: ToolCall,
    decision: Resolution,
    *,
    by: str,
    made_with: JsonObject | None = None,
    reason: str | None = None,
) -> ApprovalResolved:
    return ApprovalResolved(
        step=step, id=call.id, name=call.name, decision=decision, by=by, arguments=made_with, reason=reason
    )


def with_note(result: ToolResult, edited: JsonObject | None) -> ToolResult:
    """A result that tells the model with which arguments the call was really made, when a person changed them."""
    if edited is None:
        return result
    made = json.dumps(edited, ensure_ascii=False, default=str)
    return replace(result, content=f"(A person changed the arguments to {made}.)\n{result.content}")
