"""Asks the questions of a run: as the parsing mode wants them, inside the model's window, and as the budget allows."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from functools import partial

from runner.engine.asking import Asker
from runner.engine.budget import Budget, Estimator
from runner.engine.context import SUM_UP, fit
from runner.engine.conversation import Conversation, size_of
from runner.engine.events import ContextReduced, ModelDelta, Retried
from runner.engine.journal import Journal, Summarized
from runner.engine.ports import Delta, Model, ModelError, ModelReply, ModelRequest
from runner.engine.scope import Scope
from runner.engine.task import Task
from runner.spec import ContextSpec, ToolChoice

Happening = ContextReduced | ModelDelta | Retried

# How much of its window a model is left for the reply, when nothing else is said: a quarter, up to this many tokens.
_MOST_FOR_REPLY = 8_192
# What a reply may have at most, in tokens, where there is a budget and nobody knows what the model can write.
_USUAL_OUTPUT = 4_096
# After a provider has refused a conversation as too long: the part of it that is tried next.
_LESS = 0.7
# How often it is made shorter for one reply.
_MOST_TRIES = 3
# The part of a request that a summary may be.
_SUMMARY = 0.25
_CHARS_PER_TOKEN = 3


class Requests:
    """Requests made of one run's conversation.

    Args:
        summarizer: sums up what is left out; None means the model that answers.
        journal: what a summary took is noted down there: no reply tells it.
    """

    def __init__(  # noqa: PLR0913 - the parts of a run that a request depends on
        self,
        task: Task,
        *,
        conversation: Conversation,
        asker: Asker,
        budget: Budget,
        scope: Scope,
        summarizer: Model | None,
        journal: Journal,
    ) -> None:
        self._task = task
        self._conversation = conversation
        self._asker = asker
        self._budget = budget
        self._scope = scope
        self._summarizer = summarizer
        self._journal = journal
        self._summarizer_open = False
        self._estimator = Estimator()
        self._counts = budget.counts_tokens or task.context is not None
        self._keeps_last_words = task.on_limit == "answer"
        self._size = 0

    async def ask(self, step: int, choice: ToolChoice) -> AsyncGenerator[Happening | ModelReply, None]:
        """Ask for the next reply, and yield it as the last item.

        Raises:
            Ended: there is not enough left to ask.
            ModelError: no model has answered, or the conversation cannot be made to fit.
            Interrupted, OutOfTime: the run is over.
        """
        refused: ModelError | None = None
        tries = 0
        while True:
            async with aclosing(self._make_room(step, choice, refused)) as reduced:
                async for event in reduced:
                    yield event
            asking = self._asker.ask(step, self._conversation, partial(self._next, choice))
            try:
                async with aclosing(asking) as items:
                    async for item in items:
                        if isinstance(item, ModelReply):
                            self._count(item)
                        yield item
            except ModelError as error:
                tries += 1
                if not error.overflow or tries > _MOST_TRIES:
                    raise
                refused = error
            else:
                return

    def _sensible(self, cap: int | None) -> int | None:
        """A cap that the provider takes: not more than the model can write, which is refused."""
        most = self._asker.capabilities.most_output
        if cap is None or most is None:
            return cap if cap is None else min(cap, _USUAL_OUTPUT)
        return cap if cap < most else None

    async def ask_last(self, step: int) -> AsyncGenerator[Happening | ModelReply, None]:
        """Ask for the one reply after a limit was reached, without tools; what was kept back for it may be spent.

        Raises:
            As `ask`.
        """
        self._keeps_last_words = False
        choice = ToolChoice(mode="none")
        if self._asker.mode.request(self._conversation.wire, choice).tools:
            # What is only said in the prompt stays: the model has spoken by that protocol, and will answer by it.
            self._asker.put_tools_away(self._conversation)
        async with aclosing(self.ask(step, choice)) as items:
            async for item in items:
                yield item

    def _next(self, choice: ToolChoice) -> ModelRequest:
        request = self._asker.mode.request(self._conversation.wire, choice)
        cap = None
        if self._counts:
            self._size = self._size_of(request)
            tokens = self._estimator.tokens(self._size)
            model, price = self._asker.model.name, self._asker.capabilities.price
            cap = self._budget.allow_request(tokens, model, price, keep=self._keeps_last_words)
            cap = self._sensible(cap)
        one_at_a_time = bool(request.tools) and self._task.limits.max_parallel_tools == 1
        return replace(
            request,
            parallel_tool_calls=False if one_at_a_time else None,
            timeout=self._scope.remaining(),
            max_tokens=cap,
            stream=self._task.watch,
        )

    def _count(self, reply: ModelReply) -> None:
        self._estimator.learn(self._size, reply.usage)
        self._budget.add(reply)

    def _size_of(self, request: ModelRequest) -> int:
        return self._conversation.size + (size_of([*request.tools, request.response_format]) if request.tools else 0)

    async def _make_room(
        self, step: int, choice: ToolChoice, refused: ModelError | None
    ) -> AsyncGenerator[ContextReduced, None]:
        """Make the conversation shorter if it has to be; `refused` says that it was too long for the provider.

        Raises:
            ModelError: it cannot be made short enough.
        """

        def measure() -> int:
            return self._estimator.tokens(self._size_of(self._asker.mode.request(self._conversation.wire, choice)))

        spec = self._task.context
        limit = self._limit(spec) if spec else None
        if refused is not None:
            if spec is None or spec.strategy == "fail":
                raise refused
            limit = min(int(measure() * _LESS), limit or measure())
        if spec is None or limit is None:
            return
        fitting = fit(
            self._conversation,
            spec,
            step=step,
            limit=limit,
            measure=measure,
            summarize=partial(self._summarized, most=max(int(limit * _SUMMARY), 1)),
        )
        async with aclosing(fitting) as reduced:
            async for event in reduced:
                yield event

    def _limit(self, spec: ContextSpec) -> int | None:
        """Tokens that a request may have; None when nobody knows."""
        window = self._asker.capabilities.window
        if spec.max_tokens is not None or window is None:
            return spec.max_tokens
        return window - min(window // 4, _MOST_FOR_REPLY)

    async def _summarized(self, text: str, *, most: int) -> str:
        """The text summed up by a model in at most so many tokens; what it writes beyond that is cut.

        Raises:
            ModelError: no model did.
            Ended: there is not enough left to ask for it.
        """
        model, price = self._asker.model, self._asker.capabilities.price
        if self._summarizer is not None:
            model = self._summarizer
            self._summarizer_open = True
            price = (await self._scope.wait(model.open())).price
        messages = [{"role": "system", "content": SUM_UP}, {"role": "user", "content": text}]
        cap = most
        if self._budget.counts_tokens:
            tokens = self._estimator.tokens(size_of(messages))
            cap = min(most, self._budget.allow_request(tokens, model.name, price, keep=True) or most)
        request = ModelRequest(messages=messages, timeout=self._scope.remaining(), max_tokens=cap)
        self._asker.broken_off = True  # until there is a reply
        replies = model.ask(request)
        while isinstance(reply := await self._scope.wait(anext(replies)), Delta):
            pass
        await replies.aclose()
        self._asker.broken_off = False
        self._budget.add(reply)
        self._journal.note(Summarized(model=model.name, usage=reply.usage, cost=reply.cost))
        summary = reply.text.strip()
        if not summary:
            raise ModelError(f"{model.name} gave no summary")
        longest = most * _CHARS_PER_TOKEN
        return summary if len(summary) <= longest else f"{summary[:longest]} …"

    async def close(self) -> None:
        """Close the model that sums up, if it was needed."""
        if self._summarizer is not None and self._summarizer_open:
            await self._summarizer.close()
