"""Writes to a descriptor without holding whoever writes: what its reader does not take yet waits in a thread."""

import io
import os
import select
import sys
import threading
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

# A pipe that says it is ready has room for so much: POSIX promises that writing it does not wait.
_PIECE = 4096 if sys.platform == "win32" else select.PIPE_BUF
_LEFT_OUT = b"\n[nobody read for so long that some of this was left out]\n"


class Outlet:
    """A descriptor that is written in order, at once as long as it has room.

    Before a file, and before a reader that keeps up, it is the same as writing directly: there is no thread then.

    Args:
        descriptor: where to write.
        patience: seconds in which the reader must take something at the end, or the rest is given up; None waits on.
    """

    def __init__(self, descriptor: int, *, patience: float | None = None) -> None:
        self.descriptor = descriptor
        self.patience = patience
        self._waiting: deque[memoryview] = deque()
        self._bytes = 0
        self._changed = threading.Condition()
        self._writing = False
        self._left_out = False
        self._failure: OSError | None = None

    def write(self, data: "ReadableBuffer", *, most: int | None = None) -> None:
        """Write `data` now or later; left out, with a note in its place, if `most` bytes wait already.

        Raises:
            OSError: this or an earlier piece could not be written.
        """
        with self._changed:
            self._complain()
            rest = memoryview(data).cast("B")
            if not self._waiting:
                rest = self._write_now(rest)
            if not rest:
                return
            if most is not None and self._bytes > most:
                self._left_out = True
                return
            self._keep(bytes(rest))

    def finish(self) -> None:
        """Wait until the reader has taken everything, or longer nothing than we are patient.

        Raises:
            OSError: something could not be written.
        """
        with self._changed:
            while self._waiting and self._changed.wait(self.patience):
                pass
            self._complain()

    def _complain(self) -> None:
        if self._failure is not None:
            raise OSError(self._failure.errno, self._failure.strerror)

    def _write_now(self, data: memoryview) -> memoryview:
        try:
            while data and _has_room(self.descriptor):
                data = data[os.write(self.descriptor, data[:_PIECE]) :]
        except BlockingIOError:  # our parent made it so, and told us by an error that there was less room
            pass
        return data

    def _keep(self, data: bytes) -> None:
        self._waiting.append(memoryview(data))
        self._bytes += len(data)
        if not self._writing:
            self._writing = True
            threading.Thread(target=self._write_on, name="outlet", daemon=True).start()

    def _write_on(self) -> None:
        while (piece := self._next()) is not None:
            try:
                written = os.write(self.descriptor, piece[:_PIECE])
            except BlockingIOError:
                _wait_for_room(self.descriptor)
                continue
            except OSError as error:
                self._fail(error)
                return
            self._took(piece[written:], written)

    def _next(self) -> memoryview | None:
        with self._changed:
            if not self._waiting and self._left_out:
                self._left_out = False
                self._waiting.append(memoryview(_LEFT_OUT))
                self._bytes += len(_LEFT_OUT)
            self._writing = bool(self._waiting)
            return self._waiting[0] if self._waiting else None

    def _took(self, rest: memoryview, written: int) -> None:
        with self._changed:
            # It stays the first until it is written: whatever comes meanwhile has to wait behind it.
            if rest:
                self._waiting[0] = rest
            else:
                self._waiting.popleft()
            self._bytes -= written
            self._changed.notify_all()

    def _fail(self, error: OSError) -> None:
        with self._changed:
            self._failure = error
            self._waiting.clear()
            self._bytes, self._writing = 0, False
            self._changed.notify_all()


class Unheld(io.RawIOBase):
    """An outlet as a stream.

    Args:
        outlet: where to.
        most: bytes that may wait there; more is left out. None: everything is kept.
    """

    def __init__(self, outlet: Outlet, *, most: int | None = None) -> None:
        self._outlet = outlet
        self._most = most

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write `data`, all of it.

        Raises:
            OSError: as `Outlet.write`.
        """
        self._outlet.write(data, most=self._most)
        return memoryview(data).nbytes

    def writable(self) -> bool:
        """Say yes."""
        return True

    def isatty(self) -> bool:
        """Whether a person sees it."""
        return os.isatty(self._outlet.descriptor)

    def fileno(self) -> int:
        """The descriptor."""
        return self._outlet.descriptor


def _has_room(descriptor: int) -> bool:
    """Whether a write of `_PIECE` would not wait; where the system cannot tell, it is tried."""
    if sys.platform == "win32":
        return True
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    return bool(poll.poll(0))


def _wait_for_room(descriptor: int) -> None:
    if sys.platform != "win32":
        poll = select.poll()
        poll.register(descriptor, select.POLLOUT)
        poll.poll()
