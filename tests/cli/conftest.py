"""Events as the engine would tell them, and a way to run a command line in this process."""

import pytest

from runner.cli.endings import ending
from runner.cli.verbs import cli
from runner.engine.events import (
    ApprovalRequested,
    ApprovalResolved,
    ContextReduced,
    Event,
    FormatRejected,
    FormatRepaired,
    LimitReached,
    ModelDelta,
    ModelReplied,
    Retried,
    RunFinished,
    RunStarted,
    Source,
    StepStarted,
    ToolCalled,
    ToolLogged,
    ToolReturned,
)
from runner.engine.ports import Usage
from tests.cli.fakes import Invoke


@pytest.fixture
def clock_run() -> list[Event]:
    """A question about Tokyo's time, answered with one tool call."""
    place = {"place": "Tokyo"}
    return [
        RunStarted(agent="clock", model="local/smollm2", parsing="json", tools=("current_time",)),
        StepStarted(step=1),
        ModelReplied(step=1, text="{}", finish_reason="stop", usage=Usage(), cost=0.0, seconds=0.6),
        ToolCalled(step=1, id="call_1", name="current_time", arguments=place),
        ToolReturned(
            step=1, id="call_1", name="current_time", content="2026-11-30 17:05 (Monday)", is_error=False, seconds=0.002
        ),
        StepStarted(step=2),
        ModelReplied(step=2, text="{}", finish_reason=None, usage=Usage(), cost=0.0, seconds=0.4),
        RunFinished(
            status="completed",
            answer="It is 17:05 on Monday in Tokyo.",
            steps=2,
            tool_calls=1,
            usage=Usage(input_tokens=380, output_tokens=32),
            cost=0.0,
            seconds=1.1,
            sources=(Source(tool="current_time", arguments=place, content="2026-11-30 17:05 (Monday)"),),
        ),
    ]


@pytest.fixture
def every_event(clock_run: list[Event]) -> list[Event]:
    """At least one event of each kind, with every optional field both empty and filled."""
    return [
        *clock_run,
        ModelDelta(step=1, text="Final Answer: It is", answer="It is"),
        ToolCalled(step=1, id="call_2", name="current_time", arguments=None),
        ToolLogged(step=1, id="call_2", name="current_time", level="info", message="asking 北京"),
        ApprovalRequested(step=1, id="call_3", name="send", arguments={"to": "a"}, risk="high", reason="ask: send"),
        ApprovalResolved(step=1, id="call_3", name="send", decision="edited", by="anna", arguments={"to": "b"}),
        ApprovalResolved(step=1, id="call_4", name="send", decision="rejected", by="anna", reason="too late"),
        Retried(step=1, model="openai/x", problem="rate limit (429)", attempt=1, wait=1.25, next_model="openai/x"),
        Retried(step=1, model="openai/x", problem="no key", attempt=0, wait=0.0, next_model="local/smollm2"),
        ContextReduced(step=2, strategy="drop_oldest", tokens_before=9_000, tokens_after=4_000, messages=6),
        FormatRejected(step=2, problem="expected a JSON object, got text", attempt=1),
        FormatRepaired(step=2, what="the arguments of f: a trailing comma"),
        LimitReached(limit="max_steps", message="step limit 2 reached"),
        ModelReplied(step=1, text="", finish_reason=None, usage=Usage(estimated=True), cost=None, seconds=0.1),
        RunFinished(status="completed", answer='{"city": "北京"}', output={"city": "北京"}),
        RunFinished(status="completed", answer="[1.5, null]", output=[1.5, None]),
        RunFinished(status="waiting_for_approval", answer=None, error="waiting", session="trip"),
        RunFinished(status="interrupted", answer=None, error="interrupted in step 1", signal="SIGTERM", cost=None),
    ]


@pytest.fixture
def invoke(capsys: pytest.CaptureFixture[str]) -> Invoke:
    """Runs a command line in this process: exit code, stdout, stderr."""

    def call(*arguments: str) -> tuple[int, str, str]:
        code = ending(lambda: cli.main(args=list(arguments), prog_name="runner", standalone_mode=False))
        return code, *capsys.readouterr()

    return call
