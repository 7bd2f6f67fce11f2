"""The JSON Schema of a document -> its keys, flat and in order, with what the reference says of each."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from runner.language.schema_files import schema_text
from runner.spec import Json, JsonObject

_REFERENCE = "#/$defs/"
_TYPES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "`true` or `false`",
    "array": "list",
    "object": "mapping",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where the reference tells of a part that several schemas share.

    Attributes:
        anchor: of that place.
        words: what a link to it says.
        home: the key whose own keys are told there; None for a section of its own.
    """

    anchor: str
    words: str
    home: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Key:
    """A key of a document.

    Attributes:
        path: as people write it, `model.price.input` or `examples[].user`.
        type: what its value is, Markdown.
        told_at: where its own keys are told, when that is another place.
    """

    path: str
    schema: JsonObject
    required: bool
    type: str
    told_at: Place | None = None

    @property
    def name(self) -> str:
        """The last part of its path, as it is written in a file."""
        return self.path.rpartition(".")[2].removesuffix("[]")


class Keys:
    """The keys of one schema file."""

    def __init__(self, kind: str, places: Mapping[str, Place]) -> None:
        """`places` are the homes of shared definitions, by their name under `$defs`."""
        self._whole: JsonObject = schema(kind)
        self._places = places

    def of_document(self) -> Iterator[Key]:
        """The keys of the file, and those below them."""
        return self._below(self._whole, "")

    def of_definition(self, name: str) -> Iterator[Key]:
        """The keys of a shared definition, and those below them."""
        return self._below(self._whole["$defs"][name], "")

    def _below(self, node: JsonObject, prefix: str) -> Iterator[Key]:
        required = {*node.get("required", ()), *node.get("then", {}).get("required", ())}
        for name, written in node.get("properties", {}).items():
            path = f"{prefix}{name}"
            place, value = self._home(written, path), self._resolved(written)
            if value.get("not") == {}:
                continue  # it is there to be refused with a good message
            needed = name in required or ("const" in value and "default" not in value)  # what tells kinds apart
            key = Key(path=path, schema=value, required=needed, type=self._type(written))
            yield replace(key, told_at=place)
            if place is None:
                yield from self._inside(value, path)

    def _inside(self, value: JsonObject, path: str) -> Iterator[Key]:
        """The keys of a mapping, of the items of a list, or of the values of a mapping with free keys."""
        yield from self._below(value, f"{path}.")
        for keyword, suffix in (("items", "[]"), ("additionalProperties", ".NAME")):
            child = value.get(keyword)
            if isinstance(child, Mapping) and self._home(child, f"{path}{suffix}") is None:
                yield from self._below(self._resolved(child), f"{path}{suffix}.")

    def _resolved(self, node: JsonObject) -> JsonObject:
        name = _referenced(node)
        return node if name is None else {**self._whole["$defs"][name], **node}

    def _home(self, node: JsonObject, path: str) -> Place | None:
        """Where a shared definition is told, if not here."""
        place = self._place(node)
        return None if place is None or place.home == path else place

    def _place(self, node: JsonObject) -> Place | None:
        return self._places.get(_referenced(node) or "")

    def _type(self, node: JsonObject) -> str:
        value, place = self._resolved(node), self._place(node)
        if place is not None and place.home is None:
            return _link(place)
        if "enum" in value:
            return "one of " + ", ".join(f"`{each}`" for each in value["enum"])
        if "const" in value:
            return f"`{json.dumps(value['const'])}`"
        types = value.get("type", [])
        words = [self._type_word(each, value) for each in ([types] if isinstance(types, str) else types)]
        return " or ".join(words) or "anything"

    def _type_word(self, name: str, value: JsonObject) -> str:
        if name == "array" and "items" in value:
            return f"list of: {self._type(value['items'])}"
        if name in ("integer", "number"):
            return f"{_TYPES[name]}{_bounds(value)}"
        then = value.get("then", {})
        if name == "string" and "enum" in then:
            return ", ".join(f"`{each}`" for each in then["enum"])
        place = self._place(then) if name == "object" else None
        return _TYPES[name] if place is None else _link(place)


@cache
def schema(kind: str) -> JsonObject:
    """The published schema of `agent`, `toolset` or `project`."""
    loaded: JsonObject = json.loads(schema_text(kind))
    return loaded


def _referenced(node: JsonObject) -> str | None:
    reference: Json = node.get("$ref")
    return reference.removeprefix(_REFERENCE) if isinstance(reference, str) else None


def _bounds(value: JsonObject) -> str:
    least, most = value.get("minimum"), value.get("maximum")
    if least is not None and most is not None:
        return f" from {least} to {most}"
    return f", at least {least}" if least is not None else ""


def _link(place: Place) -> str:
    return f"[{place.words}](#{place.anchor})"
