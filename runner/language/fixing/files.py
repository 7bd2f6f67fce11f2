"""Repairs the files of a project: which can be repaired, and how they are written back."""

import codecs
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.language.document import is_special
from runner.language.fixing.drafts import make_draft
from runner.language.fixing.fixers import FIXERS
from runner.language.fixing.repair import Repair, repair
from runner.language.paths import real_path
from runner.language.project import find_root
from runner.language.validation import ValidationReport, validate_paths


@dataclass(frozen=True, kw_only=True, slots=True)
class RepairedFile:
    """A file that can be repaired.

    Attributes:
        file: its name for people.
        path: where it is; a link stands for what it leads to.
    """

    file: str
    path: Path
    repair: Repair


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
    read = {file: _read(Path(file)) for file in files if _is_asked_for(Path(file), paths)}
    texts = {file: text for file, text in read.items() if text is not None}
    repairs = repair({Path(file): make_draft(Path(file), text, validation.diagnostics) for file, text in texts.items()})
    repaired = [RepairedFile(file=file, path=real_path(Path(file)), repair=repairs[Path(file)]) for file in texts]
    return RepairReport(validation=validation, files=tuple(each for each in repaired if each.repair.fixes))


def write_back(repaired: RepairedFile) -> None:
    """Write a repaired file: whole or not at all, with the mode bits it has.

    Raises:
        OSError: it cannot be written.
    """
    with repaired.path.open("r+b") as stream:  # refused if the file may not be written, though its folder may be
        mark = stream.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8
        mode = repaired.path.stat().st_mode
    descriptor, name = tempfile.mkstemp(prefix=f".{repaired.path.name}.", dir=repaired.path.parent)
    written = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write((codecs.BOM_UTF8 if mark else b"") + repaired.repair.after.encode())
        written.chmod(mode & 0o7777)
        written.replace(repaired.path)
    except OSError:
        written.unlink(missing_ok=True)
        raise


def _is_asked_for(path: Path, paths: Sequence[Path]) -> bool:
    asked = paths or [find_root(Path.cwd())]
    return any(real_path(path).is_relative_to(real_path(each)) for each in asked)


def _read(path: Path) -> str | None:
    """The text of a file without a byte order mark; None of what is no text file, as the validation has said."""
    try:
        return None if is_special(path) else path.read_bytes().removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except (OSError, ValueError):
        return None
