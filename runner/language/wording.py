"""How texts from a document are shown inside a message."""

from collections.abc import Sequence

_SHOWN = 60


def clip(text: str) -> str:
    """`text` on one line of at most 60 characters."""
    line = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    return line.replace("\r", "\\r").replace("\n", "\\n")


def quoted(names: Sequence[str]) -> str:
    """Names in a sentence: `'a'`, `'a' and 'b'`, `'a', 'b' and 'c'`."""
    *first, last = [f"'{name}'" for name in names]
    return f"{', '.join(first)} and {last}" if first else last
