"""Says in words what went wrong in a tool's own code, without tracebacks and without telling where the project lies."""

import os
import traceback
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

# Of the exceptions in a group.
_MAX_TOLD = 20


class ToolLoadError(Exception):
    """A tool cannot be opened; the message is one line for the person who declared or wrote it."""


def described(error: BaseException, folders: Iterable[Path] = ()) -> str:
    """The kind and message of an exception, `ValueError: no such city`.

    Args:
        error: what was raised; of a group, the exceptions inside it are told.
        folders: absolute paths that are cut off the files named in the message.
    """
    if isinstance(error, BaseExceptionGroup):
        told = [described(inner, folders) for inner in islice(_inside(error), _MAX_TOLD + 1)]
        return "; ".join([*told[:_MAX_TOLD], "…"] if len(told) > _MAX_TOLD else told)
    if isinstance(error, SystemExit):
        return f"tool called exit({_text(error)})"
    text = _text(error)
    for folder in sorted(folders, key=lambda folder: len(folder.parts), reverse=True):
        if folder != folder.parent:  # in a container a project may lie at the top of the file system
            text = text.replace(f"{folder}{os.sep}", "")
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def place(error: BaseException, roots: Sequence[Path]) -> tuple[Path, int] | None:
    """File and line of the last line under one of `roots` that the exception passed through, if there is one.

    A syntax error is where the text is wrong, not where the import of it is.
    """
    if isinstance(error, SyntaxError) and error.filename and Path(error.filename).is_file():
        return Path(error.filename), error.lineno or 1
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        if any(file.is_relative_to(root) and "site-packages" not in file.relative_to(root).parts for root in roots):
            return file, frame.lineno or 1
    return None


def shown(path: Path, root: Path) -> str:
    """A path as the people of the project write it: relative to its root if it is inside."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def _inside(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    """The exceptions in a group, however deep: groups can be nested deeper than functions."""
    waiting: list[BaseException] = [group]
    while waiting:
        error = waiting.pop()
        if isinstance(error, BaseExceptionGroup):
            waiting.extend(reversed(error.exceptions))
        else:
            yield error


def _text(error: BaseException) -> str:
    try:
        return str(error).strip()
    except BaseException:  # noqa: BLE001 - an exception's __str__ is its author's code, and may fail or exit too
        return ""
