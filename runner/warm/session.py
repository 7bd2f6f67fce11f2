"""What the warm process knows of one command."""

import os
import socket
from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING

from runner.warm.frames import Frames, ProtocolError

if TYPE_CHECKING:
    from runner.warm.child import Handed

_PIECE = 262_144
_ROOM = socket.CMSG_SPACE(64 * array("i").itemsize)


class Session:
    """One command.

    Args:
        connection: it, without waiting.
        deadline: when it has to have said what it wants, on the monotonic clock.

    Attributes:
        received: descriptors that it has handed over.
        handed: what it wants to be run, once that is promised.
        pid: of the process that runs it, once there is one.
    """

    def __init__(self, connection: socket.socket, *, deadline: float) -> None:
        self.connection = connection
        self.deadline: float | None = deadline
        self.frames = Frames()
        self.received: list[int] = []
        self.handed: Handed | None = None
        self.pid: int | None = None

    def read(self) -> bool:
        """Take what has arrived; whether the command is still there.

        Raises:
            ProtocolError: it sends too much.
            OSError: the connection is broken.
        """
        try:
            # Not `recv_fds`, which loses its flags: a descriptor must not outlive an exec.
            data, more, flags, _ = self.connection.recvmsg(_PIECE, _ROOM, socket.MSG_CMSG_CLOEXEC)
        except BlockingIOError:
            return True
        came = array("i")
        for level, kind, content in more:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                came.frombytes(content[: len(content) - len(content) % came.itemsize])
        self.received += came
        if flags & socket.MSG_CTRUNC or (came and self.handed is None):
            raise ProtocolError("these descriptors are not expected")
        self.frames.feed(data)
        return bool(data)

    def begun(self, pid: int) -> None:
        """It is run by the process `pid` from now on, which has its descriptors."""
        self.pid, self.deadline = pid, None
        self._close_received()

    def descriptors(self) -> Iterator[int]:
        """All that are open because of it."""
        yield self.connection.fileno()
        yield from self.received

    def close(self) -> None:
        """Let go of it."""
        self.connection.close()
        self._close_received()

    def _close_received(self) -> None:
        for descriptor in self.received:
            os.close(descriptor)
        self.received.clear()
