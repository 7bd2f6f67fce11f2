"""The tool calls of a run: as many as the budget allows, and every one is answered, run or not."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing

from runner.engine.budget import Budget
from runner.engine.conversation import Conversation
from runner.engine.events import Source, ToolCalled, ToolLogged, ToolReturned
from runner.engine.execute import Executor
from runner.engine.messages import AssistantMessage, ToolCall, ToolResult, ToolResults
from runner.engine.outcome import Ended
from runner.engine.ports import Tool

Answered = tuple[tuple[ToolCall, ToolResult], ...]


class ToolCalls:
    """Runs the calls of one reply after the other.

    Attributes:
        sources: the good results so far.
    """

    def __init__(
        self, tools: Mapping[str, Tool], *, executor: Executor, budget: Budget, conversation: Conversation
    ) -> None:
        self._tools = tools
        self._executor = executor
        self._budget = budget
        self._conversation = conversation
        self._open: AssistantMessage | None = None
        self._results: dict[str, ToolResult] = {}
        self.sources: list[Source] = []

    def expect(self, message: AssistantMessage) -> None:
        """The reply whose calls have to be answered next."""
        self._open = message if message.calls else None
        self._results = {}

    async def run(
        self, step: int, message: AssistantMessage, *, in_order: bool
    ) -> AsyncGenerator[ToolCalled | ToolReturned | ToolLogged, None]:
        """Run the calls of the reply that is expected, and put their results into the conversation.

        Raises:
            Ended: a limit forbids some of them, or the result of a `return_direct` tool is the answer.
            OutOfTime, Interrupted: the run is over.
        """
        runnable = [call for call in message.calls if call.problem is None and call.name in self._tools]
        allowed = self._budget.allow_calls(step, runnable)
        refused = runnable[len(allowed.calls) :]
        calls = [call for call in message.calls if call not in refused]
        executing = self._executor.execute(step, calls, self._results, in_order=in_order)
        async with aclosing(executing) as events:
            async for event in events:
                yield event
        if allowed.ended is not None:
            raise allowed.ended
        self._note(self._answer(message, missing=""))

    def settle(self, reason: str) -> None:
        """Answer the calls that are still open, with what has come and with the reason why no more will."""
        if self._open is not None:
            self._answer(self._open, missing=reason)

    def _answer(self, message: AssistantMessage, *, missing: str) -> Answered:
        lost = ToolResult(content=f"not finished: {missing}", is_error=True)
        answered = tuple((call, self._results.get(call.id, lost)) for call in message.calls)
        self._conversation.add(ToolResults(results=answered))
        self._open = None
        return answered

    def _note(self, answered: Answered) -> None:
        """Keep the good results as sources; one of a `return_direct` tool ends the run."""
        good = [(call, result) for call, result in answered if not result.is_error]
        self.sources += [
            Source(tool=call.name, arguments=call.arguments or {}, content=result.content) for call, result in good
        ]
        for call, result in good:
            if self._tools[call.name].return_direct:
                raise Ended("completed", answer=result.content)
