"""How a text from a document is shown inside a message."""

_SHOWN = 60


def clip(text: str) -> str:
    """`text` on one line of at most 60 characters."""
    line = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    return line.replace("\r", "\\r").replace("\n", "\\n")
