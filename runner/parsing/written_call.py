"""Makes a tool call of a tool's name and input as a model wrote them."""

from collections.abc import Callable
from dataclasses import dataclass

from runner.engine.messages import ToolCall
from runner.engine.ports import ToolDefinition
from runner.parsing.inputs import read_object
from runner.parsing.known_tools import KnownTools, undecorated
from runner.parsing.mending import Mender
from runner.spec import JsonObject

_MAX_NAME_CHARS = 80


@dataclass(frozen=True, kw_only=True, slots=True)
class InputForm:
    """How a protocol writes the inputs of calls.

    Attributes:
        read: reads an input, or raises ValueError when it cannot.
        hint: what to write instead of one that cannot be read.
        mender: repairs small slips in one.
    """

    read: Callable[[str, ToolDefinition], JsonObject]
    hint: str
    mender: Mender | None = None


def written_call(name: str, given: str, *, tools: KnownTools, form: InputForm) -> ToolCall:
    """The call that `name` and the input `given` ask for.

    Args:
        name: as written; one that no tool has stays as it is, never a part of it (field bug B14).
        given: the input as written.
        tools: what there is to call.
        form: how the protocol writes inputs.
    """
    tool = tools.resolve(name)
    if tool is None:
        return ToolCall(id="", name=_shortened(undecorated(name)), arguments=_maybe_object(given))
    try:
        return ToolCall(id="", name=tool.name, arguments=form.read(given, tool))
    except ValueError as error:
        mended = form.mender and form.mender.arguments(given, tool)
        if mended:
            return ToolCall(id="", name=tool.name, arguments=mended.value, repaired=mended.what)
        return ToolCall(id="", name=tool.name, arguments=None, problem=f"{tool.name} was not run: {error}; {form.hint}")


def _maybe_object(text: str) -> JsonObject:
    """The arguments for a tool that there is not, as far as they can be read: they are only shown."""
    try:
        return read_object(text.strip() or "{}")
    except ValueError:
        return {}


def _shortened(name: str) -> str:
    return name if len(name) <= _MAX_NAME_CHARS else f"{name[:_MAX_NAME_CHARS]}…"
