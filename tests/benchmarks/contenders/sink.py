"""A terminal that nobody looks at."""

import os
import pty
import subprocess
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO


@contextmanager
def terminal() -> Iterator[TextIO]:
    """A real one, to be written to; a process of its own reads what comes, so that it costs the writer nothing."""
    reading, writing = pty.openpty()
    tty.setraw(writing)
    with (
        os.fdopen(reading, "rb") as screen,
        os.fdopen(writing, "w", encoding="utf-8", buffering=1) as sink,
        subprocess.Popen(["cat"], stdin=screen, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as reader,
    ):
        try:
            yield sink
        finally:
            reader.kill()
