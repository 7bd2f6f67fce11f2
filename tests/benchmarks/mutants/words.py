"""Typing mistakes: letters swapped, dropped, doubled, or hit beside."""

from collections.abc import Collection
from random import Random

# Each letter and one beside it on the keyboard.
_NEIGHBOURS = dict(zip("abcdefghijklmnopqrstuvwxyz", "svxfrghjoklknmiowtdyibecux", strict=True))
_SHORTEST = 3


def typo(word: str, random: Random, *, taken: Collection[str] = ()) -> str | None:
    """The word with one typing mistake, never one of `taken`; None when the word is too short to be recognised."""
    letters = [index for index, letter in enumerate(word) if letter.isascii() and letter.isalpha()]
    if len(letters) < _SHORTEST:
        return None
    slips = [slip for index in letters for slip in _slips(word, index)]
    random.shuffle(slips)
    return next((slip for slip in slips if slip != word and slip not in taken), None)


def _slips(word: str, index: int) -> list[str]:
    letter, before, after = word[index], word[:index], word[index + 1 :]
    slips = [f"{before}{letter}{letter}{after}"]
    if index > 0:  # hardly anybody gets the first letter wrong
        slips += [before + after, before + _NEIGHBOURS.get(letter, "x") + after]
        if after[:1].isalpha():
            slips.append(before + after[0] + letter + after[1:])
    return slips
