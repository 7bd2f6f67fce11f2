"""Starts, asks and stops a warm process."""

import fcntl
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from tempfile import TemporaryFile

from runner.warm import place
from runner.warm.connection import Connection
from runner.warm.frames import ProtocolError
from runner.warm.process import READY, command


class NotStartedError(Exception):
    """There is no warm process; the message says why."""


@dataclass(frozen=True, kw_only=True, slots=True)
class State:
    """A warm process.

    Attributes:
        path: its socket.
        pid: its number.
        seconds: how old it is.
        runs: how many it has begun.
        running: how many of these have not ended.
        refused: why the last run that was refused had to start cold.
        megabytes: its memory, shared pages in proportion; None if the system does not tell.
    """

    path: str
    pid: int
    seconds: float
    runs: int
    running: int
    refused: str | None
    megabytes: float | None


def state() -> State | None:
    """The warm process of this installation, if there is one that answers."""
    return _ask("status")


def stop() -> State | None:
    """End the warm process, and say what it was; one that has runs to wait for ends after them."""
    return _ask("stop")


def start(module: str, *, idle: float) -> tuple[State, bool]:
    """Start a warm process and wait until it is ready; and whether it was not there before.

    Args:
        module: as for `command`.
        idle: seconds without work after which it ends.

    Raises:
        NotStartedError: it did not come to that.
    """
    path = place.socket_path()
    try:
        place.make(place.folder())
        with _alone(f"{path}.lock"):
            found = state()
            return (found, False) if found is not None else (_started(module, path, idle), True)
    except (OSError, place.UnsafeFolderError) as error:
        raise NotStartedError(str(error)) from None


def _started(module: str, path: str, idle: float) -> State:
    with TemporaryFile() as complaints:
        process = subprocess.Popen(  # noqa: S603 - our own command line
            command(module, path, idle),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaints,
            start_new_session=True,
        )
        assert process.stdout is not None  # noqa: S101 - asked for above
        with process.stdout:
            is_ready = process.stdout.readline() == READY
        if not is_ready:
            complaints.seek(0)
            lines = complaints.read().decode("utf-8", "replace").split("\n")
            raise NotStartedError(next((line for line in reversed(lines) if line), "it ended without a word"))
    found = state()
    if found is None:
        raise NotStartedError("it does not answer")
    return found


@contextmanager
def _alone(path: str) -> Iterator[None]:
    """Whoever starts one at the same time waits, and then finds it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _ask(what: str) -> State | None:
    path = place.socket_path()
    try:
        with Connection(path) as warm:
            warm.send({"ask": what})
            told = warm.receive()
            if what == "stop" and not told["running"]:
                with suppress(OSError):
                    warm.receive()  # it hangs up when it ends
        return State(
            path=path,
            pid=int(told["pid"]),
            seconds=float(told["seconds"]),
            runs=int(told["runs"]),
            running=int(told["running"]),
            refused=told["refused"],
            megabytes=_megabytes(int(told["pid"])),
        )
    except (OSError, ProtocolError, place.UnsafeFolderError, KeyError, TypeError, ValueError):
        return None


def _megabytes(pid: int) -> float | None:
    with suppress(OSError), open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:  # noqa: PTH123 - as everywhere here
        for line in file:
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return None
