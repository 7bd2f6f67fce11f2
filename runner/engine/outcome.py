"""How a run can end before an answer: internal signals that the loop turns into `RunFinished`."""

from runner.engine.events import Status
from runner.spec import Json

LIMITS: frozenset[Status] = frozenset({"max_steps", "timeout", "max_tool_calls"})


class Ended(Exception):  # noqa: N818 - an outcome of the run, not an error
    """The run is over. `status` and the message (one line) go into `RunFinished`."""

    def __init__(
        self, status: Status, message: str | None = None, *, answer: str | None = None, output: Json = None
    ) -> None:
        super().__init__(message)
        self.status: Status = status
        self.message = message
        self.answer = answer
        self.output = output
