"""The socket of a warm process, from the moment it can be found until it cannot be found any more."""

import errno
import os
import socket
from contextlib import suppress

from runner.warm import place
from runner.warm.connection import other_end

_BACKLOG = 64


class Listening:
    """A socket that listens at `path`, where nobody sees it before it does.

    Attributes:
        socket: it.

    Raises:
        OSError, UnsafeFolderError: it cannot be there.
    """

    def __init__(self, path: str) -> None:
        place.make(os.path.dirname(path))  # noqa: PTH120 - pathlib has nothing to add
        self._path = path
        self.socket = socket.socket(socket.AF_UNIX)
        early = f"{path}.{os.getpid()}"
        self.socket.setblocking(False)
        self.socket.bind(early)
        self.socket.listen(_BACKLOG)
        os.replace(early, path)  # noqa: PTH105 - as above
        self._mark = _mark(path)
        self._reserve = os.open(os.devnull, os.O_RDONLY)

    def accept(self) -> socket.socket | None:
        """The connection of the next command, which is never waited for; None if it is not to be heard."""
        try:
            connection, _ = self.socket.accept()
            _, user = other_end(connection)
        except OSError as error:
            if error.errno == errno.EMFILE:
                self._turn_away()
            return None  # else it has gone already
        if user != os.getuid():
            connection.close()
            return None
        connection.setblocking(False)
        return connection

    def _turn_away(self) -> None:
        """Hang up on a command for which no descriptor is left, so that it starts cold instead of waiting."""
        os.close(self._reserve)
        with suppress(OSError):
            self.socket.accept()[0].close()
        self._reserve = os.open(os.devnull, os.O_RDONLY)

    def descriptors(self) -> list[int]:
        """All that are open here."""
        return [self._reserve, *([] if self.socket.fileno() < 0 else [self.socket.fileno()])]

    def end(self) -> None:
        """Be found by nobody any more; whoever waits to be heard is hung up on."""
        with suppress(OSError):
            if _mark(self._path) == self._mark:  # else another process has taken its place
                os.unlink(self._path)  # noqa: PTH108 - as above
        self.socket.close()  # not sooner: until then no other file can have this mark


def _mark(path: str) -> tuple[int, int]:
    found = os.stat(path)  # noqa: PTH116 - as above
    return found.st_dev, found.st_ino
