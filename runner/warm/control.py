"""Starts, asks and stops a warm process."""

import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from tempfile import TemporaryFile

from runner.warm import lock, place
from runner.warm.connection import Connection
from runner.warm.frames import Message, ProtocolError
from runner.warm.process import READY
from runner.warm.terms import Terms


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
        idle: seconds without work after which it ends.
        refused: why the last run that was refused had to start cold.
        megabytes: its memory, shared pages in proportion; None if the system does not tell.
    """

    path: str
    pid: int
    seconds: float
    runs: int
    running: int
    idle: float
    refused: str | None
    megabytes: float | None


def state() -> State | None:
    """The warm process of this installation, if there is one that answers."""
    return _ask({"ask": "status"})


def is_loading() -> bool:
    """Whether there will be one soon."""
    try:
        place.check(place.folder())
        free = lock.taken(place.socket_path())
    except (OSError, place.UnsafeFolderError):
        return False
    if free is not None:
        os.close(free)
    return free is None


def stop() -> State | None:
    """End the warm process, also one that is still loading, and say what it was; one that has runs ends after them."""
    try:
        place.check(place.folder())
        with lock.alone(place.socket_path()):
            return _ask({"ask": "stop"})
    except (OSError, place.UnsafeFolderError):
        return None


def start(module: str, *, idle: float) -> tuple[State, bool]:
    """Start a warm process and wait until it is ready; and whether it was not there before.

    Args:
        module: the one that is it.
        idle: seconds without work after which it ends, also if it was there.

    Raises:
        NotStartedError: it did not come to that.
    """
    path = place.socket_path()
    try:
        place.make(place.folder())
        with lock.alone(path) as held:
            found = _ask({"ask": "idle", "seconds": idle})
            if found is not None:
                return found, False
            return _started(Terms(module=module, path=path, idle=idle, lock=held, sys_path=sys.path)), True
    except (OSError, place.UnsafeFolderError) as error:
        raise NotStartedError(str(error)) from None


def _started(terms: Terms) -> State:
    with TemporaryFile() as complaints:
        process = subprocess.Popen(  # noqa: S603 - our own command line
            terms.command(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaints,
            start_new_session=True,
            pass_fds=[terms.lock],
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


def _ask(question: Message) -> State | None:
    path = place.socket_path()
    try:
        with Connection(path) as warm:
            warm.send(question)
            told = warm.receive()
            if question["ask"] == "stop" and not told["running"]:
                with suppress(OSError):
                    warm.receive()  # it hangs up when it ends
        return State(
            path=path,
            pid=int(told["pid"]),
            seconds=float(told["seconds"]),
            runs=int(told["runs"]),
            running=int(told["running"]),
            idle=float(told["idle"]),
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
