"""Checks the comment that tells editors the schema of a file: `# yaml-language-server: $schema=…`."""

import json
import os
import re
import stat
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from runner.diagnostics import Diagnostic
from runner.language.document import Document
from runner.language.paths import place_of
from runner.language.source import Source

CODES = {"RUN316": "a schema for editors that is not this file's"}
# Of the comments that a file begins with: one further down may be text for a model.
_BEGINNING = re.compile(r"(?:[ \t]*(?:#[^\r\n]*|---[ \t]*|%[^\r\n]*)?(?:\r\n|\n|\r))*[ \t]*(?:#[^\r\n]*)?")
_MODELINE = re.compile(
    r"(?:^|(?<=[\r\n]))[ \t]*#[ \t]*yaml-language-server[ \t]*:[^\r\n]*?\$schema=(?P<schema>[^\s'\"]+)"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_TITLES = {"Agent": "agents", "Toolset": "toolsets", "Project": "runner.yaml", "Event": "events", "Result": "results"}
_KIND_OF = {"agent": "Agent", "toolset": "Toolset", "project": "Project"}
_LARGEST = 5_000_000


def check_modelines(document: Document, kind: str, root: Path) -> Iterator[Diagnostic]:
    """Warn of schemas that an editor cannot read from the project, or that are for other files.

    Args:
        document: read from a file.
        kind: `agent`, `toolset` or `project`.
        root: the root folder of its project.
    """
    if "$schema=" not in document.text:
        return
    beginning = _BEGINNING.match(document.text)
    source = Source(document.file, document.text)
    for found in _MODELINE.finditer(document.text, 0, beginning.end() if beginning else 0):
        message = _wrong(found["schema"], kind, place_of(document).parent)
        if message is not None:
            span = source.span(*found.span("schema"))
            suggestion = _right(kind, place_of(document).parent, root)
            yield source.diagnostic("RUN316", message, span, suggestion=suggestion, severity="warning")


def _wrong(schema: str, kind: str, folder: Path) -> str | None:
    scheme = _SCHEME.match(schema)
    if scheme is not None and scheme[0].lower() != "file:":
        return "this schema is fetched from elsewhere, which may be of another version than the runner"
    path = folder / (unquote(urlsplit(schema).path) if scheme else schema)
    try:
        state = path.stat()
        readable = stat.S_ISREG(state.st_mode) and state.st_size <= _LARGEST
        title = _title(path, state.st_mtime_ns) if readable else None
    except (OSError, ValueError):
        return f"there is no file '{schema}', seen from the folder of this one"
    if title is None:
        return f"'{schema}' is not a JSON Schema"
    if title in _TITLES and title != _KIND_OF[kind]:
        return f"this schema is for {_TITLES[title]}, expected the one for {_TITLES[_KIND_OF[kind]]}"
    return None


@lru_cache(maxsize=64)
def _title(path: Path, _changed: int) -> str | None:
    """The title of a schema, empty when it has none; None when the file is no schema."""
    try:
        schema = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return None
    return str(schema.get("title", "")) if isinstance(schema, dict) else None


def _right(kind: str, folder: Path, root: Path) -> str:
    schema = root / "schemas" / f"{kind}.schema.json"
    path = Path(os.path.relpath(schema, folder)).as_posix()
    if schema.is_file():
        return f"write $schema={path}"
    return f"run 'runner schema {kind} > schemas/{schema.name}' in the project's root, and write $schema={path}"
