"""Which diagnostic codes somebody wants to hear of: `--select` and `--ignore`."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from runner.diagnostics import Diagnostic

# A file with a mistake in its YAML is not checked any further: hiding that would hide everything else in it.
UNREADABLE = "RUN1"
NEVER_HIDDEN = f"{UNREADABLE}xx cannot be hidden: a file that cannot be read is not checked at all"

_LOOK_LIKE = str.maketrans("OIL", "011")


class WrongCodeError(ValueError):
    """A code that does not exist, or that cannot be chosen; the message says what to write instead."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CodeChoice:
    """Prefixes of codes; the longest that fits a code decides, `ignore` when both are equally long.

    Attributes:
        select: what to tell; nothing given means everything.
        ignore: what not to tell.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def takes(self, code: str) -> bool:
        """Whether problems with this code are told."""
        if code.startswith(UNREADABLE):
            return True
        return _longest(self.select or ("",), code) > _longest(self.ignore, code)

    def of(self, diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """Those of the problems that are told."""
        return tuple(each for each in diagnostics if self.takes(each.code))


def code_choice(select: Sequence[str], ignore: Sequence[str], known: Collection[str]) -> CodeChoice:
    """Read the words given to `--select` and `--ignore`: codes, their beginnings (`RUN2`), several with commas between.

    Raises:
        WrongCodeError: a word is the beginning of no code in `known`, or names what cannot be hidden.
    """
    ignored = _prefixes(ignore, known)
    if any(prefix.startswith(UNREADABLE) for prefix in ignored):
        raise WrongCodeError(NEVER_HIDDEN)
    return CodeChoice(select=_prefixes(select, known), ignore=ignored)


def unknown_code(word: str, known: Collection[str]) -> str:
    """What to tell somebody who wrote a code that does not exist."""
    digits = re.sub(r"\D", "", word.upper().removeprefix("RUN").translate(_LOOK_LIKE))
    same = [code for code in sorted(known) if sorted(code[3:]) == sorted(digits)]  # in whatever order
    right = f"RUN{digits}" if f"RUN{digits}" in same else next(iter(same), None)
    return f"there is no code '{word}'" + (f"; did you mean '{right}'?" if right else "")


def _prefixes(words: Sequence[str], known: Collection[str]) -> tuple[str, ...]:
    parts = [part.strip() for word in words for part in word.split(",")]
    return tuple(_prefix(part, known) for part in parts if part)


def _prefix(word: str, known: Collection[str]) -> str:
    prefix = word.upper().rstrip("X")  # people also write RUN2xx
    if not prefix or not any(code.startswith(prefix) for code in known):
        raise WrongCodeError(unknown_code(word, known))
    return prefix


def _longest(prefixes: Iterable[str], code: str) -> int:
    return max((len(prefix) for prefix in prefixes if code.startswith(prefix)), default=-1)
