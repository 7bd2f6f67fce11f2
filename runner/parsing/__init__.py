"""Parsing modes: how tools are offered to a model and how its replies are read. One entry in `MODES` each."""

from collections.abc import Callable, Sequence

from runner.engine.ports import Capabilities, ParsingMode, ToolDefinition
from runner.parsing.json_mode import JsonMode
from runner.parsing.native import NativeMode

MODES: dict[str, Callable[[Sequence[ToolDefinition], Capabilities], ParsingMode]] = {
    "native": NativeMode,
    "json": JsonMode,
}


def choose_mode(name: str, tools: Sequence[ToolDefinition], capabilities: Capabilities) -> ParsingMode:
    """Make the mode called `name`; `auto` is json for models known not to call functions, else native."""
    if name == "auto":
        name = "json" if capabilities.function_calling is False else "native"
    return MODES[name](tools, capabilities)
