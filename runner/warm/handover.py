"""Hands a command line over to a warm process: everything that this process is, then its signals."""

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType
from typing import Any, NoReturn

from runner.warm.connection import Connection
from runner.warm.frames import Message, ProtocolError
from runner.warm.place import UnsafeFolderError
from runner.warm.surroundings import UnfitError, surroundings, umask

_INTERNAL = 3
_MOST_DESCRIPTORS = 60  # the kernel takes 253 at once
_STANDARD = (0, 1, 2)
# What a person or a supervisor sends. Whatever is ignored here is ignored there, too, and is not passed on.
_PASSED_ON = (
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGWINCH,
    signal.SIGUSR1,
    signal.SIGUSR2,
)
# A terminal sends these to everything that runs in front of it.
_OF_TERMINALS = (signal.SIGINT, signal.SIGQUIT, signal.SIGWINCH)
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_BROKEN = "the warm process ended in the middle of this run; what the run has done until then stays done"
_UNKNOWN = "the warm process ended before it told whether this run has begun; it is not begun a second time"
_HINT = "runner warm start starts another; RUNNER_WARM=off runs without"


def run(path: str, arguments: Sequence[str]) -> None:
    """Have the warm process at `path` carry out `arguments`, and end with its exit code; return if it does not."""
    try:
        descriptors = _descriptors()
        if descriptors is None or _in_background():
            return
        with Connection(path) as warm:
            warm.send(_everything(arguments, descriptors))
            if warm.receive()["state"] == "ready":
                # Not sooner: one that does not answer would hold them open for good.
                folder = os.open(".", os.O_PATH | os.O_DIRECTORY)
                try:
                    _Passing(warm).begin_and_end([*descriptors, folder])
                finally:
                    os.close(folder)
    except (OSError, ProtocolError, UnsafeFolderError, UnfitError, ValueError):
        return  # all of these come before `go`


def _everything(arguments: Sequence[str], descriptors: list[int]) -> Message:
    return {
        "ask": "run",
        "arguments": list(arguments),
        "descriptors": descriptors,
        "environ": dict(os.environ),
        "argv": sys.argv,
        "orig_argv": sys.orig_argv,
        "path": sys.path,
        "umask": umask(),
        "unbuffered": getattr(sys.stdout, "write_through", False),
        "ignored": [number for number in signal.valid_signals() if signal.getsignal(number) is signal.SIG_IGN],
        "blocked": list(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        "surroundings": surroundings(),
    }


def _descriptors() -> list[int] | None:
    """All that are open, such as that of `<(command)` in a shell; None if they cannot be handed over."""
    found = sorted(int(name) for name in os.listdir("/proc/self/fd"))  # noqa: PTH208 - pathlib is slow to import
    # The listing itself had one, which is closed by now; and if it was a standard stream, that was closed before.
    inherited = [number for number in found if _is_open(number)]
    return inherited if inherited[:3] == [*_STANDARD] and len(inherited) <= _MOST_DESCRIPTORS else None


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _terminal() -> int | None:
    """The process group in front of our terminal, if we have one."""
    for descriptor in _STANDARD:
        with suppress(OSError):
            return os.tcgetpgrp(descriptor)
    return None


def _in_background() -> bool:
    """Whether reading from our terminal would stop us. It does not stop the run: the terminal is not its own."""
    return _terminal() not in (None, os.getpgrp())


def _is_stopped(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - pathlib is slow to import
            return file.read().rpartition(")")[2].split()[0] in {"T", "t"}
    except OSError:
        return False


class _Passing:
    """A run that has been handed over: signals go to it, and its end is ours."""

    def __init__(self, warm: Connection) -> None:
        self._warm = warm
        self._pid: int | None = None
        self._heard: list[int] = []
        self._before: dict[int, Any] = {}

    def begin_and_end(self, descriptors: Sequence[int]) -> None:
        """Have it begin with these descriptors, wait until it ends, and end as it did; return if it has not begun."""
        self._warm.be_patient()
        # A signal that comes now comes after `go`: before it there is no run to send it to.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [*_PASSED_ON, signal.SIGTSTP])
        self._listen()
        try:
            has_gone = self._go(descriptors)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            status = self._status() if has_gone else None
        except (OSError, ProtocolError, KeyError, ValueError):
            self._broken()
        if status is not None:
            _end_like(os.waitstatus_to_exitcode(status))
        self._listen_no_more()

    def _go(self, descriptors: Sequence[int]) -> bool:
        """Whether it can have heard that it should begin."""
        try:
            self._warm.send({"ask": "go"}, descriptors)
        except OSError:
            return False
        return True

    def _status(self) -> int | None:
        """How the run ended; None if it has not begun."""
        while (message := self._warm.receive())["state"] not in {"ended", "refused"}:
            self._pid = int(message["pid"])
        return int(message["status"]) if message["state"] == "ended" else None

    def _listen(self) -> None:
        for number in _PASSED_ON:
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._pass_on)
        if signal.getsignal(signal.SIGTSTP) is signal.SIG_DFL:
            self._before[signal.SIGTSTP] = signal.signal(signal.SIGTSTP, self._stop)

    def _listen_no_more(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        for number in self._heard:  # it was for the run, which begins only now
            os.kill(os.getpid(), number)

    def _pass_on(self, number: int, frame: FrameType | None) -> None:
        del frame
        if self._pid is None:
            self._heard.append(number)
        if _is_stopped(self._warm.pid):
            self._pass_by(number)
            return
        with suppress(OSError):  # that it has gone is found out where it is waited for
            self._warm.send({"ask": "signal", "number": number, "group": self._from_terminal(number)})

    def _from_terminal(self, number: int) -> bool:
        return number in _OF_TERMINALS and _terminal() == os.getpgrp()

    def _pass_by(self, number: int) -> None:
        """Do without the warm process, which can neither pass a signal on nor tell that the run has ended."""
        if self._pid is not None:
            with suppress(OSError):
                os.kill(self._pid, number)  # nobody else can have waited for it: the number is still its own
        if number in _ENDING:
            os._exit(128 + number)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        """Stop the run and then ourselves; go on together.

        SIGTSTP would not stop the run: it is alone in its session, where nobody could continue it.
        """
        del frame
        with suppress(OSError):
            self._warm.send({"ask": "signal", "number": signal.SIGSTOP, "group": True})
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, self._stop)
        with suppress(OSError):
            self._warm.send({"ask": "signal", "number": signal.SIGCONT, "group": True})

    def _broken(self) -> NoReturn:
        # Nobody else ends the run now. It must not begin anew either: nobody knows how far it came.
        if self._pid is not None:
            with suppress(OSError):
                os.kill(self._pid, signal.SIGTERM)
        with suppress(OSError):
            os.write(2, f"error: {_UNKNOWN if self._pid is None else _BROKEN}\n  {_HINT}\n".encode())
        os._exit(_INTERNAL)


def _end_like(code: int) -> NoReturn:
    """End as the run did: with its exit code, or by its signal, which the shell tells from one."""
    if code < 0:
        import resource  # noqa: PLC0415 - a run that was killed is rare

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the run has left the core, if there is to be one
        with suppress(OSError, ValueError):  # some signals have no handler to take away
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code if code >= 0 else 128 - code)
