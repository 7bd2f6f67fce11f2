"""Whether a misspelt word is surely the one that the validator takes it for."""

# Shorter words are too alike: `in` is one letter from `on`.
_SHORTEST = 4
_LONG = 9


def is_slip(written: str, meant: str) -> bool:
    """Whether two words differ by one slip of the fingers, two in long words; case, `-` and `_` make no difference.

    A slip is a letter too many, one too few, a wrong one, or two exchanged.
    """
    left, right = (word.lower().replace("-", "").replace("_", "") for word in (written, meant))
    if left == right:
        return True
    shorter = min(len(left), len(right))
    return shorter >= _SHORTEST and _distance(left, right) <= (2 if shorter >= _LONG else 1)


def _distance(left: str, right: str) -> int:
    """The optimal string alignment distance (Damerau 1964)."""
    rows = [list(range(len(right) + 1))]
    for i, letter in enumerate(left, 1):
        row = [i]
        for j, other in enumerate(right, 1):
            cost = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == right[j - 2] and left[i - 2] == other:
                cost = min(cost, rows[-2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return rows[-1][-1]
