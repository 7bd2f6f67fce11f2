"""The command `runner`."""

# Nothing more may stand here: the verb modules become attributes of this package, and `list` would hide the builtin.

import os
from collections.abc import Sequence
from typing import NoReturn

_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line `arguments` (default: the process's own) and end the process."""
    try:
        # Imported under the guard: they take most of the time in which nobody else would catch an interrupt.
        from runner.cli.endings import ending  # noqa: PLC0415 - see above
        from runner.cli.streams import leave, prepare  # noqa: PLC0415 - see above
        from runner.cli.verbs import cli  # noqa: PLC0415 - see above

        prepare()
        leave(ending(lambda: cli.main(args=arguments, prog_name="runner", standalone_mode=False)))
    except KeyboardInterrupt:
        os._exit(_INTERRUPTED)
