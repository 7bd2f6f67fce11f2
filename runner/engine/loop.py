"""The tool loop: ask the model, read the reply, run the tools, until there is an answer or a limit ends it."""

import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace

from runner.engine.conversation import opened
from runner.engine.events import (
    Event,
    FormatRejected,
    FormatRepaired,
    LimitReached,
    ModelDelta,
    ModelReplied,
    RunFinished,
    RunStarted,
    Source,
    StepStarted,
)
from runner.engine.execute import Executor
from runner.engine.messages import AssistantMessage, ToolCall, ToolResult, ToolResults, UserMessage
from runner.engine.outcome import LIMITS, Ended
from runner.engine.ports import (
    Answer,
    Capabilities,
    ConfigurationError,
    Delta,
    Malformed,
    Model,
    ModelError,
    ModelReply,
    ParsingMode,
    Reading,
    Tool,
    Usage,
)
from runner.engine.readings import clipped, held_to, problem_of, repairs
from runner.engine.scope import Interrupted, OutOfTime, RunControl, Scope
from runner.engine.task import AUTO, Task


async def run(
    task: Task,
    *,
    model: Model,
    tools: Mapping[str, Tool],
    choose_mode: Callable[[Capabilities], ParsingMode],
    control: RunControl | None = None,
    mask: Callable[[str], str] = str,
) -> AsyncGenerator[Event, None]:
    """Run `task` and tell what happens; the last event is always `RunFinished`.

    Closing the iterator early cancels what is running. Opening the model is not on the run's clock.
    """
    control = control or RunControl()
    scope = Scope(control)
    try:
        try:
            mode = choose_mode(await scope.wait(model.open()))
            scope.start(task.limits.timeout)
            loop = _Loop(task, model, tools, mode, scope, mask)
        except (ModelError, ConfigurationError, Interrupted) as stop:
            yield _not_begun(stop, scope)
            return
        async with aclosing(loop.events()) as events:
            async for event in events:
                yield event
    finally:
        control.bind(None)
        await model.close()


def _not_begun(stop: Exception, scope: Scope) -> RunFinished:
    """The outcome of a run that ended before its first step."""
    match stop:
        case Interrupted():
            return RunFinished(
                status="interrupted", answer=None, error="interrupted before the first step", signal=scope.signal
            )
        case ModelError(configuration=False):
            return RunFinished(status="model_error", answer=None, error=str(stop))
        case _:
            return RunFinished(status="config_invalid", answer=None, error=str(stop))


class _Loop:
    """The state of one run."""

    def __init__(  # noqa: PLR0913 - the parts of a run
        self,
        task: Task,
        model: Model,
        tools: Mapping[str, Tool],
        mode: ParsingMode,
        scope: Scope,
        mask: Callable[[str], str],
    ) -> None:
        self._task = task
        self._model = model
        self._tools = tools
        self._mode = mode
        self._scope = scope
        self._executor = Executor(tools, task.limits, scope, mask)
        self._conversation = opened(mode, task)
        self._choice = task.tool_choice
        self._reply = ModelReply()
        self._steps = 0
        self._replies = 0
        self._tool_calls = 0
        self._rejected = 0
        self._usage = Usage()
        self._cost: float | None = 0.0
        self._sources: list[Source] = []

    async def events(self) -> AsyncGenerator[Event, None]:
        started = time.perf_counter()
        yield RunStarted(
            agent=self._task.agent, model=self._model.name, parsing=self._mode.name, tools=tuple(self._tools)
        )
        end: Ended | None = None
        while end is None:
            try:
                async with aclosing(self._step()) as events:
                    async for event in events:
                        yield event
            except (Ended, OutOfTime, Interrupted, ModelError, ConfigurationError) as stop:
                end = self._end(stop)
        if end.status in LIMITS:
            yield LimitReached(limit=end.status, message=end.message or end.status)
        yield RunFinished(
            status=end.status,
            answer=end.answer,
            output=end.output,
            error=end.message,
            signal=self._scope.signal,
            steps=self._replies,
            tool_calls=self._tool_calls,
            usage=self._usage,
            # What a call that gave no reply has cost is not known.
            cost=self._cost if self._replies == self._steps else None,
            seconds=time.perf_counter() - started,
            sources=tuple(self._sources),
        )

    def _end(self, stop: Exception) -> Ended:
        match stop:
            case Ended():
                return stop
            case OutOfTime():
                return Ended("timeout", f"time limit of {self._task.limits.timeout:g} s reached in step {self._steps}")
            case ConfigurationError():
                return Ended("config_invalid", str(stop))
            case Interrupted():
                return Ended("interrupted", f"interrupted in step {self._steps}")
            case _:
                return Ended("model_error", str(stop))

    async def _step(self) -> AsyncGenerator[Event, None]:
        """One reply of the model and what follows from it."""
        self._scope.check()
        self._steps += 1
        yield StepStarted(step=self._steps)
        async with aclosing(self._ask()) as events:
            async for event in events:
                yield event
        reading = self._read()
        for what in repairs(reading):
            yield FormatRepaired(step=self._steps, what=what)
        if isinstance(reading, Answer):
            raise Ended("completed", answer=reading.message.text, output=reading.output)
        message = self._conversation.add_reply(reading.message)
        problem = problem_of(reading)
        if problem is not None:
            self._rejected += 1
            yield FormatRejected(step=self._steps, problem=problem, attempt=self._rejected)
        self._decide(message, problem)
        if isinstance(reading, Malformed):
            self._conversation.add(UserMessage(text=reading.problem))
            return
        async with aclosing(self._run_tools(message, in_order=reading.in_order)) as returned:
            async for event in returned:
                yield event

    async def _ask(self) -> AsyncGenerator[Event, None]:
        request = self._mode.request(self._conversation.wire, self._choice)
        one_at_a_time = bool(request.tools) and self._task.limits.max_parallel_tools == 1
        request = replace(
            request,
            parallel_tool_calls=False if one_at_a_time else None,
            timeout=self._scope.remaining(),
            stream=self._task.watch,
        )
        started = time.perf_counter()
        answer = self._mode.answer_filter()
        async with aclosing(self._model.ask(request)) as items:
            while isinstance(item := await self._scope.wait(anext(items)), Delta):
                yield ModelDelta(step=self._steps, text=item.text, answer=answer.feed(item.text))
                self._scope.check()  # pieces that have arrived already come without a wait
        self._reply = item
        self._replies += 1
        self._usage += item.usage
        self._cost = None if self._cost is None or item.cost is None else self._cost + item.cost
        yield ModelReplied(
            step=self._steps,
            text=item.text,
            finish_reason=item.finish_reason,
            usage=item.usage,
            cost=item.cost,
            seconds=time.perf_counter() - started,
        )

    def _read(self) -> Reading:
        if self._reply.finish_reason == "content_filter":
            # Asking again would be answered the same way, so this is not one of the bounded corrections.
            raise ModelError(f"{self._model.name} did not answer: its content filter blocked the reply")
        return held_to(self._choice, self._mode.read(self._reply, self._choice))

    def _decide(self, message: AssistantMessage, problem: str | None) -> None:
        """Whether the run may go on after a reply that was not an answer.

        Raises:
            Ended: no correction or no step is left.
        """
        if problem is None:
            self._rejected = 0
            self._choice = self._choice if self._choice.keep or self._choice.mode == "none" else AUTO
        elif self._rejected > self._task.max_retries:
            count = f"{self._rejected} replies" if self._rejected > 1 else "1 reply"
            said = f"; the last reply: {clipped(self._reply.text)}" if self._reply.text.strip() else ""
            cure = "; raise model.max_tokens" if self._reply.finish_reason == "length" else ""
            reason = f"no valid action or answer after {count}; the last problem: {problem}{cure}{said}"
            raise Ended("invalid_output", reason)
        if self._steps >= self._task.limits.max_steps:
            unfinished = f"; not run: {', '.join(call.name for call in message.calls)}" if message.calls else ""
            rejected = f"; the last reply was not usable: {problem}" if problem and not message.calls else ""
            raise Ended("max_steps", f"step limit {self._task.limits.max_steps} reached{unfinished}{rejected}")

    async def _run_tools(self, message: AssistantMessage, *, in_order: bool) -> AsyncGenerator[Event, None]:
        runnable = [call for call in message.calls if call.problem is None and call.name in self._tools]
        refused = runnable[self._task.limits.max_tool_calls - self._tool_calls :]
        allowed = [call for call in message.calls if call not in refused]
        self._tool_calls += len(runnable) - len(refused)
        results: dict[str, ToolResult] = {}
        executing = self._executor.execute(self._steps, allowed, results, in_order=in_order)
        async with aclosing(executing) as events:
            async for event in events:
                yield event
        if refused:
            names = ", ".join(call.name for call in refused)
            limit = self._task.limits.max_tool_calls
            raise Ended("max_tool_calls", f"tool call limit {limit} reached in step {self._steps}; not run: {names}")
        answered = tuple((call, results[call.id]) for call in message.calls)
        self._conversation.add(ToolResults(results=answered))
        self._note(answered)

    def _note(self, answered: tuple[tuple[ToolCall, ToolResult], ...]) -> None:
        """Keep the good results as sources; one of a `return_direct` tool ends the run."""
        good = [(call, result) for call, result in answered if not result.is_error]
        self._sources += [
            Source(tool=call.name, arguments=call.arguments or {}, content=result.content) for call, result in good
        ]
        for call, result in good:
            if self._tools[call.name].return_direct:
                raise Ended("completed", answer=result.content)
