"""Tells whether a command line can be handed over to a warm process, and does so."""

# A run that finds no warm process pays for this module: nothing slow may be imported here.

import os
import sys

TYPE_CHECKING = False  # as type checkers know it; the module typing takes longer than all else here
if TYPE_CHECKING:
    from collections.abc import Sequence

_OFF = ("off", "0", "false", "no")
_VERBS = (("run",), ("chat",), ("sessions", "resume"))


def hand_over(arguments: "Sequence[str]") -> None:
    """Have a warm process carry out `arguments`, and end with its exit code; return if it has to be done here."""
    if sys.platform != "linux" or not any(tuple(arguments[: len(verb)]) == verb for verb in _VERBS):
        return
    if os.environ.get("RUNNER_WARM", "").lower() in _OFF:
        return
    from runner.warm.place import socket_path  # noqa: PLC0415 - most commands do not come here

    path = socket_path()
    if os.path.exists(path):  # noqa: PTH110 - pathlib is slow to import
        from runner.warm.handover import run  # noqa: PLC0415 - as above

        run(path, arguments)
