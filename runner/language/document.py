"""A YAML document: its plain data, and where in the file each value stands."""

import pathlib
import stat
from dataclasses import dataclass, field

from runner.diagnostics import Diagnostic, Location, Related, Severity, Span
from runner.language.source import Path, Source
from runner.language.yaml12.decoding import MAX_BYTES, decode
from runner.language.yaml12.errors import explain
from runner.language.yaml12.nodes import Trouble, compose
from runner.language.yaml12.positions import Positions
from runner.language.yaml12.values import build
from runner.spec import Json, JsonObject

__all__ = ["CODES", "Document", "Path", "is_special", "parse_document", "read_document"]

CODES = {
    "RUN101": "the file cannot be read",
    "RUN102": "the file is not UTF-8 text",
    "RUN103": "the file is too large",
    "RUN104": "a control character in the text",
    "RUN105": "the file is empty",
    "RUN106": "the top level is not a mapping",
    "RUN107": "a mistake in the YAML syntax",
    "RUN108": "a tab used for indentation",
    "RUN109": "a value that must be quoted",
    "RUN110": "a key given twice",
    "RUN111": "a tag that is not allowed",
    "RUN112": "more than one document in a file",
    "RUN113": "an alias that cannot be followed",
    "RUN114": "aliases that expand to too much",
    "RUN115": "values nested too deep",
    "RUN116": "a key that is not text",
    "RUN117": "a number that JSON cannot hold",
    "RUN118": "a merge key without a mapping",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Document:
    """One YAML document whose top level is a mapping.

    Attributes:
        file: the name shown to people.
        path: absolute path, None for text that is in no file.
        text: the whole text, without a byte order mark.
        data: plain dicts, lists, strings, numbers, booleans and None. Aliased values may be the same object in several
            places, so it must not be changed.
    """

    file: str
    path: pathlib.Path | None
    text: str
    data: JsonObject
    _positions: Positions = field(repr=False, compare=False)

    def has(self, path: Path) -> bool:
        """Whether there is a value at `path`."""
        value: Json = self.data
        for step in path:
            if isinstance(value, dict):
                if step not in value:
                    return False
            elif not (isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value)):
                return False
            value = value[step]
        return True

    def span(self, path: Path, *, key: bool = False) -> Span:
        """Where the value at `path` stands, or its key.

        What has no key (a list's item, the document) is named by its first token, an empty value by its key. A path
        that does not exist is looked up as far as it does, and named by the key it ends at.
        """
        return self._positions.span(path, key=key)

    def inside(self, path: Path, start: int, end: int) -> Span:
        """Where characters `start` up to `end` of the string at `path` stand in the file."""
        return self._positions.inside(path, start, end)

    def line(self, number: int) -> str:
        """The text of a line, counted from 1, without its line end; empty past the end."""
        return self._positions.source.line(number)

    def diagnostic(  # noqa: PLR0913  a diagnostic has that many parts, most of them named and optional
        self,
        code: str,
        message: str,
        path: Path,
        *,
        key: bool = False,
        suggestion: str | None = None,
        severity: Severity = "error",
        related: tuple[Related, ...] = (),
    ) -> Diagnostic:
        """A problem with the value at `path`, or with its key."""
        return self._positions.source.diagnostic(
            code, message, self.span(path, key=key), suggestion=suggestion, severity=severity, related=related
        )


def read_document(path: pathlib.Path, *, display: str | None = None) -> tuple[Document | None, list[Diagnostic]]:
    """Read a file; `display` is the name shown, by default `path` relative to the current folder when inside it.

    The document is None when its text could not be understood as a mapping; it may be there along with errors.
    """
    file = _shown(path) if display is None else display
    try:
        if is_special(path):
            return None, [Diagnostic(code="RUN101", message="not a regular file", location=Location(file=file))]
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        return None, [Diagnostic(code="RUN101", message=_unreadable(error), location=Location(file=file))]
    return parse_document(data, display=file, path=path.absolute())


def is_special(path: pathlib.Path) -> bool:
    """Whether a pipe, a socket or a device stands there: opening it may wait for ever.

    Raises:
        OSError, ValueError: nobody can tell; nothing stands there, say.
    """
    mode = path.stat().st_mode
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def parse_document(
    data: bytes, *, display: str, path: pathlib.Path | None = None
) -> tuple[Document | None, list[Diagnostic]]:
    """Read the bytes of a file. No bytes make it raise; the document is as `read_document` says."""
    text = decode(data, display)
    if isinstance(text, Diagnostic):
        return None, [text]
    source = Source(display, text)
    tree = compose(text)
    if isinstance(tree, Trouble):
        return None, explain(tree, source)
    if tree is None:
        return None, [Diagnostic(code="RUN105", message="file is empty", location=Location(file=display))]
    content, problems = build(tree, source)
    if content is None:
        return None, problems
    return Document(file=display, path=path, text=text, data=content, _positions=Positions(source, tree)), problems


def _shown(path: pathlib.Path) -> str:
    if path.is_absolute():
        try:
            return path.relative_to(pathlib.Path.cwd()).as_posix()
        except (ValueError, OSError):  # elsewhere; or the current folder is gone
            pass
    return path.as_posix()


def _unreadable(error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError):
        return "file not found"
    if isinstance(error, IsADirectoryError):
        return "expected a file, found a folder"
    if isinstance(error, PermissionError):
        return "no permission to read it"
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"cannot read the file: {reason}"
