"""Asks the models of a run: the first one, again after a passing failure, and then its fallbacks."""

import asyncio
import random
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Protocol

from runner.engine.conversation import Conversation
from runner.engine.events import ModelDelta, Retried
from runner.engine.ports import (
    Capabilities,
    ConfigurationError,
    Delta,
    Model,
    ModelError,
    ModelReply,
    ModelRequest,
    ParsingMode,
)
from runner.engine.scope import OutOfTime, Scope

# Seconds that two timers for the same moment may be apart.
_A_MOMENT = 0.05


class ChooseMode(Protocol):
    """Makes the parsing mode for a model."""

    def __call__(self, capabilities: Capabilities, *, tools: bool = True) -> ParsingMode:
        """The mode for a model that can do this; without `tools` it offers none.

        Raises:
            ConfigurationError: what the author wrote cannot be used.
        """


@dataclass(frozen=True, kw_only=True, slots=True)
class Backoff:
    """Pauses between calls: exponential with full jitter, never shorter than the provider asked for.

    The formula is that of Marc Brooker's "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015).

    Attributes:
        base: seconds; the most that the first pause can take.
        most: seconds; what no pause of our own exceeds.
        chance: a number from 0 to 1.
    """

    base: float = 0.5
    most: float = 20.0
    chance: Callable[[], float] = random.random

    def pause(self, failures: int, asked_for: float | None) -> float:
        """Seconds to wait after so many failures in a row, from 1."""
        pause: float = min(self.most, self.base * 2 ** (failures - 1)) * self.chance()
        # Those who were sent away together come back apart.
        return pause if asked_for is None else asked_for + min(pause, 0.1 * asked_for)


class Asker:
    """The models of one run, the one that answers now, and the parsing mode that goes with it.

    After a fallback was needed it stays: a provider that has failed for good is not asked again in this run.

    Attributes:
        model: the one that answers.
        capabilities: what is known of it.
        mode: how its replies are read.
        broken_off: whether the last call of a model has ended without a reply.
    """

    mode: ParsingMode

    def __init__(self, models: Sequence[Model], choose_mode: ChooseMode, scope: Scope, backoff: Backoff) -> None:
        self._waiting = list(models[1:])
        self._opened: list[Model] = []
        self._choose_mode = choose_mode
        self._scope = scope
        self._backoff = backoff
        self._failures: list[str] = []
        self._with_tools = True
        self.broken_off = False
        self.model = models[0]
        self.capabilities = Capabilities()

    async def open(self) -> None:
        """Make the model ready, and choose its mode.

        Raises:
            ModelError, ConfigurationError: it cannot be used.
            Interrupted, OutOfTime: the run is over.
        """
        self._opened.append(self.model)
        self.capabilities = await self._scope.wait(self.model.open())
        self.mode = self._choose_mode(self.capabilities, tools=self._with_tools)

    def put_tools_away(self, conversation: Conversation) -> None:
        """From now on, offer no tools."""
        self._with_tools = False
        self.mode = self._choose_mode(self.capabilities, tools=False)
        conversation.change_mode(self.mode)

    async def close(self) -> None:
        """Close every model that was made ready."""
        for model in self._opened:
            await model.close()

    async def ask(
        self, step: int, conversation: Conversation, request: Callable[[], ModelRequest]
    ) -> AsyncGenerator[ModelDelta | Retried | ModelReply, None]:
        """Yield what happens, and the reply as the last item.

        Args:
            step: the step this belongs to.
            conversation: put into the form of another mode when a fallback needs that.
            request: makes the request, anew for each call.

        Raises:
            ModelError: no model has answered; a stream that broke after its first words is not begun again.
            Interrupted, OutOfTime: the run is over.
        """
        failures = 0
        while True:
            shown = False
            try:
                async with aclosing(self._once(step, request())) as items:
                    async for item in items:
                        shown = shown or isinstance(item, ModelDelta)
                        yield item
                break
            except ModelError as error:
                failed = error
            if self._scope.remaining() < _A_MOMENT:
                raise OutOfTime  # the call was given what was left of the run's time, and its timer was a little faster
            failures += 1
            if shown or failed.overflow:
                raise self._final(failed, failures, shown=shown)
            pause = self._pause(failed, failures)
            if pause is not None:
                yield self._retried(step, self.model, failed, failures, pause)
                await self._scope.wait(asyncio.sleep(pause))
                continue
            async with aclosing(self._fall_back(step, failed, failures)) as retried:
                async for event in retried:
                    yield event
            conversation.change_mode(self.mode)
            failures = 0

    async def _once(self, step: int, request: ModelRequest) -> AsyncGenerator[ModelDelta | ModelReply, None]:
        answer = self.mode.answer_filter()
        self.broken_off = True
        async with aclosing(self.model.ask(request)) as items:
            while isinstance(item := await self._scope.wait(anext(items)), Delta):
                yield ModelDelta(step=step, text=item.text, answer=answer.feed(item.text))
                self._scope.check()  # pieces that have arrived already come without a wait
        self.broken_off = False
        yield item

    def _pause(self, error: ModelError, failures: int) -> float | None:
        """Seconds until the same model is asked again; None when that is of no use."""
        if not error.transient or failures > self.model.retries:
            return None
        pause = self._backoff.pause(failures, error.retry_after)
        return pause if pause < self._scope.remaining() else None

    async def _fall_back(self, step: int, error: ModelError, failures: int) -> AsyncGenerator[Retried, None]:
        """Go on to the next model that can be used.

        Raises:
            ModelError: there is none.
        """
        while self._waiting:
            failed, self.model = self.model, self._waiting.pop(0)
            self._failures.append(_told(error, failures))
            yield self._retried(step, failed, error, failures, 0.0)
            failures = 0
            try:
                await self.open()
            except ModelError as unusable:
                error = unusable
            except ConfigurationError as unusable:
                error = ModelError(str(unusable), configuration=True)
            else:
                return
        raise self._final(error, failures)

    def _retried(self, step: int, failed: Model, error: ModelError, attempt: int, wait: float) -> Retried:
        return Retried(
            step=step,
            model=failed.name,
            problem=str(error),
            attempt=attempt,
            wait=round(wait, 3),
            next_model=self.model.name,
        )

    def _final(self, error: ModelError, failures: int, *, shown: bool = False) -> ModelError:
        """The error with all that was tried before it."""
        told = _told(error, failures)
        if error.transient and error.retry_after is not None and error.retry_after >= self._scope.remaining():
            told = f"{told}; it asks to wait {error.retry_after:g} s, longer than the time limit leaves"
        elif error.transient and not shown and failures <= self.model.retries:
            told = f"{told}; the time limit leaves no time to try again"
        return ModelError(
            "; ".join([*self._failures, told]),
            configuration=error.configuration and not self._failures,
            overflow=error.overflow and not shown,
        )


def _told(error: ModelError, failures: int) -> str:
    return f"{error} (after {failures} tries)" if failures > 1 else str(error)
