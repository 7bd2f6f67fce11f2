"""What SIGINT and SIGTERM do to a run: the first ends it cleanly, the second ends the process."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Literal

from runner.engine.scope import RunControl

_NAMES: dict[int, Literal["SIGINT", "SIGTERM"]] = {signal.SIGINT: "SIGINT", signal.SIGTERM: "SIGTERM"}
_SHOW_CURSOR = b"\x1b[?25h"


@contextmanager
def interruptible(control: RunControl) -> Iterator[None]:
    """Let the signals steer the run of `control` while the block runs; needs the main thread."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        del frame
        if control.signal is None:
            control.interrupt(_NAMES[number])
            return
        # The run did not end on the first signal: something holds it, so nothing here may wait.
        if sys.stderr.isatty():
            with suppress(OSError):
                os.write(2, _SHOW_CURSOR)  # not through sys.stderr, which may be in the middle of a write
        os._exit(128 + number)

    before = {number: signal.signal(number, interrupt) for number in _NAMES}
    try:
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)
