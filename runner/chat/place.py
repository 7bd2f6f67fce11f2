"""What a chat needs of the place it happens in."""

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import Protocol

from runner.diagnostics import Diagnostic
from runner.engine.approval import Approver
from runner.engine.events import Event, RunFinished
from runner.engine.scope import RunControl


@dataclass(frozen=True, kw_only=True, slots=True)
class Turning:
    """How a turn takes place; see `Agent.stream`."""

    watch: bool
    control: RunControl
    approver: Approver | None


# Begins a turn; the last event is `RunFinished`.
Turn = Callable[[Turning], AsyncGenerator[Event, None]]


class Place(Protocol):
    """Where the person is."""

    async def read(self) -> str:
        """The next thing written, one or more lines.

        Raises:
            EOFError: there will be nothing more.
        """

    async def show(self, turn: Turn, *, model: str) -> RunFinished:
        """Let a turn happen, show it, and return its outcome; errors of the turn are shown too.

        Raises:
            InputError: the turn cannot begin.
        """

    def tell(self, *lines: str) -> None:
        """Say something about the chat itself."""

    def complain(self, message: str, *, hint: str | None = None) -> None:
        """Say that something cannot be done."""

    def diagnose(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        """Say what is wrong with a file."""
