"""Amounts of data as people write them (`65536`, `500kB`, `1MB`, `64MiB`) -> bytes."""

import re

_UNITS = {
    "B": 1,
    "kB": 1000,
    "MB": 1000**2,
    "GB": 1000**3,
    "KiB": 1024,
    "MiB": 1024**2,
    "GiB": 1024**3,
}
_SIZE = re.compile(r"(?P<amount>\d+(?:\.\d+)?)(?P<unit>B|[kMG]B|[KMG]iB)", re.ASCII)


def size_in_bytes(value: int | str) -> int:
    """Whole bytes of an amount that the schema has accepted, rounded down, at least 1.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(value, str):
        return value
    match = _SIZE.fullmatch(value)
    if match is None:
        raise ValueError(f"expected a number of bytes, or a text like 500kB, 1MB or 64MiB, found '{value}'")
    return max(1, int(float(match["amount"]) * _UNITS[match["unit"]]))
