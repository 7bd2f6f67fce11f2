"""The lock that is held while a warm process starts, so that there is one; the system frees it when its holders end."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def alone(path: str) -> Iterator[int]:
    """Wait until nobody else starts one that listens at `path`, and keep others from it.

    Whoever inherits the descriptor, or a copy of it, keeps them from it, too.

    Raises:
        OSError: there is no folder for it.
    """
    descriptor = _opened(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


def taken(path: str) -> int | None:
    """The lock, if nobody has it; to be closed.

    Raises:
        OSError: there is no folder for it.
    """
    descriptor = _opened(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def _opened(path: str) -> int:
    return os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
