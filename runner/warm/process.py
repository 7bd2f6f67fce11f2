"""The life of a warm process: it is started, loads, serves, and ends or is replaced by a new one."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from runner.warm import place
from runner.warm.loaded import UnfitError, load_all
from runner.warm.server import Run, Server

READY = b"ready\n"
_BOOT = "import sys; sys.path[:] = sys.argv[3:]; from {module} import main; main(sys.argv[1], sys.argv[2])"
_BACKLOG = 64


def command(module: str, path: str, idle: float) -> list[str]:
    """The command line of a warm process with the Python of this one.

    Args:
        module: its `main`, called with the socket and the seconds, calls `live`.
        path: the socket.
        idle: seconds without work after which it ends.
    """
    # As `multiprocessing` does it: there is no public way to have the same flags.
    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]  # noqa: SLF001 - see above
    return [sys.executable, *flags, "-c", _BOOT.format(module=module), path, str(idle), *sys.path]


def live(path: str, again: list[str], *, idle: float, load: Callable[[], Iterable[Path]], run: Run) -> NoReturn:
    """Live the life of a warm process. Until it is ready it may write to stderr why it cannot be; then it is silent.

    Args:
        path: the socket.
        again: the command line of the process that takes over when files have changed.
        idle: seconds without work after which it ends.
        load: loads everything, and returns the files that were read besides modules.
        run: carries out a command line, and never returns.
    """
    ready = os.dup(1)  # what is printed while loading must not be taken for the answer
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)
    os.chdir("/")  # the folder it was started in may be removed
    os.umask(0o077)
    try:
        loaded = load_all(load)
        listener, mark = _bound(path)
    except (OSError, UnfitError, place.UnsafeFolderError) as error:
        sys.exit(str(error))
    with suppress(OSError):  # the second time nobody listens
        os.write(ready, READY)
    os.dup2(null, 2)
    os.close(null)
    os.close(ready)
    is_stale = Server(listener, loaded=loaded, run=run, idle=idle).serve()
    with suppress(OSError):
        if _mark(path) == mark:  # else another process has taken its place
            os.unlink(path)  # noqa: PTH108 - pathlib has nothing to add
    if is_stale:
        os.execve(again[0], again, dict(loaded.environ))  # noqa: S606 - our own command line
    os._exit(0)


def _bound(path: str) -> tuple[socket.socket, tuple[int, int]]:
    """A socket that listens at `path`, where nobody sees it before it does; and what tells its file from others."""
    place.make(os.path.dirname(path))  # noqa: PTH120 - as above
    listener = socket.socket(socket.AF_UNIX)
    early = f"{path}.{os.getpid()}"
    listener.bind(early)
    listener.listen(_BACKLOG)
    os.replace(early, path)  # noqa: PTH105 - as above
    return listener, _mark(path)


def _mark(path: str) -> tuple[int, int]:
    found = os.stat(path)  # noqa: PTH116 - as above
    return found.st_dev, found.st_ino
