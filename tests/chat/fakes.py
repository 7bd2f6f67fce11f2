"""Stand-ins for the place of a chat and for who decides about tool calls."""

from collections.abc import Sequence
from contextlib import aclosing

from runner.chat.ports import Turn, Turning
from runner.diagnostics import Diagnostic
from runner.engine.approval import ApprovalRequest, Approved, Decision, Deferred
from runner.engine.events import ModelDelta, RunFinished
from runner.engine.scope import RunControl


class Desk:
    """A place where everything is known beforehand; remembers what was shown.

    A turn is interrupted at its first piece of a reply when the model is told to `wait`.
    """

    def __init__(self, *written: str, decisions: Sequence[Decision] = ()) -> None:
        self._written = list(written)
        self._decisions = list(decisions)
        self.told: list[str] = []
        self.refused: list[tuple[str, str | None]] = []
        self.finished: list[RunFinished] = []
        self.models: list[str] = []

    @property
    def answers(self) -> list[str | None]:
        """The answers of the turns."""
        return [finished.answer for finished in self.finished]

    async def read(self) -> str:
        """The next text."""
        if not self._written:
            raise EOFError
        return self._written.pop(0)

    async def show(self, turn: Turn, *, model: str) -> RunFinished:
        """Let a turn happen."""
        self.models.append(model)
        control = RunControl()
        async with aclosing(turn(Turning(watch=True, control=control, approver=self))) as events:
            async for event in events:
                if isinstance(event, ModelDelta) and event.text.startswith("It is half"):
                    control.interrupt("SIGINT")
                if isinstance(event, RunFinished):
                    self.finished.append(event)
        return self.finished[-1]

    async def decide(self, request: ApprovalRequest) -> Decision:
        """The next decision; without one it is left open."""
        del request
        return self._decisions.pop(0) if self._decisions else Deferred()

    def tell(self, *lines: str) -> None:
        """Remember it."""
        self.told += lines

    def complain(self, message: str, *, hint: str | None = None) -> None:
        """Remember it."""
        self.refused.append((message, hint))

    def diagnose(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        """Remember it."""
        self.refused += [(diagnostic.message, None) for diagnostic in diagnostics]


YES = Approved(by="ann")
