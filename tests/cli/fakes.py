"""Stand-ins for what the command line is given: an agent, and the standard streams."""

import io
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from pathlib import Path

from runner.engine.approval import Approver, Decision
from runner.engine.events import Event
from runner.engine.scope import RunControl
from runner.environment import Secrets
from runner.language.overrides import Override
from runner.sessions.session import Session
from runner.spec import AgentSpec, InputSpec, ModelSpec, ProjectSpec, Text

# Runs a command line: exit code, stdout, stderr.
Invoke = Callable[..., tuple[int, str, str]]

SPEC = AgentSpec(
    name="clock",
    file="/project/agents.d/clock.yaml",
    project=ProjectSpec(root="/project", tools_folder="/project/tools.d"),
    model=ModelSpec(name="local/smollm2"),
    inputs=(
        InputSpec(name="city", schema={"type": "string", "default": "Rome"}),
        InputSpec(name="days", schema={"type": "integer", "default": 1}),
    ),
    prompt=Text(value="{{ input }}", origin="clock.yaml:1"),
)


class FakeAgent:
    """An agent whose run is known beforehand; remembers how it was loaded and asked."""

    def __init__(
        self, events: Sequence[Event | Exception], *, needs_text: bool = False, closing: Exception | None = None
    ) -> None:
        self.spec = SPEC
        self.needs_text = needs_text
        self.secrets = Secrets()
        self.loaded: tuple[Path, Sequence[Override]] | None = None
        self.asked: list[tuple[str | None, Mapping[str, object] | None, bool]] = []
        self.approver: Approver | None = None
        self.session: Session | None = None
        self.decisions: Mapping[str, Decision] | None = None
        self.told = 0
        self.closed = False
        self._events = events
        self._closing = closing

    def load(self, path: Path, *, overrides: Sequence[Override] = ()) -> "FakeAgent":
        """Stand in for `load_agent`."""
        self.loaded = (path, overrides)
        return self

    def stream(
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
        """Tell the known events; an exception among them is raised in its place."""
        self.asked.append((text, inputs, watch))
        self.approver, self.session = approver, session
        return self._tell()

    def resume(
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
        """Tell the known events as well."""
        self.approver, self.session, self.decisions = approver, session, decisions
        return self._tell()

    async def _tell(self) -> AsyncGenerator[Event, None]:
        try:
            for event in self._events:
                if isinstance(event, Exception):
                    raise event
                self.told += 1
                yield event
        finally:
            self.closed = True
            if self._closing is not None:
                raise self._closing


class Terminal(io.StringIO):
    """A text stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Yes."""
        return True


class TerminalBytes(io.BytesIO):
    """A byte stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Yes."""
        return True


class Broken(io.BytesIO):
    """A byte stream that fails as the operating system would."""

    def __init__(self, error: OSError, *, after: int = 0) -> None:
        super().__init__()
        self._error = error
        self._left = after

    def write(self, data: object, /) -> int:
        """Fail once the first writes are used up."""
        if self._left == 0:
            raise self._error
        self._left -= 1
        return memoryview(data).nbytes  # type: ignore[arg-type] # bytes-like is all that is ever written
