"""What a published schema says about one place of a file: the subschemas that hold there."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

Schema = dict[str, Any]
_NODE_TYPES: dict[type[yaml.Node], str] = {yaml.MappingNode: "object", yaml.SequenceNode: "array"}


@dataclass(frozen=True, slots=True)
class Shape:
    """The subschemas that hold at a place; none in places that are free."""

    root: Schema
    parts: tuple[Schema, ...]

    @classmethod
    def of(cls, root: Schema, node: yaml.Node) -> "Shape":
        """The shape of a whole document."""
        return cls(root, tuple(_expanded(root, root, node)))

    def key(self, name: str, node: yaml.Node) -> "Shape":
        """The shape of the value of a key."""
        return self._inner(tuple(_of_key(part, name) for part in self.parts), node)

    def item(self, node: yaml.Node) -> "Shape":
        """The shape of an item of a list."""
        return self._inner(tuple(part.get("items") for part in self.parts), node)

    def _inner(self, schemas: tuple[Any, ...], node: yaml.Node) -> "Shape":
        found = [part for each in schemas if isinstance(each, dict) for part in _expanded(each, self.root, node)]
        return Shape(self.root, tuple(found))

    @property
    def is_closed(self) -> bool:
        """Whether only the keys of `names` are allowed."""
        return any(part.get("additionalProperties") is False for part in self.parts)

    @property
    def names(self) -> set[str]:
        """The keys that the language has here."""
        return {name for part in self.parts for name in part.get("properties", {})}

    @property
    def types(self) -> set[str]:
        """The JSON types that are allowed; all of them when nothing is said."""
        types = {"object", "array", "string", "integer", "number", "boolean", "null"}
        for part in self.parts:
            if "type" in part:
                said = part["type"] if isinstance(part["type"], list) else [part["type"]]
                types &= {*said, "integer"} if "number" in said else set(said)
            if "enum" in part or "const" in part:
                types &= {"string"}
        return types

    @property
    def required(self) -> set[str]:
        """The keys that must be there."""
        return {name for part in self.parts for name in part.get("required", ())}

    def first(self, keyword: str) -> Any:
        """The value of a keyword, None when no subschema has it."""
        return next((part[keyword] for part in self.parts if keyword in part), None)


def _of_key(part: Schema, name: str) -> Any:
    if name in part.get("properties", {}):
        return part["properties"][name]
    return None if name.startswith("x-") else part.get("additionalProperties")


def _expanded(schema: Schema, root: Schema, node: yaml.Node) -> Iterator[Schema]:
    yield schema
    if "$ref" in schema:
        yield from _expanded(root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, node)
    for part in schema.get("allOf", ()):
        yield from _expanded(part, root, node)
    if "if" in schema and schema is not root and _holds(schema["if"], node):
        yield from _expanded(schema["then"], root, node)


def _holds(condition: Schema, node: yaml.Node) -> bool:
    """Whether an `if` of our schemas holds: they ask for the type of the value, or for a constant of a key."""
    kind = _NODE_TYPES.get(type(node), "string")
    if condition.get("type", kind) != kind:
        return False
    if not isinstance(node, yaml.MappingNode):
        return "properties" not in condition
    values = {key.value: value.value for key, value in node.value}
    for name, wanted in condition.get("properties", {}).items():
        allowed = wanted.get("enum", [wanted.get("const")])
        if name in values and values[name] not in allowed:
            return False
    return all(name in values for name in condition.get("required", ()))
