"""The tool calls of a run: those that may be made are made, every one is answered, and all of it is noted down."""

from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from dataclasses import replace

from runner.engine.budget import Budget
from runner.engine.conversation import Conversation
from runner.engine.events import ApprovalRequested, ApprovalResolved, Source, ToolCalled, ToolLogged, ToolReturned
from runner.engine.execute import Executor
from runner.engine.gate import Gate, Passage
from runner.engine.journal import CallEnded, CallStarted, Decided, Journal
from runner.engine.messages import AssistantMessage, Message, ToolCall, ToolResult, ToolResults
from runner.engine.outcome import Ended
from runner.engine.past import Past
from runner.engine.ports import Tool
from runner.engine.resolutions import UNKNOWN_OUTCOME, with_note

Answered = tuple[tuple[ToolCall, ToolResult], ...]
Happening = ApprovalRequested | ApprovalResolved | ToolCalled | ToolReturned | ToolLogged


class ToolCalls:
    """Makes the calls of one reply after the other.

    Attributes:
        sources: the good results so far.
    """

    def __init__(  # noqa: PLR0913 - the parts of a run that a call depends on
        self,
        tools: Mapping[str, Tool],
        *,
        executor: Executor,
        budget: Budget,
        conversation: Conversation,
        gate: Gate,
        journal: Journal,
    ) -> None:
        self._tools = tools
        self._executor = executor
        self._budget = budget
        self._conversation = conversation
        self._gate = gate
        self._journal = journal
        self._open: AssistantMessage | None = None
        self._results: dict[str, ToolResult] = {}
        self._started: frozenset[str] = frozenset()
        self._decided: frozenset[str] = frozenset()
        self._made: dict[str, ToolCall] = {}
        self.sources: list[Source] = []

    def recall(self, messages: Iterable[Message]) -> None:
        """Take in an earlier part of the run: its results are sources, its calls count for repeats."""
        for message in messages:
            if isinstance(message, ToolResults):
                self._keep(message.results)
            elif isinstance(message, AssistantMessage):
                self._budget.recall(call for call in message.calls if self._counts(call))

    def _counts(self, call: ToolCall) -> bool:
        """Whether a call counts for the limits: one of a tool that does not exist, or that cannot be read, does not."""
        return call.problem is None and call.name in self._tools

    def expect(self, message: AssistantMessage, past: Past | None = None) -> None:
        """The reply whose calls have to be answered next, and what is known of them from an earlier part of the run."""
        self._open = message if message.calls else None
        self._results = dict(past.results) if past else {}
        self._started = frozenset(past.started) if past else frozenset()
        self._decided = frozenset(past.decisions) if past else frozenset()
        done = self._results.keys() | self._started
        self._budget.recall(call for call in message.calls if call.id in done and self._counts(call))

    async def run(self, step: int, message: AssistantMessage, *, in_order: bool) -> AsyncGenerator[Happening, None]:
        """Make the calls of the reply that is expected, and put their results into the conversation.

        Raises:
            Ended: a limit or a person forbids going on, a call waits for approval, or a result is the answer.
            OutOfTime, Interrupted: the run is over.
            JournalError: what happens cannot be noted down.
        """
        open_calls = [call for call in message.calls if call.id not in self._results]
        new = [call for call in open_calls if self._counts(call) and call.id not in self._started]
        allowed = self._budget.allow_calls(step, new)
        refused = {call.id for call in new} - {call.id for call in allowed.calls}
        passage = Passage(in_order=in_order)
        # What was begun or decided about is settled there, even when the agent has lost the tool meanwhile.
        passing = [
            call
            for call in open_calls
            if call.id not in refused and (self._counts(call) or call.id in self._started | self._decided)
        ]
        async with aclosing(self._gate.decide(step, message.text, passing, passage)) as decided:
            async for question in decided:
                if isinstance(question, ApprovalResolved):
                    self._journal.note(Decided(resolution=question))
                yield question
        made = {call.id: call for call in passage.made}
        self._settle(step, message, passage.results)
        kept = refused | {call.id for call in (*passage.deferred, *passage.held)}
        calls = [
            made.get(call.id, call) for call in open_calls if call.id not in kept and call.id not in passage.results
        ]
        async with aclosing(self._execute(step, calls, passage, in_order=in_order)) as events:
            async for event in events:
                yield event
        if passage.deferred:  # before the limit: it holds when the run goes on, and the question would be lost
            names = ", ".join(f"{call.name} ({call.id})" for call in passage.deferred)
            raise Ended("waiting_for_approval", f"waiting for approval of {names}")
        if allowed.ended is not None:
            self._keep(tuple((call, self._results[call.id]) for call in calls if call.id in self._results))
            raise allowed.ended
        self._note(self._answer(message, missing=""))

    async def _execute(
        self, step: int, calls: list[ToolCall], passage: Passage, *, in_order: bool
    ) -> AsyncGenerator[Happening, None]:
        results: dict[str, ToolResult] = {}
        made = {call.id: call for call in passage.made}
        self._made |= made
        executing = self._executor.execute(step, calls, results, in_order=in_order)
        async with aclosing(executing) as events:
            async for event in events:
                happened = event
                if isinstance(event, ToolCalled):
                    if event.id in made:  # one that cannot be used is answered without being made
                        self._journal.note(
                            CallStarted(step=event.step, id=event.id, name=event.name, arguments=event.arguments)
                        )
                        if event.id not in self._started:  # else it was counted when it was made first
                            self._budget.spend_call()
                elif isinstance(event, ToolReturned) and event.id in results:
                    result = results[event.id]
                    if event.id in passage.edited and not self._is_answer(event.name, result):
                        result = with_note(result, passage.edited[event.id])
                    self._results[event.id] = result
                    self._journal.note(
                        CallEnded(step=step, id=event.id, name=event.name, result=result, seconds=event.seconds)
                    )
                    happened = replace(event, content=result.content)
                yield happened

    def _settle(self, step: int, message: AssistantMessage, results: Mapping[str, ToolResult]) -> None:
        """Keep the results of calls that are not made."""
        for call in message.calls:
            if call.id in results:
                self._results[call.id] = results[call.id]
                self._journal.note(
                    CallEnded(step=step, id=call.id, name=call.name, result=results[call.id], seconds=0.0)
                )

    def settle(self, reason: str) -> None:
        """Answer the calls that are still open, with what has come and with the reason why no more will."""
        if self._open is not None:
            self._answer(self._open, missing=reason)

    def _answer(self, message: AssistantMessage, *, missing: str) -> Answered:
        answered = tuple((call, self._results.get(call.id) or self._lost(call, missing)) for call in message.calls)
        self._conversation.add(ToolResults(results=answered))
        self._open = None
        return answered

    def _lost(self, call: ToolCall, missing: str) -> ToolResult:
        unknown = f"; {UNKNOWN_OUTCOME}" if call.id in self._started else ""
        return ToolResult(content=f"not finished: {missing}{unknown}", is_error=True)

    def _note(self, answered: Answered) -> None:
        """Keep the good results as sources; one of a `return_direct` tool ends the run."""
        for call, result in self._keep(answered):
            if self._is_answer(call.name, result):
                raise Ended("completed", answer=result.content)

    def _keep(self, answered: Answered) -> Answered:
        good = tuple((call, result) for call, result in answered if not result.is_error)
        self.sources += [
            Source(tool=call.name, arguments=self._made.get(call.id, call).arguments or {}, content=result.content)
            for call, result in good
        ]
        return good

    def _is_answer(self, name: str, result: ToolResult) -> bool:
        tool = self._tools.get(name)  # gone, when the agent was changed before the run went on
        return tool is not None and tool.return_direct and not result.is_error
