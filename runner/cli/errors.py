"""How a command says that something went wrong: a line on stderr, or a few."""

import os
import sys
import traceback
from typing import TextIO

import click

from runner.cli.streams import colours
from runner.report.phrases import visible

USAGE = 2
INTERNAL = 3
DEBUG = "RUNNER_DEBUG"


def complain(message: str, *, hint: str | None = None, to: TextIO | None = None) -> None:
    """Print `error: message` on stderr (or `to`), and the hint on a line of its own.

    Further lines of the message are indented, so that none can pass for a message of ours.
    """
    stream = to or sys.stderr
    label = click.style("error:", fg="red", bold=True) if colours(stream) else "error:"
    first, *more = message.split("\n")
    lines = [f"{label} {visible(first)}", *(f"  {visible(each)}" for each in [*more, *([hint] if hint else [])])]
    stream.write("".join(f"{line}\n" for line in lines))


def complain_usage(error: click.UsageError) -> int:
    """Print a usage error in two lines and return its exit code."""
    command = error.ctx.command_path if error.ctx else "runner"
    # click puts what may be chosen on lines of its own.
    complain(error.format_message().replace("\n\t", " "), hint=f"try: {command} --help")
    return USAGE


def complain_internal(error: Exception) -> int:
    """Print a mistake of ours in one line and return its exit code; RUNNER_DEBUG=1 adds the traceback."""
    complain(internal_message(error))
    return INTERNAL


def internal_message(error: Exception) -> str:
    """One line about a mistake of ours; prints the traceback first when RUNNER_DEBUG is set."""
    if os.environ.get(DEBUG):
        traceback.print_exception(error)
        return f"internal error: {type(error).__name__}: {error}"
    return f"internal error: {type(error).__name__}: {error} (set {DEBUG}=1 for the traceback)"
