"""What happens in a run, one frozen value each; their JSON form is `schemas/event.schema.json`."""

from dataclasses import dataclass, field
from typing import Literal

from runner.engine.ports import Usage
from runner.spec import Json, JsonObject, Risk

Status = Literal[
    "completed",
    "config_invalid",
    "internal_error",
    "model_error",
    "max_steps",
    "timeout",
    "max_tool_calls",
    "max_total_tokens",
    "max_cost",
    "repeated_calls",
    "invalid_output",
    "waiting_for_approval",
    "interrupted",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunStarted:
    """The run's clock has started. `parsing` is the mode in force, never `auto`."""

    agent: str
    model: str
    parsing: str
    tools: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class StepStarted:
    """The model is about to be asked; steps count from 1."""

    step: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelDelta:
    """A piece of the reply being streamed; `answer` is the part of the final answer that it makes certain."""

    step: int
    text: str
    answer: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelReplied:
    """The reply is complete. `cost` is dollars, None when the price is unknown."""

    step: int
    text: str
    finish_reason: str | None
    usage: Usage
    cost: float | None
    seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCalled:
    """A tool starts; `arguments` is None when they could not be read."""

    step: int
    id: str
    name: str
    arguments: JsonObject | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolReturned:
    """A tool ended; `content` is what the model will read."""

    step: int
    id: str
    name: str
    content: str
    is_error: bool
    seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolLogged:
    """A running tool tells how it is getting on; `level` is `debug`, `info`, `warning` or `error`."""

    step: int
    id: str
    name: str
    level: str
    message: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ApprovalRequested:
    """A person is asked about a tool call; `reason` says why."""

    step: int
    id: str
    name: str
    arguments: JsonObject
    risk: Risk
    reason: str


Resolution = Literal["approved", "edited", "rejected", "denied", "stopped", "deferred"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ApprovalResolved:
    """The question about a tool call was decided.

    Attributes:
        decision: `denied` is what the permissions say without asking, `deferred` that the run is saved and waits.
        by: who decided.
        arguments: what the call is made with; None when it is not made.
        reason: what the model is told of it; None when nothing.
        for_run: whether an approval holds for all calls of the tool in this run.
    """

    step: int
    id: str
    name: str
    decision: Resolution
    by: str
    arguments: JsonObject | None = None
    reason: str | None = None
    for_run: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Retried:
    """A call of `model` failed; after `wait` seconds `next_model` is asked: the same one, or a fallback.

    `attempt` is how often `model` was asked in this step, 0 when it could not even be made ready.
    """

    step: int
    model: str
    problem: str
    attempt: int
    wait: float
    next_model: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextReduced:
    """The conversation was made to fit the model's window.

    Attributes:
        strategy: what was done: `shorten_results`, `drop_oldest` or `summarize`.
        tokens_before: of the conversation, estimated.
        tokens_after: of the conversation, estimated.
        messages: how many were left out or shortened.
        problem: why turns were left out instead of being summed up; None when nothing went wrong.
    """

    step: int
    strategy: str
    tokens_before: int
    tokens_after: int
    messages: int
    problem: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class FormatRejected:
    """The reply could not be read; `problem` is sent back unless `attempt` exceeds `parsing.max_retries`."""

    step: int
    problem: str
    attempt: int


@dataclass(frozen=True, kw_only=True, slots=True)
class FormatRepaired:
    """Small slips in the JSON of a reply were repaired, such as a trailing comma; `what` says which and where."""

    step: int
    what: str


@dataclass(frozen=True, kw_only=True, slots=True)
class LimitReached:
    """A limit ends the run."""

    limit: Status
    message: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """A tool result the answer may rest on."""

    tool: str
    arguments: JsonObject
    content: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RunFinished:
    """The outcome.

    Attributes:
        status: how it ended; `EXIT_CODES` gives the process exit code.
        answer: the final answer, None unless there is one.
        output: the answer's value, when the agent has an `output_schema`.
        error: one line about what went wrong, None when completed.
        signal: the signal that interrupted the run, `SIGINT` or `SIGTERM`.
        steps: replies of the model.
        tool_calls: calls that were run.
        cost: dollars, None when the price of any reply is unknown.
        seconds: from `RunStarted` to here.
        session: the session the run belongs to, None when it has none.
    """

    status: Status
    answer: str | None
    output: Json = None
    error: str | None = None
    signal: str | None = None
    steps: int = 0
    tool_calls: int = 0
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    seconds: float = 0.0
    sources: tuple[Source, ...] = ()
    session: str | None = None


Event = (
    RunStarted
    | StepStarted
    | ModelDelta
    | ModelReplied
    | ToolCalled
    | ToolReturned
    | ToolLogged
    | ApprovalRequested
    | ApprovalResolved
    | Retried
    | ContextReduced
    | FormatRejected
    | FormatRepaired
    | LimitReached
    | RunFinished
)

EXIT_CODES: dict[Status, int] = {
    "completed": 0,
    "config_invalid": 1,
    "internal_error": 3,
    "model_error": 4,
    "max_steps": 5,
    "timeout": 5,
    "max_tool_calls": 5,
    "max_total_tokens": 5,
    "max_cost": 5,
    "repeated_calls": 5,
    "invalid_output": 6,
    "waiting_for_approval": 7,
    "interrupted": 130,
}


def exit_code(finished: RunFinished) -> int:
    """The process exit code of an outcome; a SIGTERM counts as the shell counts it, 128 + 15."""
    return 143 if finished.signal == "SIGTERM" else EXIT_CODES[finished.status]
