"""What a script writes to a chat, or a person where lines cannot be edited: each line of a stream is one text."""

import asyncio
from collections.abc import Callable
from typing import BinaryIO

from runner.models.background import in_background

_GOES_ON = "\\"


class Lines:
    """Reads lines of UTF-8; one that ends with a backslash goes on in the next.

    Args:
        stream: where the lines come from.
        prompt: called before each line.
    """

    def __init__(self, stream: BinaryIO, *, prompt: Callable[[], object] = lambda: None) -> None:
        self._stream = stream
        self._prompt = prompt

    async def read(self) -> str:
        """The next text.

        Raises:
            EOFError: there is none.
        """
        lines: list[str] = []
        while True:
            self._prompt()
            # In a thread of its own: the event loop has other things to do, and cannot wait for a file anyway.
            data = await asyncio.wrap_future(in_background(self._stream.readline, name="read stdin"))
            line = data.decode("utf-8", "replace").removeprefix("\ufeff").removesuffix("\n").removesuffix("\r")
            if not data and not lines:
                raise EOFError
            if not data or not line.endswith(_GOES_ON):
                return "\n".join([*lines, line] if data else lines)
            lines.append(line.removesuffix(_GOES_ON))
