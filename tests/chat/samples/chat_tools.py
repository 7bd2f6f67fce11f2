"""A tool that nobody should call without being asked."""


def wipe(disk: str) -> str:
    """Wipe a disk.

    Args:
        disk: which one.
    """
    return f"wiped {disk}"
