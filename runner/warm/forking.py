"""Forks the warm process for one command, and tells the command whether that has become what it asked for."""

import os
import signal
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import NoReturn

from runner.warm.child import Handed, become, out_of_the_way
from runner.warm.frames import encoded
from runner.warm.session import Session

Run = Callable[[Sequence[str]], NoReturn]

_INTERNAL = 3


def forked(session: Session, handed: Handed, *, closing: Collection[int], added: Mapping[str, str], run: Run) -> int:
    """The number of a new process that carries out a command. Over the connection it says `began`, or else `refused`.

    Args:
        session: with the descriptors that were received.
        handed: the command.
        closing: all other descriptors of the warm process.
        added: variables that loading has set.
        run: carries out a command line, and never returns.

    Raises:
        OSError: there cannot be another process.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        pid = os.fork()
        if pid == 0:
            try:
                _begin(session, handed, closing=closing, added=added)
                run(handed.arguments)
            except KeyboardInterrupt:
                os._exit(128 + signal.SIGINT)
            except Exception as error:  # noqa: BLE001 - the border of the process: nobody above could handle it
                os.write(2, f"error: the warm start failed: {error!r}\n  RUNNER_WARM=off runs without\n".encode())
            finally:
                os._exit(_INTERNAL)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return pid


def _begin(session: Session, handed: Handed, *, closing: Collection[int], added: Mapping[str, str]) -> None:
    """Become the command and tell it so; or tell it that this could not be, and end."""
    connection = telling = session.connection.fileno()
    try:
        telling = out_of_the_way(connection, handed, session.received)
        become(handed, session.received, closing=[connection, *closing], added=added)
        os.write(telling, encoded({"state": "began", "pid": os.getpid()}))  # if it has gone, nothing begins
        os.close(telling)
    except Exception:  # noqa: BLE001 - whatever it is, the command can still start cold
        with suppress(OSError):
            os.write(telling, encoded({"state": "refused"}))
        os._exit(_INTERNAL)
