"""An agent of this language in the making: its fields, and where each came from."""

import re
from collections.abc import Sequence

from runner.importing.part import Part
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
        self._fields: JsonObject = {}
        self._origins: dict[str, list[str]] = {}

    def put(self, place: str, value: Json, part: Part, key: str) -> None:
        """Set a field, given as `model.temperature`, to what was taken from `key`; None is not there at all."""
        if value is not None:
            self.put_from(place, value, part.origin(key))

    def put_from(self, place: str, value: Json, origin: str | None = None) -> None:
        """Set a field; `origin` is told in a comment."""
        *around, last = place.split(".")
        mapping = self._fields
        for step in around:
            mapping = mapping.setdefault(step, {})
        mapping[last] = value
        if origin:
            self._origins.setdefault(place.partition(".")[0], []).append(origin)

    def get(self, key: str) -> Json:
        """A field that was set; None when it was not."""
        return self._fields.get(key)

    def origins(self, key: str) -> Sequence[str]:
        """Where a field came from, in the order it was put together."""
        return self._origins.get(key, ())

    def fields(self, name: str) -> JsonObject:
        """All fields, in the order people like to read them; the agent is called `name`."""
        found: JsonObject = {"version": "1", "name": name, **self._fields}
        model = found.get("model")
        if isinstance(model, dict) and model.keys() == {"name"}:
            found["model"] = model["name"]
        return {key: found[key] for key in _ORDER if key in found}


def agent_name(title: str | None) -> str:
    """A name this language allows, made of any text."""
    name = _NOT_IN_A_NAME.sub("-", (title or "").lower()).strip("-_").lstrip("0123456789-_")
    return name[:_NAME_CHARACTERS].rstrip("-_") or "agent"
