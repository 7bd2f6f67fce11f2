"""Finds the tool that a model means by a name it wrote, without ever guessing."""

from collections.abc import Sequence

from runner.engine.ports import ToolDefinition

# What models put around a name. Never part of one: names are `[a-zA-Z_][a-zA-Z0-9_-]{0,63}`.
_DECORATION = " \t\r\n`\"'()[]{}<>*#.,:;!=“”‘’「」『』《》【】（）。，：；、"  # noqa: RUF001 - the marks of Chinese texts


class KnownTools:
    """The tools of a run, by name."""

    def __init__(self, definitions: Sequence[ToolDefinition]) -> None:
        self.definitions = tuple(definitions)
        self._by_name = {tool.name: tool for tool in definitions}
        self._by_case: dict[str, list[ToolDefinition]] = {}
        for tool in definitions:
            self._by_case.setdefault(tool.name.casefold(), []).append(tool)

    def resolve(self, written: str) -> ToolDefinition | None:
        """The tool of exactly this name, else the only one whose name is the same but for case and decoration.

        There is no matching by similarity: that could run the wrong tool (field bug B15).
        """
        bare = undecorated(written)
        exact = self._by_name.get(written) or self._by_name.get(bare)
        same = self._by_case.get(bare.casefold(), [])
        return exact or (same[0] if len(same) == 1 else None)

    def __bool__(self) -> bool:
        return bool(self.definitions)

    def __str__(self) -> str:
        return ", ".join(self._by_name)


def undecorated(written: str) -> str:
    """A name without what models put around it."""
    return written.strip(_DECORATION)
