"""What somebody asks of an agent beside its files, as documents that can be laid over them."""

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace

from runner.diagnostics import Diagnostic, Location
from runner.language.document import Document, parse_document
from runner.spec import JsonObject


@dataclass(frozen=True, kw_only=True, slots=True)
class Override:
    """Keys of an agent that win over what its files say.

    Attributes:
        option: what messages name as their place, such as `--max-steps`.
        data: the keys, as an agent's file would have them; never changed.
    """

    option: str
    data: JsonObject


def document_of(override: Override, agent: Document) -> Document:
    """The override as a document beside the agent's own, so that relative paths in it mean the same."""
    empty, _ = parse_document(b"{}", display=override.option, path=agent.path)
    if empty is None:
        raise AssertionError("'{}' is a document")
    return replace(empty, text="", data=override.data)


def without_lines(diagnostics: Iterable[Diagnostic], options: Container[str]) -> Iterator[Diagnostic]:
    """The diagnostics, where those about an option have no line and column: it has none."""
    for each in diagnostics:
        related = tuple(replace(other, location=_bare(other.location, options)) for other in each.related)
        location = _bare(each.location, options)
        source = each.source if location is each.location else None
        yield replace(each, location=location, related=related, source=source)


def _bare(location: Location, options: Container[str]) -> Location:
    return Location(file=location.file) if location.file in options else location
