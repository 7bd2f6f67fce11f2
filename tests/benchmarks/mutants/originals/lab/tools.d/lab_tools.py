"""Tools for the laboratory of the mutation corpus; nothing runs them."""


def measure(what: str, unit: str = "cm", purpose: str = "") -> str:
    """Measure a thing."""
    return f"{what} {unit} {purpose}"


def note(text: str, shelf: str = "north", pages: list[int] | None = None) -> str:
    """Keep a note."""
    return f"{text} {shelf} {pages}"
