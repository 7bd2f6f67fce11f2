"""The command `runner`."""

# Nothing more may stand here: the verb modules become attributes of this package, and `list` would hide the builtin.

from collections.abc import Sequence
from typing import NoReturn

from runner.cli.endings import ending
from runner.cli.streams import leave, prepare
from runner.cli.verbs import cli


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line `arguments` (default: the process's own) and end the process."""
    prepare()
    leave(ending(lambda: cli.main(args=arguments, prog_name="runner", standalone_mode=False)))
