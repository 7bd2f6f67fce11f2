"""What rendering one template may cost: counted, not timed, so that the same template always gets the same verdict."""

import re
from collections.abc import Mapping, Sequence

from runner.spec import Json

# Far beyond any prompt (the largest context windows hold about 5 million characters), far below what hurts a machine.
MAX_CHARS = 10_000_000
MAX_ITEMS = 1_000_000
MAX_STEPS = 1_000_000
MAX_WIDTH = 10_000
# A call takes as long as ten passes of a loop.
_CALL = 10
# What a value in a list or mapping takes besides its text, generously, since looking at it takes time.
_ITEM = 10
_MAX_BITS = 4_096
_WIDE_FORMAT = re.compile(r"%[^%a-zA-Z]*(?:\*|\d{5,})")


class TooExpensiveError(Exception):
    """A template asks for more text, items or steps than a prompt can need."""


class Budget:
    """The steps and characters that one rendering has left."""

    def __init__(self) -> None:
        self._steps = MAX_STEPS
        self._chars = MAX_CHARS

    def step(self, chars: int = 0) -> None:
        """Count a pass of a loop, and the plain text it writes.

        Raises:
            TooExpensiveError: there were too many.
        """
        self._steps -= 1
        if self._steps < 0:
            raise TooExpensiveError(f"the loops and calls of this template take more than {MAX_STEPS:,} steps")
        self.write(chars)

    def call(self) -> None:
        """Count a call.

        Raises:
            TooExpensiveError: there were too many.
        """
        self._steps -= _CALL - 1
        self.step()

    def write(self, chars: int) -> None:
        """Count characters of output.

        Raises:
            TooExpensiveError: there were too many.
        """
        self._chars -= chars
        if self._chars < 0:
            raise TooExpensiveError(f"this template makes more than {MAX_CHARS:,} characters")


def check_chars(count: int) -> None:
    """Refuse to make a text of `count` characters when that is too long."""
    if count > MAX_CHARS:
        raise TooExpensiveError(f"this would make a text of more than {MAX_CHARS:,} characters")


def check_width(width: Json) -> None:
    """Refuse an amount of padding (or of digits, or of slices) that no prompt needs."""
    if isinstance(width, int) and abs(width) > MAX_WIDTH:
        raise TooExpensiveError(f"{width:,} is too much here; {MAX_WIDTH:,} is the most")


def check_format(pattern: Json) -> None:
    """Refuse a `%` pattern that pads to a great width."""
    if isinstance(pattern, str) and _WIDE_FORMAT.search(pattern):
        raise TooExpensiveError(f"the width in the format {pattern!r} is too much here; {MAX_WIDTH:,} is the most")


def check_operation(operator: str, left: Json, right: Json) -> None:
    """Refuse an operation whose result would be huge, before it is done."""
    if operator == "%":
        check_format(left)
    elif operator == "*":
        for sequence, times in ((left, right), (right, left)):
            if isinstance(sequence, (str, list, tuple)) and isinstance(times, int):
                _check_size(sequence, len(sequence) * times)
    elif operator == "+" and isinstance(left, (str, list, tuple)) and isinstance(right, (str, list, tuple)):
        _check_size(left, len(left) + len(right))
    if isinstance(left, int) and isinstance(right, int):
        bits = {"*": left.bit_length() + right.bit_length(), "**": left.bit_length() * abs(right)}.get(operator, 0)
        if bits > _MAX_BITS:
            raise TooExpensiveError(f"{operator} would make a number of {bits:,} bits; {_MAX_BITS:,} is the most")


def _check_size(sequence: str | Sequence[Json], size: int) -> None:
    if isinstance(sequence, str):
        check_chars(size)
    elif size > MAX_ITEMS:
        raise TooExpensiveError(f"this would make a list of {size:,} items; {MAX_ITEMS:,} is the most")


def size_of(value: Json) -> int:
    """About how many characters a value takes when written out.

    Raises:
        TooExpensiveError: too many; few lists are enough for that when they hold one another over and over.
    """
    size = 0
    queue: list[Json] = [value]
    while queue:
        each = queue.pop()
        size += (len(each) if isinstance(each, str) else 0) + _ITEM
        check_chars(size)
        if isinstance(each, Mapping):
            queue.extend(each)
            queue.extend(each.values())
        elif isinstance(each, (list, tuple)):
            queue.extend(each)
    return size
