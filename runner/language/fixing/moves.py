"""Repairs keys that stand in the wrong mapping: `max_turns: 5` becomes `limits: {max_steps: 5}`."""

import re

from runner.diagnostics import Span
from runner.language.document import Document
from runner.language.fixing.edits import Edit, Fix
from runner.language.fixing.mistake import Mistake
from runner.language.source import Path
from runner.spec import JsonObject

# What may be left out, so that a mapping with one key is all right. A new `model` would lack its name.
_MAY_BE_NEW = ("limits", "context", "response")
# What may be a text, which is short for a mapping with that one key.
_SHORT_FOR = {"model": "name"}
_STEP = "  "
# In a mapping in braces: anchors, aliases, merged keys and comments.
_ELSEWHERE = re.compile(r"[&*#]|<<")
# Values that end by themselves wherever they stand, and what ends others inside of braces.
_CLOSED = ("'", '"', "[", "{")
_ENDS_IN_BRACES = re.compile(r"[][{},&*!|>]")


def move(mistake: Mistake) -> Fix | None:
    """Move a key of one line into the mapping that has it here.

    That is a block mapping of the same file, which gets another line; one in braces, which gets another entry; a text
    that is short for a mapping, which is written in full; or, when there is none, a new one in the place of the key.
    Everything else (an alias, what is merged, a key that is there already) is left to people.
    """
    if mistake.path is None or not mistake.on_key or mistake.our_word is None:
        return None
    section, dot, name = mistake.our_word.partition(".")
    key = str(mistake.path[-1])
    name = key if name == "*" else name
    if not dot or not name.isidentifier() or not _has_own_line(mistake):
        return None
    what = f"'{key}' is now '{section}.{name}'"
    if section not in mistake.mapping:
        edits = _new_section(mistake, section, name) if section in _MAY_BE_NEW else None
    elif section in _SHORT_FOR and isinstance(mistake.mapping[section], str):
        edits = _into_short(mistake, (*mistake.path[:-1], section), name)
    else:
        edits = _into_section(mistake, (*mistake.path[:-1], section), name)
    return Fix(what=what, edits=edits) if edits else None


def _has_own_line(mistake: Mistake) -> bool:
    """Whether the line is the key, its value on the same line, and nothing before it."""
    document = mistake.places.document
    if document is None or mistake.path is None:
        return False
    value = document.span(mistake.path)
    return _begins_line(document, mistake.span) and value != mistake.span and value.end_line == mistake.span.line


def _begins_line(document: Document, span: Span) -> bool:
    return not document.line(span.line)[: span.column - 1].strip(" ")


def _new_section(mistake: Mistake, section: str, name: str) -> tuple[Edit, ...]:
    start, end = mistake.offsets
    indent = " " * (mistake.span.column - 1)
    return (Edit(start=start, end=end, text=f"{section}:{mistake.places.newline(end)}{indent}{_STEP}{name}"),)


def _into_short(mistake: Mistake, section: Path, name: str) -> tuple[Edit, ...] | None:
    """`model: a/b` becomes `model:` with `name: a/b` and the moved key below."""
    places, document = mistake.places, mistake.places.document
    if document is None or not _begins_line(document, document.span(section, key=True)):
        return None
    key, value = document.span(section, key=True), document.span(section)
    (_, key_end), (value_start, value_end) = places.offsets(key), places.offsets(value)
    if value.line != value.end_line or places.text[key_end:value_start].strip(" ") != ":":
        return None  # an anchor, a tag, or a text over several lines
    newline, indent = places.newline(key_end), " " * (key.column - 1) + _STEP
    written = Edit(start=key_end, end=value_start, text=f":{newline}{indent}{_SHORT_FOR[str(section[-1])]}: ")
    return (written, *_line_moved(mistake, value_end, f"{indent}{name}"))


def _line_moved(mistake: Mistake, behind: int, key: str) -> tuple[Edit, Edit]:
    """The line of the mistake goes below the line that holds `behind`; `key` is what it begins with there."""
    places = mistake.places
    start, end = mistake.offsets
    place, newline = places.next_line(behind), places.newline(behind)
    added = key + places.text[end : places.line_end(end)]
    added = f"{added}{newline}" if places.text[:place].endswith(("\n", "\r")) else f"{newline}{added}"
    gone = Edit(start=places.line_start(start), end=places.next_line(end), text="")
    return gone, Edit(start=place, end=place, text=added)


def _into_section(mistake: Mistake, section: Path, name: str) -> tuple[Edit, ...] | None:
    places, document = mistake.places, mistake.places.document
    inside = mistake.reach(section)
    if document is None or not isinstance(inside, dict) or name in inside:
        return None
    start, end = places.offsets(document.span(section))
    if places.text[start : start + 1] == "{":
        return _into_braces(mistake, section, name)
    if not inside or not _is_block(document, section, inside):
        return None
    column = document.span((*section, next(iter(inside))), key=True).column
    return _line_moved(mistake, end, f"{' ' * (column - 1)}{name}")


def _into_braces(mistake: Mistake, section: Path, name: str) -> tuple[Edit, ...] | None:
    """`{max_steps: 3}` becomes `{max_steps: 3, timeout: 30s}`; a comment beside the moved key stays where it is."""
    places, document = mistake.places, mistake.places.document
    if document is None or mistake.path is None:
        return None
    start, end = places.offsets(document.span(section))
    value_start, value_end = places.offsets(document.span(mistake.path))
    key_end, value = mistake.offsets[1], places.text[value_start:value_end]
    # What stands elsewhere (an alias, merged keys), and what would be read otherwise inside of braces.
    if _ELSEWHERE.search(places.text[start:end]) or (value[:1] not in _CLOSED and _ENDS_IN_BRACES.search(value)):
        return None
    if places.text[key_end:value_start].strip(" ") != ":":
        return None  # an anchor or a tag
    keys = list(mistake.reach(section) or {})
    entry = f"{', ' if keys else ''}{name}: {value}"
    place = start + 1
    if keys:
        last = (*section, keys[-1])
        # A key without a value ends behind it.
        place = max(places.offsets(document.span(last, key=is_key))[1] for is_key in (True, False))
    comment = places.text[value_end : places.line_end(value_end)].strip(" ")
    rest = " " * (mistake.span.column - 1) + comment if comment else ""
    gone_to = places.line_end(value_end) if comment else places.next_line(value_end)
    gone = Edit(start=places.line_start(key_end), end=gone_to, text=rest)
    return gone, Edit(start=place, end=place, text=entry)


def _is_block(document: Document, section: Path, inside: JsonObject) -> bool:
    """Whether a mapping is written below its key, a line for each of its keys, and all of them here."""
    own = document.span(section, key=True)
    spans = [document.span((*section, key), key=True) for key in inside]
    # What an alias or a merge key brings along stands elsewhere, or in another column.
    return own.line < document.span(section).line and all(
        span.column == spans[0].column > own.column and span.line > own.line and _begins_line(document, span)
        for span in spans
    )
