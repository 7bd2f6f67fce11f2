"""The standard streams of the process: who may write to them, in which encoding, and how the process leaves them."""

import atexit
import errno
import io
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO, NoReturn, TextIO

from runner.cli.outlet import Outlet, Unheld

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

# What a shell reports for a process that SIGPIPE ended: the reader of our output has gone.
READER_GONE = 141
_UNWRITABLE = 3
_INTERRUPTED = (130, 143)
# How long exit functions may hold the process once its work is done.
_EXIT_SECONDS = 0.1
# How long a reader may take nothing while the process has to end.
_GRACE_SECONDS = 1.0
# So much of what nobody reads on stderr is kept.
_MOST_UNREAD = 16 * 2**20
# Our stdout and our stderr, once they are claimed.
_claimed: list[Outlet] = []
# What takes secrets out of what is printed, once there may be any.
_hiding: list[Callable[[str], str]] = []


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
        raise UnwritableError(_unwritable(error)) from None


def _unwritable(error: OSError) -> str:
    # The caller closed it, and `prepare` put something in its place that cannot be written.
    reason = "standard output is closed" if error.errno == errno.EBADF else error.strerror
    return f"the output cannot be written: {reason}"


class Output:
    """Our own stdout: UTF-8 whatever the locale, each write out at once, lone surrogates replaced.

    Args:
        stream: where to.
        outlet: what `stream` writes to, if its reader cannot hold us.
    """

    def __init__(self, stream: BinaryIO | io.RawIOBase, *, outlet: Outlet | None = None) -> None:
        self._stream = stream
        self._outlet = outlet

    def write(self, text: str) -> None:
        """Write `text`.

        Raises:
            ReaderGone: the other end of the pipe is closed.
            UnwritableError: it cannot be written for another reason, such as a full disk.
        """
        rest = memoryview(text.encode("utf-8", "replace"))
        with _translated():
            while rest:
                rest = rest[self._stream.write(rest) or 0 :]

    def hurry(self) -> None:
        """The process has to end: who does not read what is written gets a moment, and then does without it."""
        if self._outlet is not None:
            self._outlet.patience = _GRACE_SECONDS

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


class _Shown(io.TextIOWrapper):
    """A standard stream as Python code sees it: what is printed, also by tools, has no secrets in it."""

    def write(self, text: str, /) -> int:
        """Write `text`, each secret in it hidden."""
        shown = text
        for hide in _hiding:
            shown = hide(shown)
        super().write(shown)
        return len(text)


def hide_in_prints(hide: Callable[[str], str]) -> None:
    """From now on show only what `hide` leaves of each piece of text that is printed."""
    _hiding.append(hide)


class _Unheard(_Standard):
    """A stream that nobody has to listen to: writing never fails, so a closed stderr cannot end a run."""

    def release(self, outlet: Outlet) -> None:
        """Write to `outlet` from now on."""
        self._raw = Unheld(outlet, most=_MOST_UNREAD)

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
            # It takes the lowest free number, which is this one. An answer must not be lost unnoticed: writing fails.
            os.open(os.devnull, os.O_RDONLY if descriptor == 1 else os.O_RDWR)
    # Made anew, they ignore PYTHONIOENCODING and LC_ALL, and exist also where Python found their descriptor closed.
    sys.stdout = _text(_Standard(_raw(1)))
    sys.stderr = _text(_Unheard(_raw(2)))


def _raw(descriptor: int) -> io.RawIOBase:
    return open(descriptor, "wb", buffering=0, closefd=False)


def _text(raw: io.RawIOBase) -> io.TextIOWrapper:
    return _Shown(io.BufferedWriter(raw), encoding="utf-8", errors="replace", line_buffering=True)


def claim_stdout() -> Output:
    """Take stdout for ourselves alone; from now on whatever else is printed, even by C libraries, goes to stderr.

    Programs read our stdout, and banners, warnings or a `print` in a tool would break what they read. From now on a
    reader that does not read holds nobody: neither here nor on stderr does writing wait. Nothing is ever restored: the
    claim holds until the process ends.

    Raises:
        UnwritableError: stdout is closed, which is better told before anything happens.
    """
    sys.stdout.flush()
    own = os.dup(1)
    with _translated():
        os.write(own, b"")
    out = Outlet(own)
    # In one pipe, as of `2>&1`, everything has to stay in order.
    err = out if _one_file(1, 2) else Outlet(2, patience=_GRACE_SECONDS)
    os.dup2(2, 1)
    raw = getattr(getattr(sys.stderr, "buffer", None), "raw", None)
    if isinstance(raw, _Unheard):
        raw.release(err)
    sys.stdout = sys.stderr
    _claimed[:] = [out, err]
    return Output(Unheld(out), outlet=out)


def _one_file(first: int, second: int) -> bool:
    # Pipes of Windows have no number to tell them apart by.
    return os.fstat(first).st_ino != 0 and os.path.sameopenfile(first, second)


def leave(code: int) -> NoReturn:
    """End the process now with exit code `code`, or with that of a stdout that could not be written after all.

    Tearing down the interpreter waits for threads that a tool left behind and takes over a second once litellm is
    loaded, so it is skipped; exit functions still get their turn, for a moment.
    """
    code = _deliver(code)
    watchdog = threading.Timer(_EXIT_SECONDS, os._exit, [code])
    watchdog.daemon = True
    watchdog.start()
    atexit._run_exitfuncs()  # noqa: SLF001 - there is no public way to run them without the teardown
    _flush()
    os._exit(code)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError, ReaderGone, UnwritableError):  # a tool may set them to None
            stream.flush()


def _deliver(code: int) -> int:
    """Wait for the readers of what is claimed, and return the exit code."""
    if not _claimed:
        return code
    out, err = _claimed
    if code in _INTERRUPTED:
        out.patience = _GRACE_SECONDS
    _flush()
    try:
        out.finish()
    except BrokenPipeError:
        code = READER_GONE
    except OSError as error:
        code = _UNWRITABLE
        sys.stderr.write(f"error: {_unwritable(error)}\n")
    with suppress(OSError):
        err.finish()
    return code
