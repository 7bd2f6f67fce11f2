"""Schemas of OpenAPI 3.0 and 3.1 -> JSON Schema 2020-12, for values that are sent to a server."""

import re

from runner.language.openapi.definitions import Named
from runner.language.openapi.references import Node, Place, References
from runner.language.openapi.vocabulary import ANNOTATIONS, BY_NAME, ONE, PLAIN, SEVERAL, TYPES
from runner.spec import Json

_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_.-]+")
_BOUNDS = (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum"))


class Schemas:
    """Converts the schemas of one tool.

    Attributes:
        definitions: the schemas that were referred to, by name; `definitions.settle` puts them in.
    """

    def __init__(self, references: References) -> None:
        self.definitions: dict[str, Json] = {}
        self._references = references
        self._names: dict[Place, str] = {}

    def convert(self, node: Node) -> Json:
        """The JSON Schema of a schema; a reference in it is a `Named`.

        Raises:
            ReferenceProblem: a reference in it cannot be followed.
        """
        if isinstance(node.value, bool):
            return node.value
        if not isinstance(node.value, dict):
            return True
        if isinstance(node.value.get("$ref"), str):
            return self._referred(node)
        result = _types(node.value.get("type"))
        for key, value in node.items():
            if key in ONE and isinstance(value.value, dict | bool):
                result[key] = self.convert(value)
            elif key in SEVERAL and value.elements():
                result[key] = [self.convert(each) for each in value.elements()]
            elif key in BY_NAME and isinstance(value.value, dict):
                sent = [(name, each) for name, each in value.items() if self._is_sent(key, name, each)]
                result[key] = {name: self.convert(each) for name, each in sent}
            elif key in PLAIN and PLAIN[key](value.value):
                result[key] = value.value
        return _plainer(self._modernised(node, result))

    def is_read_only(self, node: Node) -> bool:
        """Whether only the server sets a value."""
        return node.flag("readOnly") or self._references.follow(node).flag("readOnly")

    def _is_sent(self, keyword: str, name: str, node: Node) -> bool:
        if keyword == "patternProperties" and not PLAIN["pattern"](name):
            return False
        return not self.is_read_only(node)

    def _referred(self, node: Node) -> Json:
        target = self._references.follow(node)
        if target.place not in self._names:
            self._names[target.place] = name = self._new_name(target)
            self.definitions[name] = True  # so that the name is taken
            self.definitions[name] = self.convert(target)
        named = Named(self._names[target.place])
        if not is_modern(node):  # 3.0 ignores what stands beside a reference
            return named
        value = {key: each for key, each in node.value.items() if key != "$ref"}
        beside = self.convert(Node(spec=node.spec, path=node.path, value=value)) if value else {}
        if not isinstance(beside, dict) or beside.keys() <= ANNOTATIONS:
            return Named(named.name, beside if isinstance(beside, dict) else None)
        return {**beside, "allOf": [*beside.get("allOf", ()), named]}

    def _new_name(self, target: Node) -> str:
        wanted = _NOT_IN_A_NAME.sub("_", str(target.path[-1]) if target.path else target.spec.path.stem) or "_"
        name, number = wanted, 1
        while name in self.definitions:
            number += 1
            name = f"{wanted}_{number}"
        return name

    def _modernised(self, node: Node, result: dict[str, Json]) -> dict[str, Json]:
        """What OpenAPI writes in ways of its own, as JSON Schema has it."""
        value = node.value
        for exclusive, bound in _BOUNDS:
            if value.get(exclusive) is True and bound in result:
                result[exclusive] = result.pop(bound)
        if "oneOf" in result and "anyOf" not in result:
            # Alternatives of published documents overlap, told apart by a discriminator or not at all; to refuse what
            # fits two of them is left to the server.
            result["anyOf"] = result.pop("oneOf")
        if "example" in value and "examples" not in result:
            result["examples"] = [value["example"]]
        if (properties := node.get("properties")) is not None and "required" in result:
            gone = {name for name, each in properties.items() if self.is_read_only(each)}
            result["required"] = [name for name in result["required"] if name not in gone]
        return nullable(result) if value.get("nullable") is True else result


def _types(kinds: Json) -> dict[str, Json]:
    """`type` as the start of a schema: what is no type of JSON is left out."""
    listed = [kind for kind in (kinds if isinstance(kinds, list) else [kinds]) if isinstance(kind, str)]
    known = [kind for kind in dict.fromkeys(listed) if kind in TYPES]
    return {"type": known if isinstance(kinds, list) else known[0]} if known else {}


def is_modern(node: Node) -> bool:
    """Whether a value is of an OpenAPI 3.1 document, or of a file that does not say."""
    return not str(node.spec.data.get("openapi", "3.1")).startswith("3.0")


def nullable(schema: dict[str, Json]) -> dict[str, Json]:
    """The schema with null allowed too."""
    kinds = schema.get("type")
    if "enum" in schema and None not in schema["enum"]:
        schema = {**schema, "enum": [*schema["enum"], None]}
    if isinstance(kinds, str):
        return {**schema, "type": [kinds, "null"]}
    if schema.keys() & SEVERAL:
        outside = {key: value for key, value in schema.items() if key in ANNOTATIONS}
        inside = _plainer({key: value for key, value in schema.items() if key not in ANNOTATIONS})
        return {**outside, "anyOf": [inside, {"type": "null"}]}
    return schema


def _plainer(schema: dict[str, Json]) -> Json:
    """`allOf: [reference]`, which 3.0 needs to say something beside a reference, as a reference."""
    parts = schema.get("allOf")
    beside = {key: value for key, value in schema.items() if key != "allOf"}
    if isinstance(parts, list) and len(parts) == 1 and isinstance(parts[0], Named) and beside.keys() <= ANNOTATIONS:
        return Named(parts[0].name, {**parts[0], **beside})
    return schema
