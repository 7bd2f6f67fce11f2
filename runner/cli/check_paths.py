"""What `runner validate` is asked to check: paths, patterns, or a text on standard input."""

import glob
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click

from runner.language.project import PROJECT_FILE
from runner.language.yaml12.decoding import MAX_BYTES

_STDIN = "-"
_NAMELESS = "<stdin>"


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What to check; `unsaved` are texts to take instead of the files of these names."""

    paths: tuple[Path, ...]
    unsaved: Mapping[Path, bytes] = field(default_factory=dict)


def asked(words: Sequence[str], stdin_filename: str | None) -> Asked:
    """Read the paths on the command line.

    Raises:
        click.UsageError: `-` and `--stdin-filename` do not go together with the rest, or stdin is closed.
    """
    if _STDIN not in words:
        if stdin_filename is not None:
            raise click.UsageError("--stdin-filename names the text on standard input: give - as the PATH")
        return Asked(paths=tuple(Path(path) for word in words for path in _expanded(word)))
    if len(words) > 1:
        raise click.UsageError("- is standard input, and cannot be checked together with other paths")
    path = Path(stdin_filename or _NAMELESS)
    if path.name == PROJECT_FILE:
        raise click.UsageError(f"{PROJECT_FILE} can only be checked as a file: {_STDIN} takes agents and toolsets")
    if sys.stdin is None:
        raise click.UsageError("PATH is - but standard input is closed")
    return Asked(paths=(path,), unsaved={path: sys.stdin.buffer.read(MAX_BYTES + 1)})


def _expanded(word: str) -> Iterator[str]:
    """A pattern that no shell has expanded (in a CI file, or on Windows) stands for what it matches."""
    if os.path.exists(word) or not glob.has_magic(word):  # noqa: PTH110 - the method raises where nobody may look
        yield word
    else:
        found = sorted(glob.glob(word, recursive=True))  # noqa: PTH207 - the method takes no absolute patterns
        yield from found or [word]
