"""What a person asked for with `runner run` or `runner sessions resume`, and the agent that carries it out."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from runner.cli.verdicts import Verdict
from runner.engine.approval import Approver, Decision
from runner.engine.events import Event
from runner.engine.scope import RunControl
from runner.environment import Secrets
from runner.language.overrides import Override
from runner.sessions.session import Session
from runner.spec import AgentSpec

Approve = Literal["ask", "all", "none"]


class Agent(Protocol):
    """What is run; `runner.agent.Agent` is the real one."""

    @property
    def spec(self) -> AgentSpec:
        """The compiled agent."""

    @property
    def needs_text(self) -> bool:
        """Whether its templates use the text of the command line."""

    @property
    def secrets(self) -> Secrets:
        """What must not be shown."""

    def stream(  # noqa: PLR0913 - as in the real one
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
        """Run it; the last event is `RunFinished`."""

    def resume(  # noqa: PLR0913 - as in the real one
        self,
        session: Session,
        *,
        decisions: Mapping[str, Decision] | None = None,
        inputs: Mapping[str, object] | None = None,
        watch: bool = True,
        control: RunControl | None = None,
        approver: Approver | None = None,
        lessons: Sequence[str] = (),
    ) -> AsyncGenerator[Event, None]:
        """Go on with the unfinished run of a session; the last event is `RunFinished`."""


class Load(Protocol):
    """Loads an agent; `runner.agent.load_agent` is the real one."""

    def __call__(self, path: Path, *, overrides: Sequence[Override] = ()) -> Agent:
        """Compile the agent of a file.

        Raises:
            InvalidAgent: the file, one it names, or an override is wrong.
        """


@dataclass(frozen=True, kw_only=True, slots=True)
class Manner:
    """How a run is to be done.

    Attributes:
        overrides: what wins over what the agent's file says.
        output: a key of `OUTPUTS`.
        approve: who decides about tool calls that need it; None means a person at the terminal, or else nobody.
        wait: seconds to wait for a session that is in use; None fails at once.
    """

    overrides: Sequence[Override] = ()
    output: str = "text"
    quiet: bool = False
    verbose: bool = False
    approve: Approve | None = None
    wait: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Order(Manner):
    """A new run.

    Attributes:
        text: INPUT, None when it was not given.
        assignments: the inputs as `name=value`.
        session: the id of the conversation it belongs to; None means it is its own.
    """

    file: Path
    text: str | None = None
    assignments: Sequence[str] = ()
    session: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Resumption(Manner):
    """Going on with the unfinished run of a session.

    Attributes:
        session: its id.
        states: the folder that holds the sessions.
        file: where the agent is now; None means where it was.
        verdicts: what the person decided about calls that wait.
        assignments: inputs as `name=value` that win over those that the run began with.
    """

    session: str
    states: Path
    file: Path | None = None
    verdicts: Sequence[Verdict] = ()
    assignments: Sequence[str] = ()
