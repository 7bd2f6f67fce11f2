"""Makes of a fork of the warm process what the command would have been that it stands for."""

import fcntl
import importlib
import io
import os
import resource
import signal
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from runner.warm.frames import Message, ProtocolError

# That of the folder, and of the connection to the command.
_OTHERS = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Handed:
    """What a command hands over, as it came; `of` has looked at it.

    Attributes:
        descriptors: the numbers that its descriptors have there.
        unbuffered: whether it was started with `python -u`.
        path: its `sys.path`; `argv` and `orig_argv` the same.
        ignored: numbers of signals; `blocked` the same.
    """

    arguments: Sequence[str]
    descriptors: Sequence[int]
    environ: Mapping[str, str]
    argv: Sequence[str]
    orig_argv: Sequence[str]
    path: Sequence[str]
    umask: int
    unbuffered: bool
    ignored: Sequence[int]
    blocked: Sequence[int]

    @classmethod
    def of(cls, message: Message) -> "Handed":
        """Read it from a message.

        Raises:
            ProtocolError: something is missing, or not what it should be.
        """
        try:
            handed = cls(
                **{name: _all(str, message[name]) for name in ("arguments", "argv", "orig_argv", "path")},
                **{name: _all(int, message[name]) for name in ("descriptors", "ignored", "blocked")},
                environ=dict(
                    zip(_all(str, [*message["environ"]]), _all(str, [*message["environ"].values()]), strict=True)
                ),
                umask=int(message["umask"]),
                unbuffered=bool(message["unbuffered"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise ProtocolError("expected everything of a command") from None
        if handed.descriptors[:3] != (0, 1, 2):
            raise ProtocolError("expected the standard streams")
        return handed


def _all(kind: type, values: Any) -> tuple[Any, ...]:
    if not isinstance(values, list) or not all(isinstance(value, kind) for value in values):
        raise TypeError
    return tuple(values)


def fits(handed: Handed) -> bool:
    """Whether there is room, within the limit of this process, for the numbers that the descriptors have there."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(handed.descriptors) + len(handed.descriptors) + _OTHERS < most


def out_of_the_way(descriptor: int, handed: Handed, received: Sequence[int]) -> int:
    """A copy of a descriptor under a number that `become` leaves alone.

    Raises:
        OSError: there is no room for it.
    """
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, max(*handed.descriptors, *received) + 1)


def become(handed: Handed, received: Sequence[int], *, closing: Iterable[int], added: Mapping[str, str]) -> None:
    """Become the command; all signals are blocked when this is called.

    Args:
        handed: the command.
        received: its descriptors as they are here, and that of its folder.
        closing: descriptors of the warm process, which are no business of ours.
        added: variables that loading has set, as it would have in the command.

    Raises:
        OSError: something cannot be taken over.
    """
    os.setsid()
    for descriptor in closing:
        os.close(descriptor)
    _take_over(received, handed.descriptors)
    os.umask(handed.umask)
    os.environ.clear()
    os.environ.update(handed.environ)
    for name, value in added.items():
        os.environ.setdefault(name, value)
    time.tzset()
    sys.argv[:], sys.orig_argv[:], sys.path[:] = handed.argv, handed.orig_argv, handed.path
    importlib.invalidate_caches()  # what was installed or written meanwhile is found
    _make_streams(unbuffered=handed.unbuffered)
    _set_signals(handed)


def _take_over(received: Sequence[int], numbers: Sequence[int]) -> None:
    *descriptors, folder = received
    os.fchdir(folder)
    os.close(folder)
    # Out of the way first: a number that is wanted may be one that something else was received as.
    spare = max(*numbers, *descriptors) + 1
    moved = [_moved(descriptor, spare) for descriptor in descriptors]
    for source, number in zip(moved, numbers, strict=True):
        os.dup2(source, number)
        os.close(source)


def _moved(descriptor: int, least: int) -> int:
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, least)
    os.close(descriptor)
    return moved


def _make_streams(*, unbuffered: bool) -> None:
    """Make the standard streams anew, as Python makes them when it starts."""
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        before = getattr(sys, f"__{name}__")
        is_input = descriptor == 0
        size = 0 if unbuffered and not is_input else -1
        stream = io.TextIOWrapper(
            open(descriptor, "rb" if is_input else "wb", buffering=size, closefd=False),  # noqa: SIM115 - it stays open
            encoding=before.encoding,
            errors=before.errors,
            newline="\n",
            line_buffering=not unbuffered and (descriptor == 2 or os.isatty(descriptor)),
            write_through=unbuffered and not is_input,
        )
        setattr(sys, f"__{name}__", stream)
        setattr(sys, name, stream)


def _set_signals(handed: Handed) -> None:
    """Everything as in a process that has just started, then let in what was sent meanwhile."""
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        with suppress(OSError, ValueError):  # the C library keeps some for itself
            signal.signal(number, signal.SIG_IGN if number in handed.ignored else signal.SIG_DFL)
    if signal.SIGINT not in handed.ignored:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, handed.blocked)
