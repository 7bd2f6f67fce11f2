"""Tools for the laboratory of the mutation corpus; nothing runs them."""


def measure(what: str, unit: str = "cm") -> str:
    """Measure a thing."""
    return f"{what} {unit}"


def note(text: str, pages: list[int] | None = None) -> str:
    """Keep a note."""
    return f"{text} {pages}"
