"""The tool loop: ask the model, read the reply, run the tools, until there is an answer or a limit ends it."""

import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing

from runner.engine.asking import Asker, Backoff, ChooseMode
from runner.engine.budget import Budget
from runner.engine.conversation import opened
from runner.engine.events import (
    Event,
    FormatRejected,
    FormatRepaired,
    LimitReached,
    ModelReplied,
    RunFinished,
    RunStarted,
    StepStarted,
)
from runner.engine.execute import Executor
from runner.engine.messages import AssistantMessage, UserMessage
from runner.engine.outcome import LIMITS, Ended, ended_by, not_begun
from runner.engine.ports import (
    Answer,
    ConfigurationError,
    Malformed,
    Model,
    ModelError,
    ModelReply,
    Reading,
    Tool,
)
from runner.engine.readings import clipped, held_to, problem_of, repairs
from runner.engine.requests import Happening, Requests
from runner.engine.scope import Interrupted, OutOfTime, RunControl, Scope
from runner.engine.task import AUTO, Task
from runner.engine.tool_calls import ToolCalls
from runner.spec import ToolChoice

# The part of a run's time that is kept for its last words, when it may have any, and the most of it, in seconds.
_RESERVE, _MOST_RESERVE = 0.25, 30.0
# Characters; far more than any model writes, and no more than is read in a moment.
_LONGEST_REPLY = 4_000_000
_NO_TOOLS = ToolChoice(mode="none")
_LAST_WORDS = (
    "The limit of this run is reached: {limit}. No tool can be called any more. "
    "Answer now, as well as you can with what you have; say what is missing."
)


async def run(  # noqa: PLR0913 - the parts of a run
    task: Task,
    *,
    model: Model,
    fallbacks: Sequence[Model] = (),
    summarizer: Model | None = None,
    tools: Mapping[str, Tool],
    choose_mode: ChooseMode,
    control: RunControl | None = None,
    mask: Callable[[str], str] = str,
    backoff: Backoff | None = None,
) -> AsyncGenerator[Event, None]:
    """Run `task` and tell what happens; the last event is always `RunFinished`.

    Closing the iterator early cancels what is running. Opening the model is not on the run's clock.

    Args:
        task: what to do.
        model: who is asked.
        fallbacks: who is asked in turn when that fails for good; opened only then.
        summarizer: sums up what of a long conversation is left out; None means the model that answers.
        tools: what the model may call, by name.
        choose_mode: makes the parsing mode for a model.
        control: ends the run from outside.
        mask: takes secrets out of what tools return.
        backoff: pauses between calls that fail.
    """
    control = control or RunControl()
    scope = Scope(control)
    asker = Asker((model, *fallbacks), choose_mode, scope, backoff or Backoff())
    executor = Executor(tools, task.limits, scope, mask)
    loop: _Loop | None = None
    try:
        try:
            await asker.open()
            loop = _Loop(task, asker=asker, executor=executor, tools=tools, scope=scope, summarizer=summarizer)
        except (ModelError, ConfigurationError, Interrupted) as stop:
            yield not_begun(stop, scope.signal)
            return
        async with aclosing(loop.events()) as events:
            async for event in events:
                yield event
    finally:
        control.bind(None)
        await executor.close()
        await asker.close()
        if loop is not None:
            await loop.close()


class _Loop:
    """The state of one run."""

    def __init__(  # noqa: PLR0913 - the parts of a run
        self,
        task: Task,
        *,
        asker: Asker,
        executor: Executor,
        tools: Mapping[str, Tool],
        scope: Scope,
        summarizer: Model | None,
    ) -> None:
        self._task = task
        self._asker = asker
        self._tools = tuple(tools)
        self._scope = scope
        self._budget = Budget(task.limits)
        self._conversation = opened(asker.mode, task)
        self._calls = ToolCalls(tools, executor=executor, budget=self._budget, conversation=self._conversation)
        self._requests = Requests(
            task,
            conversation=self._conversation,
            asker=asker,
            budget=self._budget,
            scope=scope,
            summarizer=summarizer,
        )
        self._reserve = min(task.limits.timeout * _RESERVE, _MOST_RESERVE) if task.on_limit == "answer" else 0.0
        self._choice = task.tool_choice
        self._reply = ModelReply()
        self._steps = 0
        self._replies = 0
        self._rejected = 0

    async def close(self) -> None:
        await self._requests.close()

    async def events(self) -> AsyncGenerator[Event, None]:
        started = time.perf_counter()
        self._scope.start(self._task.limits.timeout - self._reserve)
        yield RunStarted(
            agent=self._task.agent,
            model=self._asker.model.name,
            parsing=self._asker.mode.name,
            tools=self._tools,
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
            if self._task.on_limit == "answer":
                async with aclosing(self._last_words(end)) as events:
                    async for event in events:
                        yield event
        yield RunFinished(
            status=end.status,
            answer=end.answer,
            output=end.output,
            error=end.message,
            signal=self._scope.signal,
            steps=self._replies,
            tool_calls=self._budget.tool_calls,
            usage=self._budget.usage,
            # What a call that was broken off has cost is not known.
            cost=None if self._asker.broken_off else self._budget.cost,
            seconds=time.perf_counter() - started,
            sources=tuple(self._calls.sources),
        )

    def _end(self, stop: Exception) -> Ended:
        return ended_by(stop, step=self._steps, timeout=self._task.limits.timeout)

    async def _step(self) -> AsyncGenerator[Event, None]:
        """One reply of the model and what follows from it."""
        self._scope.check()
        self._steps += 1
        yield StepStarted(step=self._steps)
        async with aclosing(self._ask(self._requests.ask(self._steps, self._choice))) as events:
            async for event in events:
                yield event
        reading = self._read()
        for what in repairs(reading):
            yield FormatRepaired(step=self._steps, what=what)
        if isinstance(reading, Answer):
            raise Ended("completed", answer=reading.message.text, output=reading.output)
        message = self._conversation.add_reply(reading.message)
        self._calls.expect(message)
        problem = problem_of(reading)
        if problem is not None:
            self._rejected += 1
            yield FormatRejected(step=self._steps, problem=problem, attempt=self._rejected)
        self._decide(message, problem)
        if isinstance(reading, Malformed):
            self._conversation.add(UserMessage(text=reading.problem))
            return
        async with aclosing(self._calls.run(self._steps, message, in_order=reading.in_order)) as returned:
            async for event in returned:
                yield event

    async def _ask(self, asking: AsyncGenerator[Happening | ModelReply, None]) -> AsyncGenerator[Event, None]:
        started = time.perf_counter()
        async with aclosing(asking) as items:
            async for item in items:
                if not isinstance(item, ModelReply):
                    yield item
                    continue
                self._reply = item
        self._replies += 1
        yield ModelReplied(
            step=self._steps,
            text=self._reply.text,
            finish_reason=self._reply.finish_reason,
            usage=self._reply.usage,
            cost=self._reply.cost,
            seconds=time.perf_counter() - started,
        )

    def _read(self) -> Reading:
        if self._reply.finish_reason == "content_filter":
            # Asking again would be answered the same way, so this is not one of the bounded corrections.
            raise ModelError(f"{self._asker.model.name} did not answer: its content filter blocked the reply")
        if len(self._reply.text) > _LONGEST_REPLY:
            raise ModelError(
                f"{self._asker.model.name} gave a reply of {len(self._reply.text):,} characters; no more than "
                f"{_LONGEST_REPLY:,} are read"
            )
        return held_to(self._choice, self._asker.mode.read(self._reply, self._choice))

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

    async def _last_words(self, end: Ended) -> AsyncGenerator[Event, None]:
        """Ask once more, without tools; an answer goes into `end`, whose status stays that of the limit."""
        limit = end.message or end.status
        self._scope.extend(self._reserve)
        self._calls.settle(limit)
        self._conversation.add(UserMessage(text=_LAST_WORDS.format(limit=limit)))
        self._steps += 1
        yield StepStarted(step=self._steps)
        try:
            async with aclosing(self._ask(self._requests.ask_last(self._steps))) as events:
                async for event in events:
                    yield event
            reading = self._asker.mode.read(self._reply, _NO_TOOLS)
        except (Ended, OutOfTime, ModelError, ConfigurationError) as stop:
            end.message = f"{limit}; asked for a last answer: {self._end(stop).message}"
            return
        except Interrupted as stop:
            end.status, end.message = "interrupted", self._end(stop).message
            return
        if isinstance(reading, Answer):
            end.answer, end.output = reading.message.text, reading.output
        else:
            end.message = f"{limit}; the last reply was no answer: {clipped(self._reply.text)}"
