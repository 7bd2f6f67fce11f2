def wipe() -> str:
    """Wipe."""
    return ""


def look() -> str:
    """Look."""
    return ""
