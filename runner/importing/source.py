"""The file of another tool: its data, and a text behind it when there is one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path as FilePath

from runner.diagnostics import Diagnostic
from runner.language.document import Document, is_special, parse_document
from runner.language.paths import shown
from runner.language.yaml12.decoding import MAX_BYTES, decode
from runner.spec import JsonObject

# `---`, YAML, `---`, text.
_FRONT_MATTER = re.compile(
    r"\A---[ \t]*\r?\n(?P<front>.*?)^---[ \t]*(?:\r?\n|\Z)(?P<body>.*)\Z", re.DOTALL | re.MULTILINE
)


class UnreadableError(Exception):
    """A file cannot be read as what it should be; `diagnostics` say why."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__(f"{len(diagnostics)} problems")
        self.diagnostics = diagnostics


@dataclass(frozen=True, kw_only=True, slots=True)
class ForeignFile:
    """A file of another tool.

    Attributes:
        name: its name for people.
        path: where it is.
        document: the YAML (or JSON) in it.
        body: the text behind the front matter; None when the file is all YAML.
        body_line: the line where that begins, counted from 1.
    """

    name: str
    path: FilePath
    document: Document
    body: str | None = None
    body_line: int = 0

    @property
    def data(self) -> JsonObject:
        """The content of the document."""
        return self.document.data


def read_foreign(path: FilePath) -> ForeignFile:
    """Read a file of another tool.

    Raises:
        UnreadableError: it cannot be read, or is no YAML with a mapping at the top.
        OSError, ValueError: there is no such file, or nobody may read it.
    """
    name = shown(path)
    if is_special(path):
        raise OSError(None, "it is not a regular file")
    with path.open("rb") as stream:
        text = decode(stream.read(MAX_BYTES + 1), name)
    if isinstance(text, Diagnostic):
        raise UnreadableError((text,))
    matter = _FRONT_MATTER.match(text)
    has_body = matter is not None and (matter["body"].strip() != "" or path.suffix == ".prompty")
    # The line of the opening `---` stays, so that lines count as in the file.
    yaml = f"\n{matter['front']}" if matter and has_body else text
    document, problems = parse_document(yaml.encode(), display=name, path=path.absolute())
    if document is None or any(_errors(problems)):
        raise UnreadableError(tuple(problems))
    if matter is None or not has_body:
        return ForeignFile(name=name, path=path, document=document)
    line = text.count("\n", 0, matter.start("body")) + 1
    return ForeignFile(name=name, path=path, document=document, body=matter["body"], body_line=line)


def _errors(problems: list[Diagnostic]) -> Iterator[Diagnostic]:
    return (each for each in problems if each.severity == "error")
