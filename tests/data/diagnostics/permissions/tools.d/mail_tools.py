def get_inbox(folder: str = "in", limit: int = 5) -> str:
    """The newest mails of a folder."""
    return f"{limit} of {folder}"


def get_anything(**what: str) -> str:
    """Whatever is asked for."""
    return str(what)
