"""What a chat needs: an agent, and a place where the person is."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from runner.diagnostics import Diagnostic
from runner.engine.approval import Approver
from runner.engine.events import Event, RunFinished
from runner.engine.scope import RunControl
from runner.sessions.session import Session
from runner.spec import AgentSpec


@dataclass(frozen=True, kw_only=True, slots=True)
class Turning:
    """How a turn takes place; see `Agent.stream`."""

    watch: bool
    control: RunControl
    approver: Approver | None


# Begins a turn; the last event is `RunFinished`.
Turn = Callable[[Turning], AsyncGenerator[Event, None]]


class Agent(Protocol):
    """Who is talked to; `runner.agent.Agent` is the real one."""

    @property
    def spec(self) -> AgentSpec:
        """The compiled agent."""

    def stream(  # noqa: PLR0913 - as the real one
        self,
        text: str | None = None,
        *,
        inputs: Mapping[str, object] | None = None,
        watch: bool = True,
        control: RunControl | None = None,
        approver: Approver | None = None,
        session: Session | None = None,
        lessons: Sequence[str] = (),
    ) -> AsyncGenerator[Event, None]:
        """Let it answer; the last event is `RunFinished`."""

    def resume(  # noqa: PLR0913 - as the real one
        self,
        session: Session,
        *,
        inputs: Mapping[str, object] | None = None,
        watch: bool = True,
        control: RunControl | None = None,
        approver: Approver | None = None,
        lessons: Sequence[str] = (),
    ) -> AsyncGenerator[Event, None]:
        """Go on with the unfinished run of a session; the last event is `RunFinished`."""


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
