"""What a reporter of diagnostics is given, and the parts of a report that several formats share."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from runner.diagnostics import Diagnostic
from runner.report.phrases import counted


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckReport:
    """What is told about a validation.

    Attributes:
        diagnostics: in the order of files and places.
        checked: the names of all files, in order.
        ok: whether the exit code is 0.
        seconds: how long it took.
        strict: whether warnings count as errors do.
        known: what is said of problems that are known and not told again: `3 known ones hidden by known.json`.
        notes: more that people should know, one line each.
        folder: the absolute folder that file names are relative to.
        root: the absolute root of the repository, which other programs want names relative to.
    """

    diagnostics: tuple[Diagnostic, ...]
    checked: tuple[str, ...]
    ok: bool
    seconds: float = 0.0
    strict: bool = False
    known: str = ""
    notes: tuple[str, ...] = ()
    folder: Path = field(default_factory=Path)
    root: Path = field(default_factory=Path)

    @property
    def errors(self) -> int:
        """How many diagnostics are errors."""
        return sum(each.severity == "error" for each in self.diagnostics)

    @property
    def warnings(self) -> int:
        """How many diagnostics are warnings."""
        return len(self.diagnostics) - self.errors

    def from_root(self, file: str) -> str:
        """A file's name relative to the root of the repository; absolute when it lies elsewhere."""
        path = os.path.normpath(self.folder / file)
        inside = os.path.relpath(path, self.root)
        return Path(path if inside == os.pardir or inside.startswith(os.pardir + os.sep) else inside).as_posix()


# (report, whether colours are wanted) -> the whole text, with a line end at its end.
Reporter = Callable[[CheckReport, bool], str]


def summary(report: CheckReport) -> str:
    """One line: `2 errors and 1 warning in 2 of 7 files (0.09 s)`.

    Where problems are known: `7 files, no new problems, 3 known ones hidden by known.json (0.09 s)`.
    """
    files, new = counted(len(report.checked), "file"), "new " if report.known else ""
    numbers = ((report.errors, f"{new}error"), (report.warnings, f"{new}warning"))
    found = [counted(number, noun) for number, noun in numbers if number]
    wrong = len({each.location.file for each in report.diagnostics})
    told = f"{' and '.join(found)} in {wrong} of {files}" if found else f"{files}, no {new}problems"
    told += f", {report.known}" if report.known else ""
    return f"{told} ({report.seconds:.2f} s)"


def told(diagnostic: Diagnostic) -> str:
    """The message, what to write instead, and the other places, in one sentence."""
    text = diagnostic.message + (f"; {diagnostic.suggestion}" if diagnostic.suggestion else "")
    places = ", ".join(f"{related.message} at {related.location}" for related in diagnostic.related)
    return f"{text} ({places})" if places else text
