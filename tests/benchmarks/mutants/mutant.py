"""One broken file: what was changed where, and what a validator should say about it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random

from tests.benchmarks.mutants.subject import Subject


@dataclass(frozen=True, kw_only=True, slots=True)
class Mutant:
    """A file with one mistake.

    Attributes:
        text: the whole text, mistake included.
        lines: where the mistake may be reported; mostly one, two when it is between two lines.
        what: the mistake in a few words.
        meant: what stood there before, when a validator can be expected to suggest it.
        warning: whether the language calls this a warning.
    """

    text: str
    lines: frozenset[int]
    what: str
    meant: str | None = None
    warning: bool = False


# Every mistake of one kind that can be made in a file; those that would leave it valid are not among them.
Mutate = Callable[[Subject, Random], Iterable[Mutant]]


def edit(
    subject: Subject,
    start: int,
    end: int,
    new: str,
    *,
    lines: Iterable[int] = (),
    meant: str | None = None,
    warning: bool = False,
) -> Mutant:
    """A mutant by one replacement; it is to be reported on the line of `start` unless `lines` says otherwise."""
    old = subject.text[start:end]
    what = f"{_short(old)} -> {_short(new)}" if old else f"inserted {_short(new)}"
    return Mutant(
        text=subject.replaced(start, end, new),
        lines=frozenset(lines) or frozenset({subject.line_of(start)}),
        what=what,
        meant=meant,
        warning=warning,
    )


def _short(text: str) -> str:
    most = 40
    return repr(text if len(text) <= most else f"{text[:most]}…")
