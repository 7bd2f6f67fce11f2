"""The tool loop: ask the model, read the reply, make its calls, until there is an answer or a limit ends it."""

import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import replace

from runner.engine.asking import Asker
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
from runner.engine.gate import Gate
from runner.engine.journal import ClockedJournal, Finished, Journal, JournalError, Replied
from runner.engine.messages import AssistantMessage, UserMessage
from runner.engine.outcome import LIMITS, Ended, ended_by
from runner.engine.past import Past
from runner.engine.ports import (
    Answer,
    Calls,
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
from runner.engine.scope import Interrupted, OutOfTime, Scope, Stopwatch
from runner.engine.task import AUTO, Task
from runner.engine.tool_calls import ToolCalls
from runner.spec import ToolChoice

# The part of a run's time that is kept for its last words, when it may have any, and the most of it, in seconds.
_RESERVE, _MOST_RESERVE = 0.25, 30.0
# Characters; far more than any model writes, and no more than is read in a moment.
_LONGEST_REPLY = 1_000_000
_NO_TOOLS = ToolChoice(mode="none")
_LAST_WORDS = (
    "The limit of this run is reached: {limit}. No tool can be called any more. "
    "Answer now, as well as you can with what you have; say what is missing."
)


def noted(journal: Journal, finished: RunFinished) -> RunFinished:
    """The outcome, written down; another one when that fails."""
    try:
        journal.note(Finished(finished=finished))
    except JournalError as error:
        return replace(finished, status="internal_error", error=str(error))
    return finished


class Loop:
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
        gate: Gate,
        journal: Journal,
        past: Past,
    ) -> None:
        self._task = task
        self._time = Stopwatch(past.seconds)
        self._journal = ClockedJournal(journal, self._time.seconds)
        self._past = past
        self._asker = asker
        self._tools = tuple(tools)
        self._scope = scope
        self._budget = Budget(task.limits)
        self._budget.restore(past)
        self._conversation = opened(asker.mode, task)
        for message in past.messages:
            self._conversation.add(message)
        self._calls = ToolCalls(
            tools,
            executor=executor,
            budget=self._budget,
            conversation=self._conversation,
            gate=gate,
            journal=self._journal,
        )
        self._calls.recall(past.messages)
        self._requests = Requests(
            task,
            conversation=self._conversation,
            asker=asker,
            budget=self._budget,
            scope=scope,
            summarizer=summarizer,
            journal=self._journal,
        )
        self._reserve = min(task.limits.timeout * _RESERVE, _MOST_RESERVE) if task.on_limit == "answer" else 0.0
        self._choice = task.tool_choice if not past.steps else _after_a_step(task.tool_choice)
        self._reply = ModelReply()
        self._steps = past.steps
        self._replies = past.steps
        self._rejected = past.rejected

    async def close(self) -> None:
        """Let go of what was opened on the way."""
        await self._requests.close()

    async def events(self) -> AsyncGenerator[Event, None]:
        """Run to the end; the last event is `RunFinished`."""
        self._time.start()
        self._scope.start(self._task.limits.timeout - self._reserve - self._past.seconds)
        yield RunStarted(
            agent=self._task.agent,
            model=self._asker.model.name,
            parsing=self._asker.mode.name,
            tools=self._tools,
        )
        end: Ended | None = None
        going_on = self._past.unanswered is not None
        while end is None:
            try:
                async with aclosing(self._go_on() if going_on else self._step()) as events:
                    async for event in events:
                        yield event
                going_on = False
            except (Ended, OutOfTime, Interrupted, ModelError, ConfigurationError, JournalError) as stop:
                end = self._end(stop)
        if end.status in LIMITS:
            yield LimitReached(limit=end.status, message=end.message or end.status)
            if self._task.on_limit == "answer":
                async with aclosing(self._last_words(end)) as events:
                    async for event in events:
                        yield event
        finished = RunFinished(
            status=end.status,
            answer=end.answer,
            output=end.output,
            error=end.message,
            signal=self._scope.signal,
            steps=self._replies,
            tool_calls=self._budget.tool_calls,
            usage=replace(self._budget.usage, estimated=self._budget.usage.estimated or self._asker.broken_off),
            # What a call that was broken off has cost is not known.
            cost=None if self._asker.broken_off else self._budget.cost,
            seconds=self._time.seconds(),
            sources=tuple(self._calls.sources),
            session=self._task.session,
        )
        yield noted(self._journal, finished)

    def _end(self, stop: Exception) -> Ended:
        return ended_by(stop, step=self._steps, timeout=self._task.limits.timeout)

    async def _step(self) -> AsyncGenerator[Event, None]:
        """One reply of the model and what follows from it."""
        self._scope.check()
        if self._steps >= self._task.limits.max_steps:  # all were made in an earlier part of the run
            raise Ended("max_steps", f"step limit {self._task.limits.max_steps} reached")
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
        self._rejected = 0 if problem is None else self._rejected + 1
        self._journal.note(self._replied(message, reading))
        if problem is not None:
            yield FormatRejected(step=self._steps, problem=problem, attempt=self._rejected)
        self._decide(message, problem)
        if isinstance(reading, Malformed):
            self._conversation.add(UserMessage(text=reading.problem))
            return
        async with aclosing(self._calls.run(self._steps, message, in_order=reading.in_order)) as returned:
            async for event in returned:
                yield event

    async def _go_on(self) -> AsyncGenerator[Event, None]:
        """Answer the calls of the reply that an earlier part of the run has left open."""
        unanswered = self._past.unanswered
        assert unanswered is not None  # noqa: S101 - what `events` has seen
        self._conversation.add(unanswered)
        self._calls.expect(unanswered, self._past)
        self._decide(unanswered, None)  # it may have been the last allowed one
        async with aclosing(self._calls.run(self._steps, unanswered, in_order=self._past.in_order)) as returned:
            async for event in returned:
                yield event

    def _replied(self, message: AssistantMessage, reading: Calls | Malformed) -> Replied:
        return Replied(
            step=self._steps,
            model=self._asker.model.name,
            message=message,
            correction=reading.problem if isinstance(reading, Malformed) else None,
            in_order=isinstance(reading, Calls) and reading.in_order,
            rejected=self._rejected,
            usage=self._reply.usage,
            cost=self._reply.cost,
            seconds=self._time.seconds(),
        )

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
            self._choice = _after_a_step(self._choice)
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
        except (Ended, OutOfTime, ModelError, ConfigurationError, JournalError) as stop:
            end.message = f"{limit}; asked for a last answer: {self._end(stop).message}"
            return
        except Interrupted as stop:
            end.status, end.message = "interrupted", self._end(stop).message
            return
        if isinstance(reading, Answer):
            end.answer, end.output = reading.message.text, reading.output
        else:
            end.message = f"{limit}; the last reply was no answer: {clipped(self._reply.text)}"


def _after_a_step(choice: ToolChoice) -> ToolChoice:
    """A tool that had to be called has been, unless one has to be at every step."""
    return choice if choice.keep or choice.mode == "none" else AUTO
