"""What the person typed, as UTF-8 text."""

import os
import sys
from pathlib import Path

import click

# More of a name is not shown in messages.
NAME_CHARACTERS = 200


def here() -> Path:
    """The current folder.

    Raises:
        click.UsageError: it has been deleted, or nobody may look into it.
    """
    try:
        return Path.cwd()
    except OSError as error:
        raise click.UsageError(f"the current folder cannot be used: {error.strerror}") from None


def typed(text: str) -> str:
    """An argument as its UTF-8 text, also when the locale made Python read its bytes as something else."""
    return os.fsencode(text).decode("utf-8", "replace")


def input_text(argument: str | None) -> str | None:
    """The INPUT argument: itself, or all of stdin for `-` without its last line break.

    Raises:
        click.UsageError: stdin is closed or not UTF-8.
    """
    if argument != "-":
        return None if argument is None else typed(argument)
    if sys.stdin is None:
        raise click.UsageError("INPUT is - but standard input is closed")
    try:
        text = sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise click.UsageError(f"standard input is not UTF-8: byte {error.start + 1} cannot be read") from None
    return text.removesuffix("\n").removesuffix("\r")
