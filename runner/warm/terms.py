"""What a warm process is told by whoever starts it."""

import importlib
import json
import subprocess
import sys
from dataclasses import asdict, dataclass, replace
from typing import Self

# The time comes first: a file that changes after it may have been read before or after.
_BOOT = (
    "import sys, time; began = time.time_ns(); import json; terms = json.loads(sys.argv[1]); "
    "sys.path[:] = terms['sys_path']; from runner.warm.terms import boot; boot(terms, began)"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Terms:
    """What it is told.

    Attributes:
        module: its `main`, called with these terms, calls `live`.
        path: the socket.
        idle: seconds without work after which it ends.
        lock: a descriptor, to be closed when it listens.
        sys_path: where its modules are.
        began: when it began, in nanoseconds; 0 until it has.
    """

    module: str
    path: str
    idle: float
    lock: int
    sys_path: list[str]
    began: int = 0

    def command(self) -> list[str]:
        """The command line of a warm process with the Python of this one."""
        # As `multiprocessing` does it: there is no public way to have the same flags.
        flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]  # noqa: SLF001 - see above
        return [sys.executable, *flags, "-c", _BOOT, json.dumps(asdict(self))]

    def again(self, *, idle: float, lock: int) -> Self:
        """Those of the process that takes over."""
        return replace(self, idle=idle, lock=lock, began=0)


def boot(terms: dict[str, object], began: int) -> None:
    """Begin as a warm process."""
    found = Terms(**{**terms, "began": began})  # type: ignore[arg-type]  # made by `command`
    importlib.import_module(found.module).main(found)
