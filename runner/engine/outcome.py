"""How a run can end: signals inside the engine that the loop turns into `RunFinished`."""

from runner.engine.events import RunFinished, Status
from runner.engine.journal import JournalError
from runner.engine.ports import ConfigurationError, ModelError
from runner.engine.scope import Interrupted, OutOfTime, Signal
from runner.spec import Json

LIMITS: frozenset[Status] = frozenset(
    {"max_steps", "timeout", "max_tool_calls", "max_total_tokens", "max_cost", "repeated_calls"}
)


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


def ended_by(stop: Exception, *, step: int, timeout: float) -> Ended:
    """How a run ends that `stop` has ended in a step; `timeout` is the run's, in seconds."""
    match stop:
        case Ended():
            # Kept as a value it must not hold the frames of the run, one of which holds it.
            return stop.with_traceback(None)
        case OutOfTime():
            return Ended("timeout", f"time limit of {timeout:g} s reached in step {step}")
        case Interrupted():
            return Ended("interrupted", f"interrupted in step {step}")
        case ConfigurationError() | ModelError(configuration=True):
            return Ended("config_invalid", str(stop))
        case JournalError():
            return Ended("internal_error", str(stop))
        case _:
            return Ended("model_error", str(stop))


def not_begun(stop: Exception, signal: Signal | None) -> RunFinished:
    """The outcome of a run that ended before its first step."""
    if isinstance(stop, Interrupted):
        return RunFinished(status="interrupted", answer=None, error="interrupted before the first step", signal=signal)
    ended = ended_by(stop, step=0, timeout=0)
    return RunFinished(status=ended.status, answer=None, error=ended.message)
