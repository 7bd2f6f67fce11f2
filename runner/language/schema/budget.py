"""How much work holding one value against a JSON Schema may be: a few lines of schema can ask for years of it."""

import time
from collections.abc import Callable, Iterable
from contextvars import ContextVar

from runner.spec import Json

# What every value may cost, in keywords looked at, and what each of its parts adds: long lists are no attack.
_STEPS = 50_000
_STEPS_PER_PART = 100
# Some steps are long, above all those that tell of a mismatch. The clock is looked at once in so many steps.
_SECONDS = 5.0
_STEPS_PER_LOOK = 256
# Looking at a text, or writing a list into a message, takes time by its length.
_LENGTH_PER_STEP = 256


class TooMuchToCheckError(Exception):
    """The schema asks for more work than any value is worth: branches that repeat each other at every level."""


class Budget:
    """The work one check may still do."""

    def __init__(self, value: Json) -> None:
        self._value = value
        self._left = _STEPS
        self._extended = False
        self._until_look = _STEPS_PER_LOOK
        self._end = time.monotonic() + _SECONDS

    def take(self, steps: int = 1) -> None:
        """Do so many steps.

        Raises:
            TooMuchToCheckError: these are more than are left.
        """
        self._left -= steps
        if self._left < 0 and not self._extended:
            self._extended = True
            self._left += _STEPS_PER_PART * _parts(self._value)
        self._until_look -= 1
        if self._until_look == 0:
            self._until_look = _STEPS_PER_LOOK
            self._left = -1 if time.monotonic() > self._end else self._left
        if self._left < 0:
            raise TooMuchToCheckError


# The budget of the check that is going on; what jsonschema calls gets no argument of ours.
current: ContextVar[Budget | None] = ContextVar("budget", default=None)


def cost_of(value: Json) -> int:
    """The steps that one look at a value takes."""
    return 1 + len(value) // _LENGTH_PER_STEP if isinstance(value, str | list | dict) else 1


def all_differ(items: Iterable[Json], take: Callable[[], object]) -> bool:
    """Whether no two values are equal as JSON, where 1 is 1.0 but not true; in linear time.

    `take` is called for each part of them.
    """
    seen = set()
    for item in items:
        key = _hashable(item, take)
        if key in seen:
            return False
        seen.add(key)
    return True


def _hashable(value: Json, take: Callable[[], object]) -> object:
    take()
    match value:
        case bool():
            return ("boolean", value)
        case list():
            return ("list", *(_hashable(part, take) for part in value))
        case dict():
            return ("object", frozenset((key, _hashable(part, take)) for key, part in value.items()))
        case _:
            return value


def _parts(value: Json) -> int:
    """How many values there are in a value, itself included."""
    number, waiting = 0, [value]
    while waiting:
        part = waiting.pop()
        number += 1
        if isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
    return number
