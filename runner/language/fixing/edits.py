"""Changes of a text as splices: everything outside of them stays as it is, byte for byte."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class Edit:
    """Characters `start` up to and without `end` become `text`; offsets count characters from 0."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Fix:
    """The repair of one mistake.

    Attributes:
        what: what is done, for people: `'instruction' is now 'instructions'`.
        edits: the changes, none overlapping another.
    """

    what: str
    edits: tuple[Edit, ...]


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text with the edits made, which must not overlap."""
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def compatible(fixes: Iterable[Fix]) -> Sequence[Fix]:
    """The fixes that can be made together: of two that touch the same text, the first."""
    taken: list[Edit] = []
    chosen: list[Fix] = []
    for fix in fixes:
        # Touching counts too: of two insertions at one place nobody can tell which comes first.
        if all(edit.end < other.start or other.end < edit.start for edit in fix.edits for other in taken):
            taken.extend(fix.edits)
            chosen.append(fix)
    return chosen
