"""Tells whether two JSON values are the same."""

import json

from runner.spec import Json


def canonical(value: Json) -> str:
    """One text for the same value: the order of keys does not count, but `true` is not 1, as it is for Python."""
    return json.dumps(value, sort_keys=True, default=str)


def same(first: Json, second: Json) -> bool:
    """Whether two values are the same as JSON."""
    return canonical(first) == canonical(second)
