"""Makes a tool call of a tool's name and input as a model wrote them."""

from collections.abc import Callable

from runner.engine.messages import ToolCall
from runner.engine.ports import ToolDefinition
from runner.parsing.inputs import read_object
from runner.parsing.known_tools import KnownTools, undecorated
from runner.spec import JsonObject

_MAX_NAME_CHARS = 80


def written_call(
    name: str, given: str, *, tools: KnownTools, read: Callable[[str, ToolDefinition], JsonObject], hint: str
) -> ToolCall:
    """The call that `name` and the input `given` ask for.

    Args:
        name: as written; one that no tool has stays as it is, never a part of it (field bug B14).
        given: the input as written, to be read with `read`, which raises ValueError when it cannot.
        tools: what there is to call.
        read: how the protocol reads inputs.
        hint: what to write instead of an input that cannot be read.
    """
    tool = tools.resolve(name)
    if tool is None:
        return ToolCall(id="", name=_shortened(undecorated(name)), arguments=_maybe_object(given))
    try:
        return ToolCall(id="", name=tool.name, arguments=read(given, tool))
    except ValueError as error:
        return ToolCall(id="", name=tool.name, arguments=None, problem=f"{tool.name} was not run: {error}; {hint}")


def _maybe_object(text: str) -> JsonObject:
    """The arguments for a tool that there is not, as far as they can be read: they are only shown."""
    try:
        return read_object(text.strip() or "{}")
    except ValueError:
        return {}


def _shortened(name: str) -> str:
    return name if len(name) <= _MAX_NAME_CHARS else f"{name[:_MAX_NAME_CHARS]}…"
