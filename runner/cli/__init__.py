"""The command `runner`."""

# Nothing more may stand here: the verb modules become attributes of this package, and `list` would hide the builtin.
# And nothing slow: until `main` is called nobody catches an interrupt.

import os
import sys

TYPE_CHECKING = False  # as type checkers know it; the module typing takes longer than all else here
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

_INTERRUPTED = 130


def main(arguments: "Sequence[str] | None" = None, *, warm: bool = True) -> "NoReturn":
    """Run the command line `arguments` (default: the process's own) and end the process.

    With `warm` a process that has loaded everything may do it, if there is one.
    """
    signals = None
    try:
        # Imported under the guard: they take most of the time in which nobody else would hear a signal.
        from runner.cli.early_signals import EarlySignals  # noqa: PLC0415 - see above

        signals = EarlySignals()
        signals.listen()
        if warm:
            from runner.warm.client import hand_over  # noqa: PLC0415 - see above

            hand_over(sys.argv[1:] if arguments is None else arguments)
        from runner.cli.endings import ending  # noqa: PLC0415 - see above
        from runner.cli.streams import leave, prepare  # noqa: PLC0415 - see above
        from runner.cli.verbs import cli  # noqa: PLC0415 - see above

        prepare()
        signals.allow_for_cleaning_up()
        code = ending(lambda: cli.main(args=arguments, prog_name="runner", standalone_mode=False))
        # Both signals raise KeyboardInterrupt; which one it was, only they know.
        leave(signals.code if code == _INTERRUPTED else code)
    except KeyboardInterrupt:
        os._exit(_INTERRUPTED if signals is None else signals.code)
