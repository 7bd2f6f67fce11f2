"""A person at a pseudo-terminal, for tests of what asks them."""

import asyncio
import os
import pty
import tty
from contextlib import suppress
from types import TracebackType
from typing import Self, TextIO

from runner.cli.terminal import Terminal
from tests.cli.screen import seen

_PATIENCE = 20.0  # seconds; a wait that is not in vain takes milliseconds


class Person:
    """Reads and types; `terminal` is what they sit at, `err` the stream that writes on it."""

    def __init__(self) -> None:
        self._master, self._slave = pty.openpty()
        self.err: TextIO = os.fdopen(os.dup(self._slave), "w", encoding="utf-8", buffering=1)
        self.terminal = Terminal(self.err, descriptor=self._slave)
        self._read = b""
        self._more = asyncio.Event()
        self._looked = 0  # what was seen before is not waited for again

    async def __aenter__(self) -> Self:
        asyncio.get_running_loop().add_reader(self._master, self._listen)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.get_running_loop().remove_reader(self._master)
        self.err.close()
        os.close(self._slave)
        os.close(self._master)

    def _listen(self) -> None:
        with suppress(OSError):
            self._read += os.read(self._master, 65_536)
            self._more.set()

    @property
    def screen(self) -> str:
        """All that is on the terminal, the echo of what was typed included."""
        return "\n".join(seen(self._read.decode(errors="ignore").replace("\r\n", "\n")))

    async def sees(self, text: str) -> None:
        """Wait until it stands on the terminal, behind what was seen last."""
        async with asyncio.timeout(_PATIENCE):
            while text not in (new := self._read[self._looked :].decode(errors="replace").replace("\r\n", "\n")):
                self._more.clear()
                await self._more.wait()
        self._looked += len(new[: new.index(text) + len(text)].replace("\n", "\r\n").encode())

    def types(self, text: str) -> None:
        """Type it; nothing else is pressed."""
        os.write(self._master, text.encode())

    async def answers(self, question: str, answer: str) -> None:
        """Wait for a question, and answer it with a line."""
        await self.sees(question)
        self.types(f"{answer}\n")

    def raw(self) -> None:
        """Leave the terminal as an editor needs it."""
        tty.setraw(self._slave)
