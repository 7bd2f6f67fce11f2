"""An agent of this language in the making: its fields, and where each came from."""

import re

from runner.importing.part import Origin, Part
from runner.spec import Json, JsonObject

_NOT_IN_A_NAME = re.compile(r"[^a-z0-9_]+")
_NAME_CHARACTERS = 64
_ORDER = (
    *("version", "name", "description", "metadata", "model", "inputs", "instructions", "prompt", "examples"),
    *("tools", "tool_choice", "parsing", "output_schema", "limits", "on_limit"),
)


class AgentDraft:
    """Collects the fields of one agent.

    Attributes:
        title: what the source calls it; None when it gives no name.
    """

    def __init__(self, title: str | None = None) -> None:
        self.title = title
        self._fields: dict[str, Json] = {}
        self._origins: dict[str, list[Origin]] = {}

    def put(self, place: str, value: Json, part: Part, key: str) -> None:
        """Set a field, given as `model.temperature`, to what was taken from `key`; None is not there at all."""
        if value is not None:
            self.put_from(place, value, part.origin(key))

    def put_from(self, place: str, value: Json, origin: Origin | None = None) -> None:
        """Set a field; `origin` is told in a comment."""
        *around, last = place.split(".")
        mapping: dict[str, Json] = self._fields
        for step in around:
            mapping = mapping.setdefault(step, {})
        mapping[last] = value
        if origin is not None:
            self._origins.setdefault(place.partition(".")[0], []).append(origin)

    def get(self, key: str) -> Json:
        """A field that was set; None when it was not."""
        return self._fields.get(key)

    @property
    def has_model(self) -> bool:
        """Whether the source has named a model."""
        model = self._fields.get("model")
        return isinstance(model, dict) and "name" in model

    def origins(self, key: str) -> str:
        """Where a field came from, in words: `settings, lines 3 and 4`; empty when nobody knows."""
        lines: dict[str, list[int]] = {}
        for origin in self._origins.get(key, ()):
            lines.setdefault(origin.place, []).append(origin.line)
        return "; ".join(f"{place}, {_lines(sorted(set(numbers)))}" for place, numbers in lines.items())

    def fields(self, name: str) -> JsonObject:
        """All fields, in the order people like to read them; the agent is called `name`."""
        found: dict[str, Json] = {"version": "1", "name": name, **self._fields}
        model = found.get("model")
        if isinstance(model, dict) and "name" in model:
            found["model"] = {"name": model["name"], **model} if len(model) > 1 else model["name"]
        return {key: found[key] for key in _ORDER if key in found}


def _lines(numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"line {numbers[0]}"
    return f"lines {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


def agent_name(title: str | None) -> str:
    """A name this language allows, made of any text."""
    name = _NOT_IN_A_NAME.sub("-", (title or "").lower()).strip("-_").lstrip("0123456789-_")
    return name[:_NAME_CHARACTERS].rstrip("-_") or "agent"
