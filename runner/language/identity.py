"""What makes a problem the same one after the lines around it have moved."""

import re
from dataclasses import dataclass

from runner.diagnostics import Diagnostic

_LINE_NUMBER = re.compile(r"\bline \d+")


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class Identity:
    """A problem without its line number.

    Attributes:
        file: as the diagnostic names it, or as whoever compares does.
        line: the text of the line it stands on, without white space around it; empty for a file as a whole.
    """

    file: str
    code: str
    message: str
    line: str


def identity_of(diagnostic: Diagnostic, *, file: str | None = None) -> Identity:
    """The identity of a problem; `file` replaces the name of its file. Line numbers in the message do not count."""
    return Identity(
        file=diagnostic.location.file if file is None else file,
        code=diagnostic.code,
        message=_LINE_NUMBER.sub("line", diagnostic.message),
        line=(diagnostic.source or "").strip(),
    )
