"""A model that says what a script tells it to, for tests of agents and of everything built on the `Model` port."""

import asyncio
import inspect
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from runner.engine.ports import Capabilities, Delta, ModelReply, ModelRequest


@dataclass(frozen=True, kw_only=True, slots=True)
class Delayed:
    """A line of the script that takes its time, as real models do; `seconds` is before its first word."""

    seconds: float
    line: "Line"


# What a script may hold: a reply, text (the same as a reply that stops), an exception to raise, or a function of the
# request, sync or async, that gives one of these.
Line: TypeAlias = "ModelReply | str | BaseException | Delayed | Callable[[ModelRequest], Line | Awaitable[Line]]"


class ScriptError(AssertionError):
    """The script and what was asked for do not match."""


class ScriptedModel:
    """Gives the lines of a script in order, as `ModelReply`; streams them word by word when somebody watches.

    Args:
        script: one line for each time the model will be asked, see `Line`.
        capabilities: what it says about itself when opened; nothing is known by default.
        name: the name people see.
        retries: further calls that the engine may make after one that failed for a passing reason.

    Attributes:
        requests: what it was asked, in order.
        closed: how often it was closed.
    """

    def __init__(
        self,
        script: Sequence[Line] = (),
        *,
        capabilities: Capabilities | None = None,
        name: str = "scripted/model",
        retries: int = 0,
    ) -> None:
        self.retries = retries
        self.requests: list[ModelRequest] = []
        self.closed = 0
        self._script = tuple(script)
        self._capabilities = capabilities or Capabilities()
        self._name = name

    @property
    def name(self) -> str:
        """The name given to it."""
        return self._name

    async def open(self) -> Capabilities:
        """The declared capabilities, at once."""
        return self._capabilities

    async def ask(self, request: ModelRequest) -> AsyncGenerator[Delta | ModelReply, None]:
        """The next line of the script.

        Raises:
            ScriptError: the script has no further line, or the line is none of what `Line` lists.
        """
        # A copy: the engine goes on writing into the conversation it sends.
        self.requests.append(replace(request, messages=tuple(request.messages)))
        number = len(self.requests)
        if number > len(self._script):
            raise ScriptError(
                f"the script has {len(self._script)} replies, but reply {number} was asked for; "
                f"the last message was {request.messages[-1] if request.messages else None!r}"
            )
        reply = await _perform(self._script[number - 1], request)
        if request.stream:
            for piece in re.findall(r"\s*\S+|\s+$", reply.text):
                yield Delta(text=piece)
        yield reply

    async def close(self) -> None:
        """Count the call; there is nothing to let go of."""
        self.closed += 1

    def assert_complete(self) -> None:
        """Check that every line was asked for.

        Raises:
            ScriptError: the run ended before the script did.
        """
        unused = self._script[len(self.requests) :]
        if unused:
            raise ScriptError(
                f"{len(unused)} of {len(self._script)} scripted replies were never asked for, first {unused[0]!r}"
            )


async def _perform(line: Line, request: ModelRequest) -> ModelReply:
    match line:
        case ModelReply():
            return line
        case str():
            return ModelReply(text=line, finish_reason="stop")
        case BaseException():
            raise line
        case Delayed():
            await asyncio.sleep(line.seconds)
            return await _perform(line.line, request)
        case _ if callable(line):
            given = line(request)
            return await _perform(await given if inspect.isawaitable(given) else given, request)
        case _:
            raise ScriptError(f"a script holds replies, text, exceptions and functions, not {line!r}")
