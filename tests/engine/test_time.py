import asyncio
import time
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from runner.engine.events import RunFinished, ToolCalled, ToolReturned, exit_code
from runner.engine.messages import ToolResult
from runner.engine.ports import Capabilities, Delta, ModelReply, ModelRequest
from runner.engine.run import run
from runner.engine.scope import Interrupted, OutOfTime, RunControl, Scope, Signal
from runner.engine.task import Task
from runner.models.scripted import ScriptedModel
from runner.spec import Limits
from tests.engine.voices import FakeTool, Voice, chooser, play, returning


class StuckModel:
    """Begins a reply and never ends it."""

    name = "stuck"
    retries = 0

    def __init__(self) -> None:
        self.cancelled = False

    async def open(self) -> Capabilities:
        return Capabilities()

    async def ask(self, request: ModelRequest) -> AsyncGenerator[Delta | ModelReply, None]:
        try:
            yield Delta(text="Well")
            await asyncio.sleep(30)
            yield ModelReply(text="too late")
        except asyncio.CancelledError:
            self.cancelled = True
            raise

    async def close(self) -> None:
        pass


async def test_a_model_that_hangs_is_left_at_the_deadline() -> None:
    """Field bug B54."""
    model = StuckModel()
    started = time.monotonic()

    ran = await play("native", [], model=model, limits=Limits(timeout=0.1))

    assert time.monotonic() - started < 5
    assert ran.finished.status == "timeout"
    assert ran.finished.error == "time limit of 0.1 s reached in step 1"
    assert exit_code(ran.finished) == 5
    assert model.cancelled


async def test_the_time_that_is_left_is_handed_to_the_model(voice: Voice) -> None:
    ran = await play(voice.mode, [voice.answer("Hi")], limits=Limits(timeout=7))

    (request,) = ran.model.requests
    assert request.timeout is not None
    assert 6 < request.timeout <= 7


async def test_a_slow_tool_is_an_error_for_the_model_and_the_run_goes_on(voice: Voice) -> None:
    """Field bug B55."""
    ran = await play(
        voice.mode,
        [voice.calls(("slow", {})), voice.answer("gave up")],
        [returning("slow", "late", seconds=30)],
        limits=Limits(tool_timeout=0.05),
    )

    assert voice.results(ran.model.requests[1]) == ["slow did not finish within 0.05 s, so the run goes on without it"]
    assert ran.of(ToolReturned)[0].is_error
    assert ran.finished.answer == "gave up"


async def test_a_tools_own_timeout_goes_before_the_runs(voice: Voice) -> None:
    ran = await play(
        voice.mode,
        [voice.calls(("slow", {})), voice.answer("gave up")],
        [returning("slow", "late", seconds=30, timeout=0.05)],
    )

    assert ran.of(ToolReturned)[0].is_error


async def test_siblings_are_stopped_when_the_run_ends(voice: Voice, tmp_path: Path) -> None:
    """Field bug B57."""
    trace = tmp_path / "trace"

    async def write_later(_: object) -> ToolResult:
        await asyncio.sleep(0.3)
        trace.write_text("still running")
        return ToolResult(content="ok")

    ran = await play(
        voice.mode,
        [voice.calls(("write_later", {}), ("slow", {}))],
        [FakeTool(name="write_later", body=write_later), returning("slow", "late", seconds=30)],
        limits=Limits(timeout=0.1),
    )
    await asyncio.sleep(0.4)

    assert ran.finished.status == "timeout"
    assert not trace.exists()
    assert [event.name for event in ran.of(ToolReturned)][-1] == ran.of(ToolCalled)[-1].name
    assert len(ran.of(ToolReturned)) == len(ran.of(ToolCalled))


async def test_a_tool_that_refuses_to_stop_does_not_hold_the_run() -> None:
    release = asyncio.Event()

    async def stubborn(_: object) -> ToolResult:
        while not release.is_set():
            try:
                await asyncio.sleep(30)
            except asyncio.CancelledError:
                if release.is_set():
                    raise
        return ToolResult(content="never read")

    started = time.monotonic()
    ran = await play(
        "json",
        ['{"type": "tool", "name": "stubborn", "arguments": {}}'],
        [FakeTool(name="stubborn", body=stubborn)],
        limits=Limits(timeout=0.1),
    )
    took = time.monotonic() - started
    release.set()
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()
        await asyncio.wait([task])

    assert ran.finished.status == "timeout"
    assert took < 5


@pytest.mark.parametrize("signal", ["SIGINT", "SIGTERM"])
async def test_an_interrupt_ends_the_run_and_says_which(signal: Signal) -> None:
    control = RunControl()
    asyncio.get_running_loop().call_later(0.05, control.interrupt, signal)

    ran = await play("native", [], model=StuckModel(), control=control)

    assert ran.finished.status == "interrupted"
    assert ran.finished.signal == signal
    assert exit_code(ran.finished) == {"SIGINT": 130, "SIGTERM": 143}[signal]


async def test_an_interrupt_before_the_first_step_is_heard() -> None:
    control = RunControl()
    control.interrupt("SIGINT")

    ran = await play("native", [], control=control)

    assert ran.finished.status == "interrupted"


async def test_an_interrupt_after_the_run_does_nothing(voice: Voice) -> None:
    control = RunControl()

    ran = await play(voice.mode, [voice.answer("Hi")], control=control)
    control.interrupt("SIGINT")

    assert ran.finished.status == "completed"


async def test_closing_the_stream_early_stops_the_tools_and_closes_the_model() -> None:
    started, stopped = asyncio.Event(), asyncio.Event()

    async def endless(_: object) -> ToolResult:
        started.set()
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            stopped.set()
            raise
        return ToolResult(content="never")

    tool = FakeTool(name="endless", body=endless)
    call = '{"type": "tool", "name": "endless", "arguments": {}}'
    model = ScriptedModel([f"[{call}, {call}]"])
    events = run(
        Task(agent="a", instructions="", prompt="p", limits=Limits()),
        model=model,
        tools={"endless": tool},
        choose_mode=chooser("json", [tool.definition]),
    )
    called = 0
    async for event in events:
        called += isinstance(event, ToolCalled)
        if called == 2:  # the first of the two runs by now
            await started.wait()
            break
    await events.aclose()

    assert stopped.is_set()
    assert model.closed == 1


async def test_cancelling_the_caller_is_passed_on_and_not_taken_for_an_outcome() -> None:
    seen: list[object] = []

    async def consume() -> None:
        async for event in run(
            Task(agent="a", instructions="", prompt="p", limits=Limits()),
            model=StuckModel(),
            tools={},
            choose_mode=chooser("native", []),
        ):
            seen.append(event)  # noqa: PERF401 - what came before the cancellation is what counts

    task = asyncio.create_task(consume())
    await asyncio.sleep(0.05)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert not any(isinstance(event, RunFinished) for event in seen)


async def test_a_scope_gives_the_reason_even_when_the_cancellation_was_turned_into_an_error() -> None:
    async def disguise() -> None:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            raise ConnectionError("connection closed") from None

    scope = Scope(RunControl())
    scope.start(0.01)

    with pytest.raises(OutOfTime):
        await scope.wait(disguise())


async def test_a_scope_leaves_other_errors_alone() -> None:
    async def fail() -> None:
        raise TimeoutError("the tool's own")

    scope = Scope(RunControl())
    scope.start(30)

    with pytest.raises(TimeoutError, match="the tool's own"):
        await scope.wait(fail())


async def test_a_scope_can_be_interrupted_from_another_thread() -> None:
    control = RunControl()
    scope = Scope(control)
    waiting = asyncio.create_task(scope.wait(asyncio.sleep(30)))
    await asyncio.sleep(0.01)

    await asyncio.to_thread(control.interrupt, "SIGTERM")

    with pytest.raises(Interrupted):
        await waiting
