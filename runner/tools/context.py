"""What a Python tool may know of the call it is in: `def search(q: str, ctx: ToolContext)`."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolLog:
    """Tells people how a call is getting on; the model does not see it. Safe from any thread, and never raises.

    Attributes:
        write: takes a level (`debug`, `info`, `warning`, `error`) and a message.
    """

    write: Callable[[str, str], None] = field(repr=False)

    def debug(self, message: object, *args: object) -> None:
        """Tell a detail; `args` fill the `%s` of the message, as in `logging`."""
        self.write("debug", _filled(message, args))

    def info(self, message: object, *args: object) -> None:
        """Tell about the progress."""
        self.write("info", _filled(message, args))

    def warning(self, message: object, *args: object) -> None:
        """Tell that something is not as it should be, though the call goes on."""
        self.write("warning", _filled(message, args))

    def error(self, message: object, *args: object) -> None:
        """Tell that something failed."""
        self.write("error", _filled(message, args))


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolContext:
    """The call a tool is in. A parameter annotated with this type is filled in by the runner, never by the model.

    Attributes:
        call_id: the call's id, as events name it.
        session: the session of the run; None when it has none.
        deadline: when the call has to be done, by the clock of `time.monotonic()`; see `remaining`.
        secrets: the values of the tool's `env`, `${VAR}` replaced; what came from the environment is masked in every
            log, event and result.
        log: becomes events of the run.
    """

    call_id: str
    session: str | None = None
    deadline: float
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    log: ToolLog

    @property
    def remaining(self) -> float:
        """Seconds until the deadline, never below 0."""
        return max(0.0, self.deadline - time.monotonic())


def _filled(message: object, args: tuple[object, ...]) -> str:
    try:
        return str(message) % args if args else str(message)
    except Exception as error:  # noqa: BLE001 - the author's own __str__, and a log must not fail a call
        return f"(a message that cannot be written: {type(error).__name__})"
