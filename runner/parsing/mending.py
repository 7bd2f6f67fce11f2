"""Repairs JSON that a mode could not read, where the repaired value fits what it is meant for."""

from runner.engine.ports import ToolDefinition
from runner.parsing.inputs import unfenced
from runner.parsing.output import Output, Problems
from runner.parsing.repair import Repaired, repair
from runner.spec import JsonObject


class Mender:
    """Mends complete replies only: the caller has seen to it that nothing was cut off.

    Args:
        problems: what of a value does not fit a JSON Schema.
    """

    def __init__(self, problems: Problems) -> None:
        self._problems = problems

    def arguments(self, text: str, tool: ToolDefinition | None) -> Repaired | None:
        """The arguments of a tool call, if they then are just what the tool takes."""
        if tool is None:
            return None
        return repair(
            unfenced(text.strip()),
            lambda value: isinstance(value, dict) and not self._problems(value, tool.parameters),
        )

    def answer(self, text: str, output: Output) -> Repaired | None:
        """A structured answer."""
        return repair(unfenced(text.strip()), lambda value: not self._problems(value, output.schema))

    def message(self, text: str, schema: JsonObject) -> Repaired | None:
        """A whole reply, if it then fits the schema of replies."""
        return repair(unfenced(text.strip()), lambda value: not self._problems(value, schema))
