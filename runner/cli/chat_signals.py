"""What SIGINT and SIGTERM do to a chat: a person's interrupt stops the turn and not the chat."""

import asyncio
import os
import signal
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from runner.engine.scope import RunControl

# The first interrupt stops the turn. Whoever holds the key down does not mean to leave, but something that holds the
# event loop must not hold the person.
_MOST_INTERRUPTS = 3
_STILL_STOPPING = b"\r\n  still stopping; Ctrl-C once more leaves the chat\r\n"
_SHOW_CURSOR = b"\x1b[?25h"


class ChatSignals:
    """The signals of one chat.

    Args:
        person: whether there is one to go on with after an interrupt; without one it ends the chat.

    Attributes:
        code: the exit code of a chat that a signal has ended; None while none has.
    """

    def __init__(self, *, person: bool) -> None:
        self._person = person
        self.code: int | None = None
        self._control: RunControl | None = None
        self._interrupts = 0
        self._reading: asyncio.Task[str] | None = None
        self._loop = asyncio.get_running_loop()

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Hear them while the block runs; needs the main thread."""
        before = {number: signal.signal(number, self._hear) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, previous in before.items():
                signal.signal(number, previous)

    @contextmanager
    def steering(self, control: RunControl) -> Iterator[None]:
        """Let them end the run of `control` while the block runs."""
        self._control, self._interrupts = control, 0
        try:
            yield
        finally:
            self._control = None

    async def read(self, reading: Coroutine[object, object, str]) -> str:
        """Wait for what the person writes; a signal ends that.

        Raises:
            EOFError: a signal ended the chat.
        """
        if self.code is not None:
            reading.close()
            raise EOFError
        self._reading = self._loop.create_task(reading)
        try:
            return await self._reading
        except asyncio.CancelledError:
            if self.code is None:
                raise
            raise EOFError from None
        finally:
            self._reading = None

    def _hear(self, number: int, frame: FrameType | None) -> None:
        del frame
        if self._control is not None and self._person and number == signal.SIGINT:
            self._interrupt(self._control)
            return
        self._leave(128 + number)
        if self._control is not None:
            self._control.interrupt("SIGINT" if number == signal.SIGINT else "SIGTERM")

    def _interrupt(self, control: RunControl) -> None:
        self._interrupts += 1
        if self._interrupts == 1:
            control.interrupt("SIGINT")
        elif self._interrupts < _MOST_INTERRUPTS:
            with suppress(OSError):
                os.write(2, _STILL_STOPPING)  # not through sys.stderr, which may be in the middle of a write
        else:
            _end(128 + signal.SIGINT)

    def _leave(self, code: int) -> None:
        if self.code is not None:
            _end(code)
        self.code = code
        if self._reading is not None:
            self._loop.call_soon_threadsafe(self._reading.cancel)


def _end(code: int) -> None:
    if sys.stderr.isatty():
        with suppress(OSError):
            os.write(2, _SHOW_CURSOR)
    os._exit(code)
