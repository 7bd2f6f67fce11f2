"""Repairs the files of a project: which can be repaired, and how they are written back."""

import codecs
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.language.discovery import kind_of
from runner.language.document import is_special
from runner.language.fixing.drafts import Desk
from runner.language.fixing.fixers import FIXERS
from runner.language.fixing.repair import Repair, repair
from runner.language.paths import real_path
from runner.language.validation import ValidationReport, validate_paths


@dataclass(frozen=True, kw_only=True, slots=True)
class RepairedFile:
    """A file that can be repaired.

    Attributes:
        file: its name for people.
        path: where it is; a link stands for what it leads to.
        marked: whether it begins with a byte order mark, which is no part of the text.
    """

    file: str
    path: Path
    repair: Repair
    marked: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class RepairReport:
    """What can be repaired; `validation` is what was found before."""

    validation: ValidationReport
    files: tuple[RepairedFile, ...]


def repair_paths(paths: Sequence[Path]) -> RepairReport:
    """Work out the repairs of files, folders, or (no path) the whole project around the current folder.

    Nothing is written. Files that the named ones only refer to are left alone.
    """
    validation = validate_paths(paths)
    files = dict.fromkeys(each.location.file for each in validation.diagnostics if each.code in FIXERS)
    repaired = [_repaired(file) for file in files if _is_asked_for(Path(file), paths)]
    return RepairReport(validation=validation, files=tuple(each for each in repaired if each is not None))


def write_back(repaired: RepairedFile) -> None:
    """Write a repaired file: whole or not at all, with the mode bits it has.

    Raises:
        OSError: it cannot be written.
    """
    data = (codecs.BOM_UTF8 if repaired.marked else b"") + repaired.repair.after.encode()
    with repaired.path.open("r+b"):  # a file that may not be written stays as it is, though its folder may be written
        mode = repaired.path.stat().st_mode
    descriptor, name = tempfile.mkstemp(prefix=f".{repaired.path.name}.", dir=repaired.path.parent)
    written = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
        written.chmod(mode & 0o7777)
        written.replace(repaired.path)
    except OSError:
        written.unlink(missing_ok=True)
        raise


def _is_asked_for(path: Path, paths: Sequence[Path]) -> bool:
    real = real_path(path)
    return not paths or any(real.is_relative_to(real_path(each)) for each in paths)


def _repaired(file: str) -> RepairedFile | None:
    path = real_path(Path(file))
    try:
        if is_special(path) or path.is_dir():
            return None
        data = path.read_bytes()
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except (OSError, ValueError):  # the validation has said why, or it is a name that is no file's
        return None
    result = repair(text, Desk(path, kind_of(path)))
    if not result.fixes:
        return None
    return RepairedFile(file=file, path=path, repair=result, marked=data.startswith(codecs.BOM_UTF8))
