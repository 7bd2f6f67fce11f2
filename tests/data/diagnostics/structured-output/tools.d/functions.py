def say(text: str) -> str:
    """Say it."""
    return text
