"""Repairs keys that stand in the wrong mapping: `max_turns: 5` becomes `limits: {max_steps: 5}`."""

from runner.language.fixing.edits import Edit, Fix
from runner.language.fixing.mistake import Mistake
from runner.language.source import Path

# What may be left out, so that a mapping with one key is all right. A new `model` would lack its name.
_MAY_BE_NEW = ("limits", "context", "response")
_STEP = "  "


def move(mistake: Mistake) -> Fix | None:
    """Move a key of one line into the mapping that has it here.

    That is a block mapping of the same file, which gets another line; or, when there is none, a new one in the place of
    the key. Everything else (a flow mapping, an alias, a key that is there already) is left to people.
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
    else:
        edits = _into_section(mistake, (*mistake.path[:-1], section), name)
    return Fix(what=what, edits=edits) if edits else None


def _has_own_line(mistake: Mistake) -> bool:
    """Whether the line is the key, its value on the same line, and nothing before it."""
    document = mistake.places.document
    if document is None or mistake.path is None:
        return False
    start, _ = mistake.offsets
    value = document.span(mistake.path)
    is_first = not mistake.places.text[mistake.places.line_start(start) : start].strip(" ")
    return is_first and value != mistake.span and value.line == value.end_line == mistake.span.line


def _new_section(mistake: Mistake, section: str, name: str) -> tuple[Edit, ...]:
    start, end = mistake.offsets
    indent = " " * (mistake.span.column - 1)
    return (Edit(start=start, end=end, text=f"{section}:{mistake.places.newline}{indent}{_STEP}{name}"),)


def _into_section(mistake: Mistake, section: Path, name: str) -> tuple[Edit, ...] | None:
    places, document = mistake.places, mistake.places.document
    inside = mistake.reach(section)
    if document is None or not isinstance(inside, dict) or not inside or name in inside:
        return None
    own, first = document.span(section, key=True), document.span((*section, next(iter(inside))), key=True)
    keys = {document.span((*section, key), key=True) for key in inside}
    # Of a block mapping below its own key, each key begins a line of that mapping: what is merged in stands elsewhere.
    in_block = all(
        span.column == first.column and span.line > own.line and not places.text[_line(mistake, span.line)].strip(" ")
        for span in keys
    )
    whole = document.span(section)
    if not in_block or first.column <= own.column or not own.line < whole.line <= whole.end_line:
        return None
    start, end = mistake.offsets
    line, after = places.line_start(start), places.next_line(end)
    _, section_end = places.offsets(whole)
    rest = places.text[end : places.line_end(end)]
    place = places.next_line(section_end)
    ends_line = places.text[:place].endswith(("\n", "\r"))
    added = f"{'' if ends_line else places.newline}{' ' * (first.column - 1)}{name}{rest}"
    added += places.newline if ends_line else ""
    return Edit(start=line, end=after, text=""), Edit(start=place, end=place, text=added)


def _line(mistake: Mistake, number: int) -> slice:
    """The indentation of a line: from its start to its first character that is no space."""
    document = mistake.places.document
    text = document.line(number) if document else ""
    start, _ = mistake.places.offsets(_start_of(number))
    return slice(start, start + len(text) - len(text.lstrip(" ")))
