"""The word somebody probably meant."""

import difflib
from collections.abc import Iterable

_SHORTEST_ABBREVIATION = 3


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like `word`, or the one it abbreviates; None when there is none.

    Case, `-` and `_` make no difference.
    """
    plain = {_plain(option): option for option in sorted(known, reverse=True)}
    wanted = _plain(word)
    # difflib goes by common letters, and so finds `string` more like `trin` than `trim` is.
    one_slip = [option for option in plain if _is_one_slip(wanted, option)]
    matches = difflib.get_close_matches(wanted, one_slip, n=1) or difflib.get_close_matches(wanted, plain, n=1)
    if not matches and len(word) >= _SHORTEST_ABBREVIATION:
        matches = [option for option in plain if option.startswith(_plain(word))]
    return plain[matches[0]] if len(matches) == 1 else None


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """`did you mean 'city'?`, or None when nothing is like it."""
    option = closest(word, known)
    return None if option is None else f"did you mean '{option}'?"


def _is_one_slip(word: str, other: str) -> bool:
    """Whether one letter is missing, too many or wrong, or two neighbours are swapped (Damerau's four slips)."""
    short, long = sorted((word, other), key=len)
    if len(long) - len(short) > 1:
        return False
    same = next((index for index, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    rest, other_rest = short[same:], long[same:]
    if len(short) < len(long):
        return rest == other_rest[1:]
    return rest[1:] == other_rest[1:] or (rest[1::-1] == other_rest[:2] and rest[2:] == other_rest[2:])


def _plain(word: str) -> str:
    return word.lower().replace("-", "_")
