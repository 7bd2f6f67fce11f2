"""Reads what a person types on a terminal while everything else of the process goes on."""

import asyncio
import os
import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from runner.report.phrases import visible

if sys.platform != "win32":
    import termios

_PIECE = 65_536
_EDITOR_SECONDS = 1.0


class EditorError(Exception):
    """The editor could not be used; the message is one line for a person."""


class Terminal:
    """A terminal with a person in front of it.

    Args:
        shown: what they read, stderr as a rule.
        descriptor: what they type on.
    """

    def __init__(self, shown: TextIO, *, descriptor: int = 0) -> None:
        self._shown = shown
        self._descriptor = descriptor

    @classmethod
    def of(cls, shown: TextIO, *, descriptor: int = 0) -> "Terminal | None":
        """The terminal, if a person can both read `shown` and type."""
        try:
            return cls(shown, descriptor=descriptor) if shown.isatty() and os.isatty(descriptor) else None
        except OSError:
            return None

    def show(self, text: str) -> None:
        """Write text that is safe to show."""
        self._shown.write(text)
        self._shown.flush()

    def forget_typed_ahead(self) -> None:
        """Drop what was typed before anybody asked: it cannot be the answer."""
        if sys.platform != "win32":
            with suppress(termios.error):
                termios.tcflush(self._descriptor, termios.TCIFLUSH)

    async def line(self, prompt: str) -> str | None:
        """One line without its end; None when the person has closed the input (Ctrl-D) or the terminal has gone.

        When the wait is cancelled nothing goes on reading: the next line belongs to whoever asks next.
        """
        self.show(prompt)
        loop = asyncio.get_running_loop()
        got: asyncio.Future[bytes] = loop.create_future()
        read = bytearray()

        def ready() -> None:
            try:
                piece = os.read(self._descriptor, _PIECE)
            except BlockingIOError:
                return
            except OSError:
                piece = b""
            read.extend(piece)
            if (not piece or read.endswith(b"\n")) and not got.done():
                got.set_result(bytes(read))

        try:
            loop.add_reader(self._descriptor, ready)
        except NotImplementedError:  # the loop of Windows watches no terminals; there a thread waits
            return _text((await asyncio.to_thread(sys.stdin.readline)).encode())
        try:
            return _text(await got)
        except asyncio.CancelledError:
            self.show("\n")
            raise
        finally:
            loop.remove_reader(self._descriptor)

    async def edited(self, text: str, *, name: str) -> str | None:
        """The text as the person leaves it in their editor, in a file of this name; None when they have set no editor.

        Raises:
            EditorError: it cannot be started, or fails.
        """
        command = os.environ.get("VISUAL") or os.environ.get("EDITOR")
        if not command:
            return None
        with tempfile.TemporaryDirectory(prefix="runner-") as folder, _kept_settings(self._descriptor):
            file = Path(folder) / name
            file.write_text(text, encoding="utf-8")
            try:
                process = await asyncio.create_subprocess_exec(*shlex.split(command), str(file))
            except (OSError, ValueError) as error:
                reason = (isinstance(error, OSError) and error.strerror) or str(error)
                raise EditorError(f"the editor {command!r} cannot be started: {reason}") from None
            try:
                code = await process.wait()
            except asyncio.CancelledError:
                await _end(process)
                raise
            if code != 0:
                raise EditorError(f"the editor {command!r} ended with exit code {code}")
            try:
                return file.read_text(encoding="utf-8-sig")
            except (OSError, UnicodeDecodeError):
                raise EditorError("the editor left no UTF-8 text") from None


async def _end(process: asyncio.subprocess.Process) -> None:
    """End an editor, which is given a moment to put the terminal in order."""
    with suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(_EDITOR_SECONDS):
            await process.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _text(line: bytes) -> str | None:
    if not line:
        return None
    return line.decode("utf-8", "replace").removesuffix("\n").removesuffix("\r")


@contextmanager
def _kept_settings(descriptor: int) -> Iterator[None]:
    """An editor that is ended by us leaves the terminal as it needed it; put it back as it was."""
    if sys.platform == "win32":
        yield
        return
    try:
        settings = termios.tcgetattr(descriptor)
    except termios.error:
        yield
        return
    try:
        yield
    finally:
        with suppress(termios.error):
            termios.tcsetattr(descriptor, termios.TCSADRAIN, settings)


def safe(text: str) -> str:
    """Text from outside in several lines, unable to drive the terminal."""
    return visible(text.replace("\r\n", "\n"), keep="\n\t")
