"""What a run has spent of its limits, and whether it may spend more: asked before, not after."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from runner.engine.messages import ToolCall
from runner.engine.outcome import Ended
from runner.engine.past import Past
from runner.engine.ports import ModelReply, Usage
from runner.engine.sameness import canonical
from runner.spec import Limits, Price

# A reply that has room for fewer tokens than this is not worth asking for.
_LEAST_REPLY = 16
# More tokens than any reply has.
_ANY_NUMBER = 10**12
# Tokens kept for the last words of a run besides the conversation: the sentence that asks for them, and a short answer.
_LAST_WORDS = 300
_PER_MILLION = 1_000_000
# Bytes of JSON per token before any reply has told: right within a third for prose and JSON.
_BYTES_PER_TOKEN = 4.0
# No text is much thinner or denser than this; a short request is, for what the provider adds of its own.
_LEAST_PER_BYTE, _MOST_PER_BYTE = 0.15, 0.5


class Estimator:
    """Guesses the tokens of a request from its bytes: those of the last one as the provider counted them, and the rest.

    The conversation only grows between two replies, so all but its last messages has been counted.
    """

    def __init__(self) -> None:
        self._size = 0
        self._tokens = 0
        self._per_byte = 1 / _BYTES_PER_TOKEN

    def tokens(self, size: int) -> int:
        """About how many tokens a request of so many bytes of JSON has."""
        if size < self._size:  # it was made shorter
            return round(self._tokens * size / self._size)
        return self._tokens + round((size - self._size) * self._per_byte)

    def learn(self, size: int, usage: Usage) -> None:
        """Take in what a request of so many bytes really was."""
        if size and usage.input_tokens and not usage.estimated:
            self._size, self._tokens = size, usage.input_tokens
            self._per_byte = min(max(usage.input_tokens / size, _LEAST_PER_BYTE), _MOST_PER_BYTE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Allowed:
    """Which of a reply's calls may run; `ended` is how the run ends when some may not."""

    calls: tuple[ToolCall, ...]
    ended: Ended | None = None


class Budget:
    """One run's spending; runs that belong together can share one.

    Attributes:
        usage: tokens so far.
        cost: dollars so far, None once the cost of any reply is unknown.
        tool_calls: calls that were run.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.usage = Usage()
        self.cost: float | None = 0.0
        self.tool_calls = 0
        self._cached = 0
        self._last_call = ""
        self._in_a_row = 0

    @property
    def counts_tokens(self) -> bool:
        """Whether a limit depends on how long a request is."""
        return self._limits.max_total_tokens is not None or self._limits.max_cost is not None

    def add(self, reply: ModelReply) -> None:
        """Count a reply."""
        self.usage += reply.usage
        self._cached = reply.usage.cached_tokens
        self.cost = None if self.cost is None or reply.cost is None else self.cost + reply.cost

    def allow_request(self, tokens: int, model: str, price: Price | None, *, keep: bool = False) -> int | None:
        """The most tokens a reply to a request of so many tokens may have; None for any number.

        With `keep` there has to be room for one more such request afterwards.

        Raises:
            Ended: there is not enough left.
        """
        reserved = tokens + _LAST_WORDS if keep else 0
        caps = [
            cap
            for cap in (self._cap_by_tokens(tokens, reserved), self._cap_by_cost(tokens, reserved, model, price))
            if cap is not None
        ]
        return min(caps, default=None)

    def _cap_by_tokens(self, tokens: int, reserved: int) -> int | None:
        limit = self._limits.max_total_tokens
        if limit is None:
            return None
        left = limit - self.usage.total_tokens - tokens - reserved
        if left < _LEAST_REPLY:
            used = f"{self.usage.total_tokens:,} used, and the next request needs about {tokens:,}"
            raise Ended("max_total_tokens", f"token limit {limit:,} reached: {used}")
        return left

    def _cap_by_cost(self, tokens: int, reserved: int, model: str, price: Price | None) -> int | None:
        limit = self._limits.max_cost
        if limit is None:
            return None
        if price is None or self.cost is None:
            how = "declare it as model.price, or take out limits.max_cost"
            raise Ended("max_cost", f"the price of {model} is not known, so max_cost cannot be kept: {how}")
        request = self._price_of_request(tokens, price)
        left = limit - self.cost - request - (self._price_of_request(reserved, price) if reserved else 0)
        if left < _LEAST_REPLY * price.output / _PER_MILLION:
            used = f"${self.cost:.4g} spent, and the next request costs about ${request:.4g}"
            raise Ended("max_cost", f"cost limit ${limit:g} reached: {used}")
        affordable = left * _PER_MILLION / price.output if price.output else math.inf
        return int(affordable) if affordable < _ANY_NUMBER else None

    def _price_of_request(self, tokens: int, price: Price) -> float:
        """Dollars, if the provider has cached as much of it as of the last one."""
        cached = min(self._cached, tokens)
        cached_price = price.input if price.cached_input is None else price.cached_input
        return ((tokens - cached) * price.input + cached * cached_price) / _PER_MILLION

    def allow_calls(self, step: int, calls: Sequence[ToolCall]) -> Allowed:
        """The calls that may run, in order, up to the first that may not; `spend_call` counts those that do."""
        for number, call in enumerate(calls):
            ended = self._refusal(step, call, number, calls[number:])
            if ended is not None:
                return Allowed(calls=tuple(calls[:number]), ended=ended)
        return Allowed(calls=tuple(calls))

    def spend_call(self) -> None:
        """A call is made."""
        self.tool_calls += 1

    def recall(self, calls: Iterable[ToolCall]) -> None:
        """Calls that an earlier part of the run has answered, made or not: repeats are counted on."""
        for call in calls:
            self._repeat(call)

    def restore(self, past: Past) -> None:
        """What an earlier part of the run has spent stays spent."""
        self.usage = past.usage
        self.cost = past.cost
        self.tool_calls = len(past.calls)

    def _repeat(self, call: ToolCall) -> None:
        made = canonical([call.name, call.arguments])
        self._in_a_row = self._in_a_row + 1 if made == self._last_call else 1
        self._last_call = made

    def _refusal(self, step: int, call: ToolCall, before: int, rest: Sequence[ToolCall]) -> Ended | None:
        names = ", ".join(each.name for each in rest)
        if self.tool_calls + before >= self._limits.max_tool_calls:
            message = f"tool call limit {self._limits.max_tool_calls} reached in step {step}; not run: {names}"
            return Ended("max_tool_calls", message)
        self._repeat(call)
        if self._in_a_row > self._limits.max_repeat_calls:
            row = f"{call.name} was called {self._in_a_row} times in a row with the same arguments"
            limit = f"max_repeat_calls is {self._limits.max_repeat_calls}"
            return Ended("repeated_calls", f"{row} ({limit}), in step {step}; not run: {names}")
        return None
