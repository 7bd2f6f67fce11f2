"""Lets tool calls pass, or not: what the permissions say, and what a person decides."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from runner.engine.approval import ApprovalRequest, Approved, Approver, Decision, Deferred, Rejected, Stopped
from runner.engine.events import ApprovalRequested, ApprovalResolved
from runner.engine.messages import ToolCall, ToolResult
from runner.engine.outcome import Ended
from runner.engine.past import Past
from runner.engine.permissions import Permissions, Ruling
from runner.engine.ports import Tool
from runner.engine.resolutions import UNKNOWN_OUTCOME, WAS_REJECTED, not_made, requested, resolved
from runner.engine.sameness import same
from runner.engine.scope import Scope
from runner.spec import JsonObject

# What stands before a person's reason in what the model is told.


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
        # What was approved for the run before it broke off is not taken over: the tool may do something else by now.
        self._approved: dict[str, str] = {}

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
            call, started = self._as_made(proposed, passage)
            tool, decision = self._tools.get(call.name), self._past.decisions.get(call.id)
            # A person's reason is told, whatever has become of the tool.
            if tool is None or isinstance(decision, Rejected):
                decision = decision or Rejected(by="nobody", reason=_gone(call))
                yield self._carry_out(step, call, decision, passage, started=started)
                continue
            ruling = self._ruling(tool, call)
            if ruling.verdict == "deny":
                reason = not_made(_forbidden(ruling), started=started)
                passage.results[call.id] = ToolResult(content=reason, is_error=True)
                yield resolved(step, call, "denied", by="permissions", reason=reason)
                continue
            if not self._needs_person(tool, call, ruling, started=started):
                if started and (problem := _misfit(tool, call)):
                    yield _refused(step, call, problem, passage, by="nobody", started=True)
                    continue
                passage.let(call)
                if ruling.verdict == "ask" and not started:
                    by = self._approved[call.name]
                    yield resolved(step, call, "approved", by=by, made_with=call.arguments, for_run=True)
                continue
            if decision is None:
                request = self._request(step, call, tool, ruling, said=said, started=started)
                yield requested(request)
                decision = await self._scope.wait(self._approver.decide(request))
            yield self._carry_out(step, call, decision, passage, started=started)
            if isinstance(decision, Stopped):
                raise Ended("interrupted", f"{decision.by} stopped the run when asked about {call.name}")

    def _request(  # noqa: PLR0913 - the parts of the question
        self, step: int, call: ToolCall, tool: Tool, ruling: Ruling, *, said: str, started: bool
    ) -> ApprovalRequest:
        reason = UNKNOWN_OUTCOME if started else ruling.reason
        if not started and (by := self._past.approved.get(call.name)):
            reason += f"; {by} approved this tool before, but the run was broken off since"
        return ApprovalRequest(
            step=step,
            call=call,
            risk=tool.risk,
            reason=reason,
            said=said,
            check=partial(self._problem, call),
            started=started,
        )

    def _as_made(self, call: ToolCall, passage: Passage) -> tuple[ToolCall, bool]:
        """A call with the arguments it is made with, and whether an earlier part of the run has begun to make it."""
        if call.id not in self._past.started:
            return replace(call, arguments=call.arguments or {}), False
        arguments = self._past.started[call.id]
        if arguments is None or same(arguments, call.arguments or {}):
            return replace(call, arguments=call.arguments or {}), True
        passage.edited[call.id] = arguments
        return replace(call, arguments=arguments), True

    def _ruling(self, tool: Tool, call: ToolCall) -> Ruling:
        arguments = call.arguments or {}
        # Only where it matters: to tell how a tool will read them may run code of its author.
        read = (tool.mended(arguments),) if self._permissions.reads(call.name) else ()
        return self._permissions.of(call.name, (arguments, *read), tool.risk)

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
        return f"not run, {_forbidden(ruling)}" if ruling.verdict == "deny" else tool.check(arguments)

    def _obstacle(self, call: ToolCall, decision: Approved, *, started: bool) -> str | None:
        """Why an approved call cannot be made: what a person gave may come from a process that knows no tools."""
        if call.name not in self._tools:
            return _gone(call)
        if decision.arguments is None:
            return _misfit(self._tools[call.name], call) if started else None
        problem = self._problem(call, decision.arguments)
        return problem and f"the arguments that a person gave instead cannot be used: {problem}"

    def _carry_out(
        self, step: int, call: ToolCall, decision: Decision, passage: Passage, *, started: bool
    ) -> ApprovalResolved:
        if isinstance(decision, Approved):
            problem = self._obstacle(call, decision, started=started)
            if problem is not None:
                return _refused(step, call, problem, passage, by=decision.by, started=started)
        match decision:
            case Approved(arguments=edited):
                if decision.for_run:
                    self._approved[call.name] = decision.by
                if edited is None or same(edited, call.arguments):
                    passage.let(call)
                    return resolved(
                        step, call, "approved", by=decision.by, made_with=call.arguments, for_run=decision.for_run
                    )
                passage.let(replace(call, arguments=edited))
                passage.edited[call.id] = edited
                return resolved(step, call, "edited", by=decision.by, made_with=edited, for_run=decision.for_run)
            case Rejected():
                reason = decision.reason if started else WAS_REJECTED + decision.reason
                return _refused(step, call, reason, passage, by=decision.by, started=started)
            case Stopped():
                return resolved(step, call, "stopped", by=decision.by)
            case Deferred():
                passage.deferred.append(call)
                return resolved(step, call, "deferred", by="nobody")


def _refused(  # noqa: PLR0913 - the parts of the event
    step: int, call: ToolCall, reason: str, passage: Passage, *, by: str, started: bool
) -> ApprovalResolved:
    """Answer a call that is not made."""
    told = not_made(reason, started=started)
    passage.results[call.id] = ToolResult(content=told, is_error=True)
    return resolved(step, call, "rejected", by=by, reason=told)


def _gone(call: ToolCall) -> str:
    return f"this agent has no tool {call.name!r} any more"


def _misfit(tool: Tool, call: ToolCall) -> str | None:
    """Why a call that had been started cannot be made again as it was; the tool's own words would be "not run"."""
    wrong = tool.check(call.arguments or {})
    return None if wrong is None else f"{call.name} does not take these arguments any more"


def _forbidden(ruling: Ruling) -> str:
    return f"the permissions of this agent forbid it ({ruling.reason})"
