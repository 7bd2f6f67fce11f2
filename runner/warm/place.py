"""Where a warm process listens: a socket in a folder that is its user's alone."""

# A run that finds no warm process pays for this module: nothing slow may be imported here.

import os
import stat
import sys
import zlib

from runner import __version__

_NAME = "yaml-agent-runner"
_OPEN_TO_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class UnsafeFolderError(Exception):
    """The folder is not its user's alone; the message says why and what to do."""


def folder() -> str:
    """The folder of the sockets of this user; it need not exist."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    return f"{runtime}/{_NAME}" if runtime.startswith("/") else f"/tmp/{_NAME}-{os.getuid()}"  # noqa: S108 - checked by `check`


def socket_path() -> str:
    """The socket of a warm process of this very installation, whether there is one or not."""
    # What must be equal is compared by the process itself; the number only keeps installations apart.
    installation = f"{sys.prefix}\0{sys.executable}\0{sys.version}\0{os.path.dirname(__file__)}"  # noqa: PTH120 - see above
    return f"{folder()}/{__version__}-{zlib.crc32(os.fsencode(installation)):08x}.sock"


def check(path: str) -> None:
    """Make sure that nobody else can have put anything into a folder.

    Raises:
        UnsafeFolderError: somebody else could have.
        OSError: it cannot be looked at.
    """
    found = os.lstat(path)
    if stat.S_ISLNK(found.st_mode):
        raise UnsafeFolderError(f"{path} is a link; expected a folder: remove it")
    if not stat.S_ISDIR(found.st_mode):
        raise UnsafeFolderError(f"{path} is no folder: remove it")
    if found.st_uid != os.getuid():
        raise UnsafeFolderError(
            f"{path} belongs to user {found.st_uid}, not to you: set XDG_RUNTIME_DIR to a folder of yours"
        )
    if found.st_mode & _OPEN_TO_OTHERS:
        mode = stat.S_IMODE(found.st_mode)
        raise UnsafeFolderError(f"{path} is open to other users (mode {mode:o}): chmod 700 {path}")


def make(path: str) -> None:
    """Make a folder for this user alone, if it is not there.

    Raises:
        UnsafeFolderError: it is there, and somebody else can write it.
        OSError: it cannot be made.
    """
    try:  # noqa: SIM105 - contextlib is slow to import
        os.mkdir(path, 0o700)  # noqa: PTH102 - see above
    except FileExistsError:
        pass
    check(path)
