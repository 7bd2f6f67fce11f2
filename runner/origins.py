"""`file:line` of a text, moved to a line inside of it."""


def further(origin: str, lines: int) -> str:
    """The place `lines` lines below `origin`; an origin without a line is kept as it is."""
    file, colon, first = origin.rpartition(":")
    return f"{file}:{int(first) + lines}" if colon and first.isdecimal() else origin or "template"
