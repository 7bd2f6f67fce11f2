"""Durations as people write them (`30`, `500ms`, `30s`, `2m`, `1h`) -> seconds."""

import re

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION = re.compile(r"(?P<amount>\d+(?:\.\d+)?)(?P<unit>ms|s|m|h)")


def seconds(value: float | str) -> float:
    """Seconds of a duration that the schema has accepted.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(value, str):
        return float(value)
    match = _DURATION.fullmatch(value)
    if match is None:
        raise ValueError(f"expected a number of seconds or a text like 500ms, 30s, 2m or 1h, found '{value}'")
    return float(match["amount"]) * _UNITS[match["unit"]]
