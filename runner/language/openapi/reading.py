"""Files of OpenAPI documents -> their data, each read once, with the place of every value on request."""

import codecs
import json
import re
from functools import cached_property
from pathlib import Path as FilePath

from runner.diagnostics import Diagnostic, Location, Related, Severity
from runner.language.document import Document, Path, is_special, parse_document
from runner.language.paths import real_path, shown
from runner.language.project import PROJECT_FILE
from runner.spec import Json, JsonObject
from runner.suggest import did_you_mean

# Published documents have up to 12 MB as JSON. YAML is read as our own documents are, with their limit.
MAX_BYTES = 20_000_000
SUFFIXES = (".json", ".yaml", ".yml")
_NUMBER = re.compile(r"3\.[01](\..*)?")
_BEGINNING = 4_000
# Sorted documents begin with `components` or `info`; none of these is a key of ours.
_MARKER = re.compile(r"^(?:\{\s*)?['\"]?(?:openapi|swagger|components|info|paths)['\"]?[ \t]*:", re.MULTILINE)
_OURS = re.compile(r"^(?:\{\s*)?['\"]?kind['\"]?[ \t]*:", re.MULTILINE)


class SpecError(Exception):
    """An OpenAPI document cannot be used: a code, one line, and what to do."""

    def __init__(self, code: str, message: str, suggestion: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.suggestion = suggestion


class SpecTextError(Exception):
    """The text of an OpenAPI document cannot be understood; the problems have their places in that file."""

    def __init__(self, problems: list[Diagnostic]) -> None:
        super().__init__(problems[0].message)
        self.problems = problems


class SpecFile:
    """One file of an OpenAPI document.

    Attributes:
        path: its real path.
        file: its name as people here write it.
        data: its content; must not be changed.
    """

    def __init__(
        self, path: FilePath, text: bytes, data: JsonObject, document: Document | None, display: str | None = None
    ) -> None:
        self.path = path
        self.file = display or shown(path)
        self.data = data
        self._text = text
        self._read = document

    def at(self, path: FilePath) -> "SpecFile":
        """The same content in another file."""
        return SpecFile(path, self._text, self.data, None)

    @cached_property
    def _document(self) -> Document | None:
        """The document with its places: of JSON it is worked out only when there is a problem to show."""
        return self._read or parse_document(self._text, display=self.file, path=self.path)[0]

    def diagnostic(  # noqa: PLR0913  a diagnostic has that many parts, most of them named and optional
        self,
        code: str,
        message: str,
        path: Path,
        *,
        suggestion: str | None = None,
        severity: Severity = "error",
        related: tuple[Related, ...] = (),
    ) -> Diagnostic:
        """A problem with the value at `path`."""
        document = self._document
        if document is not None:
            return document.diagnostic(code, message, path, suggestion=suggestion, severity=severity, related=related)
        return Diagnostic(
            code=code,
            message=message,
            location=Location(file=self.file),
            suggestion=suggestion,
            severity=severity,
            related=related,
        )

    def location(self, path: Path) -> Location:
        """Where the value at `path` stands."""
        document = self._document
        return Location(file=self.file, span=None if document is None else document.span(path))


class SpecFiles:
    """The OpenAPI documents of one check; a file that has not changed is read once."""

    def __init__(self) -> None:
        self._known: dict[tuple[FilePath, int, int], SpecFile] = {}
        self._unwritten: dict[FilePath, SpecFile] = {}

    def hold(self, spec: SpecFile) -> None:
        """Take a document for the content of its file, which may not have been written yet."""
        self._unwritten[spec.path] = spec

    def read(self, path: FilePath, root: FilePath) -> SpecFile:
        """Read a file of the project whose root folder is `root`.

        Raises:
            SpecError: it is not there, lies outside of the project, or is too large.
            SpecTextError: its text cannot be understood.
        """
        real = real_path(path)
        if real in self._unwritten:
            return self._unwritten[real]
        if not real.is_relative_to(real_path(root)):
            raise SpecError("RUN521", f"{real} lies outside of the project, whose root is {root}")
        try:
            if is_special(real) or not real.is_file():
                raise SpecError("RUN521", f"{real} is not a regular file")
            state = real.stat()
            key = (real, state.st_mtime_ns, state.st_size)
            if key not in self._known:
                with real.open("rb") as stream:
                    self._known[key] = parse_spec(stream.read(MAX_BYTES + 1), real)
        except (OSError, ValueError) as error:  # ValueError: a NUL in the name
            raise SpecError("RUN521", _unreadable(real, error), _beside(real)) from None
        return self._known[key]


def parse_spec(text: bytes, path: FilePath, *, display: str | None = None) -> SpecFile:
    """Understand the bytes of a file; `path` names it, or `display` where it is no file (yet).

    A duplicate key and the like in somebody else's document is no reason to refuse it: the first counts.

    Raises:
        SpecError: there are too many bytes.
        SpecTextError: the text cannot be understood as a mapping.
    """
    if len(text) > MAX_BYTES:
        raise SpecError("RUN521", f"{display or shown(path)} is larger than {MAX_BYTES // 1_000_000} MB")
    data = _json(text)
    if data is not None:
        return SpecFile(path, text, data, None, display)
    document, problems = parse_document(text, display=display or shown(path), path=path)
    if document is None:
        raise SpecTextError(problems)
    return SpecFile(path, text, document.data, document, display)


def require_openapi(spec: SpecFile) -> None:
    """Make sure that a document is OpenAPI 3.0 or 3.1.

    Raises:
        SpecError: it is something else.
    """
    version = spec.data.get("openapi")
    if "swagger" in spec.data and version is None:
        found = f"{spec.file} is Swagger {spec.data['swagger']}, expected OpenAPI 3.0 or 3.1"
        raise SpecError("RUN522", found, "convert it to OpenAPI 3, with swagger2openapi or converter.swagger.io, say")
    if version is None:
        raise SpecError("RUN522", f"{spec.file} is no OpenAPI document: it has no 'openapi: 3.…'")
    if not _NUMBER.fullmatch(str(version)):
        raise SpecError("RUN522", f"{spec.file} is OpenAPI {version}, expected 3.0 or 3.1")
    if not isinstance(spec.data.get("paths"), dict):
        raise SpecError("RUN522", f"{spec.file} has no 'paths', so there are no operations in it")


def looks_like_openapi(path: FilePath) -> bool:
    """Whether the first lines of a file are those of an OpenAPI document, so that it is no document of ours."""
    try:
        if is_special(path):
            return False
        with path.open("rb") as stream:
            return _MARKER.search(stream.read(_BEGINNING).decode("utf-8-sig", errors="replace")) is not None
    except (OSError, ValueError):  # reading it will tell what is wrong
        return False


def _json(text: bytes) -> JsonObject | None:
    """The object that JSON text holds: json is thirty times as fast as YAML, which explains what is wrong better."""
    if text.removeprefix(codecs.BOM_UTF8).lstrip()[:1] != b"{":
        return None
    try:
        data: Json = json.loads(text.removeprefix(codecs.BOM_UTF8).decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _no_constant(name: str) -> Json:
    raise ValueError(name)


def _unreadable(path: FilePath, error: OSError | ValueError) -> str:
    reason = (isinstance(error, OSError) and error.strerror) or str(error)
    return f"cannot read the OpenAPI document: {reason.lower()} (looked for {path})"


def _is_ours(path: FilePath) -> bool:
    """Whether a file is written in our language, so that it is none of an OpenAPI document."""
    if path.name == PROJECT_FILE or is_special(path):
        return True
    with path.open("rb") as stream:
        return _OURS.search(stream.read(_BEGINNING).decode("utf-8-sig", errors="replace")) is not None


def _beside(path: FilePath) -> str | None:
    try:
        names = [each.name for each in path.parent.iterdir() if each.suffix in SUFFIXES and not _is_ours(each)]
    except (OSError, ValueError):
        return None
    return did_you_mean(path.name, names)
