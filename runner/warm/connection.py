"""A command's end of the connection to a warm process."""

import os
import select
import signal
import socket
import struct
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from runner.warm import place
from runner.warm.frames import VERSION, Frames, Message, ProtocolError, encoded

_CREDENTIALS = struct.Struct("3i")  # pid, uid, gid
_PIECE = 65_536
# A warm process answers in a millisecond, or has been stopped.
_ANSWER_SECONDS = 2.0


def other_end(connection: socket.socket) -> tuple[int, int]:
    """The numbers of the process and of the user at the other end.

    Raises:
        OSError: the system does not tell.
    """
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    pid, uid, _ = _CREDENTIALS.unpack(raw)
    return pid, uid


class Connection:
    """A connection to the warm process that listens at `path`; closed when left.

    Attributes:
        pid: of the warm process.

    Raises:
        OSError, UnsafeFolderError: there is none, or it may be somebody else's.
    """

    def __init__(self, path: str) -> None:
        place.check(os.path.dirname(path))  # noqa: PTH120 - pathlib is slow to import
        self._frames = Frames()
        self._signals: _Signals | None = None
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.settimeout(_ANSWER_SECONDS)
            self._socket.connect(path)
            self.pid = self._checked(path)
        except BaseException:
            self._socket.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()
        if self._signals is not None:
            self._signals.close()

    def _checked(self, path: str) -> int:
        pid, uid = other_end(self._socket)
        if uid != os.getuid():
            raise place.UnsafeFolderError(f"user {uid} listens at {path}")
        return pid

    def send(self, message: Message, descriptors: Sequence[int] = ()) -> None:
        """Send a message, and copies of descriptors with it.

        Raises:
            OSError: the warm process has gone.
        """
        data = memoryview(encoded({"protocol": VERSION, **message}))
        sent = socket.send_fds(self._socket, [data], descriptors) if descriptors else 0
        if sent < len(data):  # even to send nothing fails when the run has ended already
            self._socket.sendall(data[sent:])

    def receive(self) -> Message:
        """Wait for the next message.

        Raises:
            OSError, ProtocolError: the warm process has gone, does not answer, or says something else.
        """
        while (message := self._frames.next()) is None:
            if self._signals is not None:
                self._signals.wait_for(self._socket)
            data = self._socket.recv(_PIECE)
            if not data:
                raise ConnectionResetError("the warm process has gone")
            self._frames.feed(data)
        if not isinstance(message.get("state"), str):
            raise ProtocolError("expected a state")
        return message

    def be_patient(self) -> None:
        """Wait without end from now on, except for signals."""
        self._socket.settimeout(None)
        self._signals = _Signals()


class _Signals:
    """Waits so that no signal has to wait.

    Python's handlers are called between two lines. In a plain `recv`, a signal that comes after the line has begun and
    before the system waits would be heard only when something arrives.
    """

    def __init__(self) -> None:
        self._woken, self._waking = socket.socketpair()
        for each in (self._woken, self._waking):
            each.setblocking(False)
        signal.set_wakeup_fd(self._waking.fileno(), warn_on_full_buffer=False)

    def wait_for(self, awaited: socket.socket) -> None:
        """Wait until something arrives."""
        poll = select.poll()
        for each in (awaited, self._woken):
            poll.register(each, select.POLLIN)
        while all(number == self._woken.fileno() for number, _ in poll.poll()):
            self._woken.recv(_PIECE)

    def close(self) -> None:
        """Listen no more."""
        signal.set_wakeup_fd(-1)
        self._woken.close()
        self._waking.close()
