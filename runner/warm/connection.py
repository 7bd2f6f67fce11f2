"""A command's end of the connection to a warm process."""

import os
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


def user_of(connection: socket.socket) -> int:
    """The number of the user at the other end.

    Raises:
        OSError: the system does not tell.
    """
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    uid: int = _CREDENTIALS.unpack(raw)[1]
    return uid


class Connection:
    """A connection to the warm process that listens at `path`; closed when left.

    Raises:
        OSError, UnsafeFolderError: there is none, or it may be somebody else's.
    """

    def __init__(self, path: str) -> None:
        place.check(os.path.dirname(path))  # noqa: PTH120 - pathlib is slow to import
        self._frames = Frames()
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.settimeout(_ANSWER_SECONDS)
            self._socket.connect(path)
            self._check_user(path)
        except BaseException:
            self._socket.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def _check_user(self, path: str) -> None:
        if (uid := user_of(self._socket)) != os.getuid():
            raise place.UnsafeFolderError(f"user {uid} listens at {path}")

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
            data = self._socket.recv(_PIECE)
            if not data:
                raise ConnectionResetError("the warm process has gone")
            self._frames.feed(data)
        if not isinstance(message.get("state"), str):
            raise ProtocolError("expected a state")
        return message

    def be_patient(self) -> None:
        """Wait without end from now on."""
        self._socket.settimeout(None)
