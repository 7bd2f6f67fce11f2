"""How files are named: by real path among ourselves, by a short one for people."""

import os
from pathlib import Path

from runner.language.document import Document
from runner.suggest import did_you_mean


def real_path(path: Path) -> Path:
    """The path with links followed, so that a file has one name; any path gives one."""
    try:
        return Path(os.path.realpath(path))
    except ValueError:  # a NUL in the name, which reading the file will report
        return path.absolute()


def place_of(document: Document) -> Path:
    """The real path of a document that was read from a file."""
    if document.path is None:
        raise ValueError(f"{document.file} was not read from a file")
    return document.path


def shown(path: Path) -> str:
    """A path as people here write it: relative to the current folder when inside of it."""
    try:
        return path.relative_to(Path.cwd()).as_posix() if path.is_absolute() else path.as_posix()
    except (ValueError, OSError):  # elsewhere; or the current folder is gone
        return path.as_posix()


def similar_name(path: Path) -> str | None:
    """`did you mean 'base.yaml'?`, a file beside one that is not there; None when there is none, or it is there."""
    try:
        return None if path.exists() else did_you_mean(path.name, [each.name for each in path.parent.iterdir()])
    except (OSError, ValueError):  # nobody may look there, or it is no name of a file
        return None
