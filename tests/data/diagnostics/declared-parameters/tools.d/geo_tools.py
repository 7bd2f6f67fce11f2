def geo(**given: str) -> str:
    return str(given)


def open_ended(**given: str) -> str:
    return str(given)
