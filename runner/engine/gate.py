"""Lets tool calls pass, or not: what the permissions say, and what a person decides."""

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from runner.engine.approval import ApprovalRequest, Approved, Approver, Decision, Deferred, Rejected, Stopped
from runner.engine.events import ApprovalRequested, ApprovalResolved, Resolution
from runner.engine.messages import ToolCall, ToolResult
from runner.engine.outcome import Ended
from runner.engine.past import Past
from runner.engine.permissions import Permissions, Ruling
from runner.engine.ports import Tool
from runner.engine.scope import Scope
from runner.spec import JsonObject

# What stands before a person's reason in what the model is told.
REJECTED = "not run, it was rejected: "
_UNKNOWN_OUTCOME = "it was running when the run broke off, and nobody knows what it did"


@dataclass(kw_only=True, slots=True)
class Passage:
    """What has become of the calls of one reply.

    Attributes:
        made: those that may be made, with the arguments they are made with.
        results: of those that may not.
        deferred: those that nobody could decide about.
        held: those that may be made, but come after a deferred one that they may build on.
        edited: the arguments that a person gave, by call id.
        in_order: whether each call may build on those before.
    """

    made: list[ToolCall] = field(default_factory=list)
    results: dict[str, ToolResult] = field(default_factory=dict)
    deferred: list[ToolCall] = field(default_factory=list)
    held: list[ToolCall] = field(default_factory=list)
    edited: dict[str, JsonObject] = field(default_factory=dict)
    in_order: bool = False

    def let(self, call: ToolCall) -> None:
        """Let a call pass."""
        (self.held if self.in_order and self.deferred else self.made).append(call)


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
        self._approved = dict(past.approved)

    async def decide(
        self, step: int, said: str, calls: Sequence[ToolCall], passage: Passage
    ) -> AsyncGenerator[ApprovalRequested | ApprovalResolved, None]:
        """Sort `calls` into `passage`.

        Raises:
            Ended: a person stopped the run.
            Interrupted, OutOfTime: the run is over.
        """
        for proposed in calls:
            # A tool that was begun after the end of the run might do half of its work.
            self._scope.check()
            tool, call, started = self._tools[proposed.name], *self._as_made(proposed, passage)
            ruling = self._ruling(tool, call)
            if ruling.verdict == "deny":
                reason = _forbidden(ruling)
                passage.results[call.id] = ToolResult(content=reason, is_error=True)
                yield _resolved(step, call, "denied", by="permissions", reason=reason)
                continue
            if not self._needs_person(tool, call, ruling, started=started):
                passage.let(call)
                if ruling.verdict == "ask" and not started:
                    by = self._approved[call.name]
                    yield _resolved(step, call, "approved", by=by, made_with=call.arguments, for_run=True)
                continue
            decision = self._past.decisions.get(call.id)
            if decision is None:
                request = ApprovalRequest(
                    step=step,
                    call=call,
                    risk=tool.risk,
                    reason=_UNKNOWN_OUTCOME if started else ruling.reason,
                    said=said,
                    check=partial(self._problem, call),
                    started=started,
                )
                yield _requested(request)
                decision = await self._scope.wait(self._approver.decide(request))
            yield self._carry_out(step, call, decision, passage, started=started)
            if isinstance(decision, Stopped):
                raise Ended("interrupted", f"{decision.by} stopped the run when asked about {call.name}")

    def _as_made(self, call: ToolCall, passage: Passage) -> tuple[ToolCall, bool]:
        """A call with the arguments it is made with, and whether an earlier part of the run has begun to make it."""
        if call.id not in self._past.started:
            return replace(call, arguments=call.arguments or {}), False
        arguments = self._past.started[call.id]
        if arguments is None or arguments == call.arguments:
            return replace(call, arguments=call.arguments or {}), True
        passage.edited[call.id] = arguments
        return replace(call, arguments=arguments), True

    def _ruling(self, tool: Tool, call: ToolCall) -> Ruling:
        arguments = call.arguments or {}
        return self._permissions.of(call.name, (arguments, tool.mended(arguments)), tool.risk)

    def _needs_person(self, tool: Tool, call: ToolCall, ruling: Ruling, *, started: bool) -> bool:
        if call.id in self._past.decisions:
            return True
        if started:  # it has passed once
            return not tool.idempotent
        return ruling.verdict == "ask" and call.name not in self._approved

    def _problem(self, call: ToolCall, arguments: JsonObject) -> str | None:
        """Why a call cannot be made with other arguments; what is forbidden nobody can approve."""
        tool = self._tools[call.name]
        ruling = self._ruling(tool, replace(call, arguments=arguments))
        return _forbidden(ruling) if ruling.verdict == "deny" else tool.check(arguments)

    def _carry_out(
        self, step: int, call: ToolCall, decision: Decision, passage: Passage, *, started: bool
    ) -> ApprovalResolved:
        if isinstance(decision, Approved) and decision.arguments is not None:
            # It may come from another process, which knows nothing of the tool.
            problem = self._problem(call, decision.arguments)
            if problem is not None:
                reason = f"not run, the arguments that a person gave instead cannot be used: {problem}"
                passage.results[call.id] = ToolResult(content=reason, is_error=True)
                return _resolved(step, call, "rejected", by=decision.by, reason=reason)
        match decision:
            case Approved(arguments=edited):
                if decision.for_run:
                    self._approved[call.name] = decision.by
                if edited is None or edited == call.arguments:
                    passage.let(call)
                    return _resolved(
                        step, call, "approved", by=decision.by, made_with=call.arguments, for_run=decision.for_run
                    )
                passage.let(replace(call, arguments=edited))
                passage.edited[call.id] = edited
                return _resolved(step, call, "edited", by=decision.by, made_with=edited, for_run=decision.for_run)
            case Rejected():
                what = f"{_UNKNOWN_OUTCOME}; it was not made again: " if started else REJECTED
                reason = what + decision.reason
                passage.results[call.id] = ToolResult(content=reason, is_error=True)
                return _resolved(step, call, "rejected", by=decision.by, reason=reason)
            case Stopped():
                return _resolved(step, call, "stopped", by=decision.by)
            case Deferred():
                passage.deferred.append(call)
                return _resolved(step, call, "deferred", by="nobody")


def _forbidden(ruling: Ruling) -> str:
    return f"not run, the permissions of this agent forbid it ({ruling.reason})"


def _requested(request: ApprovalRequest) -> ApprovalRequested:
    call = request.call
    return ApprovalRequested(
        step=request.step,
        id=call.id,
        name=call.name,
        arguments=call.arguments or {},
        risk=request.risk,
        reason=request.reason,
    )


def _resolved(  # noqa: PLR0913 - the parts of the event
    step: int,
    call: ToolCall,
    decision: Resolution,
    *,
    by: str,
    made_with: JsonObject | None = None,
    reason: str | None = None,
    for_run: bool = False,
) -> ApprovalResolved:
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
