"""Who decides about a tool call, what is asked, and what the answer can be."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from runner.engine.messages import ToolCall
from runner.spec import JsonObject, Risk


@dataclass(frozen=True, kw_only=True, slots=True)
class ApprovalRequest:
    """The question whether a call may be made.

    Attributes:
        reason: why it is asked (`ask: send_email`, `the tool has risk high`).
        said: what the model wrote beside the call; may be empty.
        check: what is wrong with edited arguments, None when nothing.
        started: whether the call was running already when an earlier run of the session broke off, so that nobody
            knows what it did; approving it makes it again.
    """

    step: int
    call: ToolCall
    risk: Risk
    reason: str
    said: str
    check: Callable[[JsonObject], str | None]
    started: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Approved:
    """Make the call; with other `arguments` if there are any, and all of this tool in this run with `for_run`."""

    by: str
    arguments: JsonObject | None = None
    for_run: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Rejected:
    """Do not make the call; `reason` is told to the model."""

    by: str
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Stopped:
    """Do not make the call, and end the run."""

    by: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Deferred:
    """Nobody can decide now: save the run, and end it with status `waiting_for_approval`."""


Decision = Approved | Rejected | Stopped | Deferred


class Approver(Protocol):
    """Decides about tool calls; a person, or what stands for one."""

    async def decide(self, request: ApprovalRequest) -> Decision:
        """The decision; cancelled when the run ends meanwhile."""


class Nobody:
    """The approver of a run that has none: everything that needs approval is rejected, and the model is told why."""

    async def decide(self, request: ApprovalRequest) -> Decision:
        """Reject it."""
        del request
        reason = "nobody is there to approve it; go on without it, or say what you would have done"
        return Rejected(by="nobody", reason=reason)
