"""The life of a warm process: it is started, loads, serves, and ends or starts the one that takes its place."""

import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from runner.warm import lock, place
from runner.warm.forking import Run
from runner.warm.listening import Listening
from runner.warm.loaded import Loaded, load_all
from runner.warm.server import Server
from runner.warm.surroundings import UnfitError
from runner.warm.terms import Terms

READY = b"ready\n"


def live(terms: Terms, *, load: Callable[[], Iterable[Path]], run: Run) -> NoReturn:
    """Live the life of a warm process. Until it is ready it may write to stderr why it cannot be; then it is silent.

    Args:
        terms: what it was told.
        load: loads everything, and returns the files that were read besides modules.
        run: carries out a command line, and never returns.
    """
    ready = os.dup(1)  # what is printed while loading must not be taken for the answer
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)
    os.chdir("/")  # the folder it was started in may be removed
    os.umask(0o077)
    os.set_inheritable(terms.lock, False)
    try:
        loaded = load_all(load, since=terms.began)
        listening = Listening(terms.path)
    except (OSError, UnfitError, place.UnsafeFolderError) as error:
        sys.exit(str(error))
    os.close(terms.lock)
    with suppress(OSError):  # the second time nobody listens
        os.write(ready, READY)
    os.dup2(null, 2)
    os.close(null)
    os.close(ready)
    Server(listening, loaded=loaded, run=run, idle=terms.idle, renew=lambda idle: _renew(terms, loaded, idle)).serve()
    os._exit(0)


def _renew(terms: Terms, loaded: Loaded, idle: float) -> bool:
    """Start the process that takes the place of this one; whether that is so."""
    try:
        free = lock.taken(terms.path)
        if free is None:
            return False  # somebody starts one, and may be about to find this one
        os.set_inheritable(free, True)
        command = terms.again(idle=idle, lock=free).command()
        try:
            os.posix_spawn(command[0], command, dict(loaded.environ), setsid=True)
        finally:
            os.close(free)
    except OSError:
        return False
    return True
