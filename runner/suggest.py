"""The word somebody probably meant."""

import difflib
from collections.abc import Iterable

_SHORTEST_ABBREVIATION = 3


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like `word`, or the one it abbreviates; None when there is none.

    Case, `-` and `_` make no difference.
    """
    plain = {_plain(option): option for option in sorted(known, reverse=True)}
    matches = difflib.get_close_matches(_plain(word), plain, n=1)
    if not matches and len(word) >= _SHORTEST_ABBREVIATION:
        matches = [option for option in plain if option.startswith(_plain(word))]
    return plain[matches[0]] if len(matches) == 1 else None


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """`did you mean 'city'?`, or None when nothing is like it."""
    option = closest(word, known)
    return None if option is None else f"did you mean '{option}'?"


def _plain(word: str) -> str:
    return word.lower().replace("-", "_")
