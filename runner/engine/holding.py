"""Keeps what the tool calls of one run share (connections, say), from the first call that asks to the run's end."""

from collections.abc import Callable
from typing import Any

from runner.engine.ports import C, Closable


class Held:
    """One run's shared things, by what made them."""

    def __init__(self) -> None:
        self._made: dict[Callable[[], Closable], Any] = {}

    def get(self, kind: Callable[[], C]) -> C:
        """The one that `kind` made for this run; made now, if it is the first to ask."""
        if kind not in self._made:
            self._made[kind] = kind()
        made: C = self._made[kind]
        return made

    async def aclose(self) -> None:
        """Close everything, the last made first."""
        while self._made:
            _, made = self._made.popitem()
            await made.aclose()
