"""The standard streams of the process: who may write to them, in which encoding, and how the process leaves them."""

import atexit
import io
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO, NoReturn, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

# What a shell reports for a process that SIGPIPE ended: the reader of our output has gone.
READER_GONE = 141
# How long exit functions may hold the process once its work is done.
_EXIT_SECONDS = 0.1
# Kept, or the garbage collector would complain about it at the very end.
_claimed: list[BinaryIO] = []


class ReaderGone(Exception):  # noqa: N818 - it happens to every program before a pipe; nobody did anything wrong
    """Nobody reads our stdout any more."""


class UnwritableError(Exception):
    """Our stdout cannot be written; the message says why."""


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise ReaderGone from None
    except OSError as error:
        raise UnwritableError(f"the output cannot be written: {error.strerror}") from None


class Output:
    """Our own stdout: UTF-8 whatever the locale, each write out at once, lone surrogates replaced."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        """Write `text`.

        Raises:
            ReaderGone: the other end of the pipe is closed.
            UnwritableError: it cannot be written for another reason, such as a full disk.
        """
        rest = memoryview(text.encode("utf-8", "replace"))
        with _translated():
            while rest:
                rest = rest[self._stream.write(rest) :]

    def isatty(self) -> bool:
        """Whether a person sees it."""
        return self._stream.isatty()


class _Standard(io.RawIOBase):
    """A standard stream, which says what became of its reader when it cannot be written."""

    def __init__(self, raw: io.RawIOBase) -> None:
        self._raw = raw

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write some of `data`, and return how much.

        Raises:
            ReaderGone, UnwritableError: as `Output.write`.
        """
        with _translated():
            return self._raw.write(data) or 0

    def writable(self) -> bool:
        """Say yes."""
        return True

    def isatty(self) -> bool:
        """Whether a person sees it."""
        return self._raw.isatty()

    def fileno(self) -> int:
        """The descriptor."""
        return self._raw.fileno()


class _Unheard(_Standard):
    """A stream that nobody has to listen to: writing never fails, so a closed stderr cannot end a run."""

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write `data` if that is possible."""
        try:
            return super().write(data)
        except (ReaderGone, UnwritableError):
            return memoryview(data).nbytes


def colours(stream: TextIO) -> bool:
    """Whether text for `stream` may be coloured: it is a terminal, and the person did not ask for none."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def prepare() -> None:
    """Make the three standard streams exist and speak UTF-8.

    A descriptor that the caller closed would otherwise be given to the next file that is opened, which would then
    receive what is meant for stdout or stderr.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
    # Made anew, they ignore PYTHONIOENCODING and LC_ALL, and exist also where Python found their descriptor closed.
    sys.stdout = _text(_Standard(_raw(1)))
    sys.stderr = _text(_Unheard(_raw(2)))


def _raw(descriptor: int) -> io.RawIOBase:
    return open(descriptor, "wb", buffering=0, closefd=False)


def _text(raw: io.RawIOBase) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8", errors="replace", line_buffering=True)


def claim_stdout() -> Output:
    """Take stdout for ourselves alone; from now on whatever else is printed, even by C libraries, goes to stderr.

    Programs read our stdout, and banners, warnings or a `print` in a tool would break what they read. Nothing is ever
    restored: the claim holds until the process ends.
    """
    sys.stdout.flush()
    own = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    _claimed.append(open(own, "wb", buffering=0))  # noqa: PTH123, SIM115 - kept open until the process ends
    return Output(_claimed[-1])


def leave(code: int) -> NoReturn:
    """End the process now with exit code `code`.

    Tearing down the interpreter waits for threads that a tool left behind and takes over a second once litellm is
    loaded, so it is skipped; exit functions still get their turn, for a moment.
    """
    watchdog = threading.Timer(_EXIT_SECONDS, os._exit, [code])
    watchdog.daemon = True
    watchdog.start()
    atexit._run_exitfuncs()  # noqa: SLF001 - there is no public way to run them without the teardown
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError, ReaderGone, UnwritableError):  # a tool may set them to None
            stream.flush()
    os._exit(code)
