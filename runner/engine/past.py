"""What a run that goes on has behind it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from runner.engine.approval import Decision
from runner.engine.messages import AssistantMessage, Message, ToolCall, ToolResult
from runner.engine.ports import Usage
from runner.spec import JsonObject


@dataclass(frozen=True, kw_only=True, slots=True)
class Past:
    """An earlier part of the same run, as its journal tells it.

    Attributes:
        messages: what was said after the prompt, without the reply in `unanswered`.
        unanswered: the last reply, when calls of it have no result yet.
        in_order: whether its calls are to be made one after the other.
        results: the results there are, by call id.
        started: calls of `unanswered` that were made and have no result, by id, with the arguments they were made with.
        decisions: what was decided about calls of `unanswered` meanwhile, by id.
        approved: who had approved a tool for the whole run, by its name; asked again, they are told so.
        calls: all calls that were made, in order.
        steps: replies so far.
        rejected: corrections in a row so far.
        seconds: time spent.
    """

    messages: tuple[Message, ...] = ()
    unanswered: AssistantMessage | None = None
    in_order: bool = False
    results: Mapping[str, ToolResult] = field(default_factory=dict)
    started: Mapping[str, JsonObject | None] = field(default_factory=dict)
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    approved: Mapping[str, str] = field(default_factory=dict)
    calls: tuple[ToolCall, ...] = ()
    steps: int = 0
    rejected: int = 0
    usage: Usage = field(default_factory=Usage)
    cost: float | None = 0.0
    seconds: float = 0.0
