"""The request body of an operation -> arguments, and how a request is put together from them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from runner.language.openapi.arguments import Argument, UnusableError, as_text, described
from runner.language.openapi.references import Node, References
from runner.language.openapi.schemas import Schemas
from runner.spec import Json

_FORM = "application/x-www-form-urlencoded"
_JSON = "application/json"
_ANY = ("*/*", "application/*")
# Of an object whose keys become arguments, what may be said beside them; anything else would be lost.
_PLAIN_KEYS = frozenset(
    {
        *("type", "properties", "required", "allOf", "additionalProperties", "minProperties", "maxProperties"),
        *("title", "description", "default", "example", "examples", "deprecated", "readOnly", "writeOnly"),
        *("nullable", "discriminator", "xml", "externalDocs"),
    }
)
# An object put together of more parts is a circle, or made to keep us busy.
_MOST_PARTS = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Body:
    """A request body.

    Attributes:
        kind: the key of an http tool's `body`; None when nothing is sent.
        content_type: the header to send when it is not what the kind means anyway.
        unsent: why nothing is sent although the operation would take it.
    """

    kind: str | None = None
    arguments: tuple[Argument, ...] = ()
    content_type: str | None = None
    unsent: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Object:
    """The keys of an object, and which of them it must have."""

    properties: Mapping[str, Node]
    required: frozenset[str]


def body_of(operation: Node, references: References, schemas: Schemas) -> Body:
    """The body that a tool of this operation sends: JSON if the operation takes it, else a form, else text.

    Raises:
        UnusableError: it is required, and of none of these kinds.
        ReferenceProblem: a reference cannot be followed.
    """
    written = operation.get("requestBody")
    body = references.follow(written) if written else None
    content = body.get("content") if body else None
    names = {name.partition(";")[0].strip().lower(): node for name, node in content.items()} if content else {}
    # A name ends up in a header of the tool, where nothing of the document may be read as `${VAR}`.
    media = {name: node for name, node in names.items() if _MEDIA_TYPE.fullmatch(name) or name in _ANY}
    if body is None or not names:
        return Body()
    builder = _Builder(references, schemas, body)
    for fits, build in _KINDS:
        for name, node in media.items():
            if fits(name):
                return build(builder, name, node)
    if body.flag("required"):
        raise UnusableError(f"it needs a body of {' or '.join(names)}")
    return Body(unsent=f"Its body ({' or '.join(names)}) cannot be sent.")


class _Builder:
    def __init__(self, references: References, schemas: Schemas, body: Node) -> None:
        self._references = references
        self._schemas = schemas
        self._description = body.text("description")
        self._required = body.flag("required")
        self._parts = 0

    def json(self, name: str, media: Node) -> Body:
        content_type = None if name == _JSON or "*" in name else name
        schema = media.get("schema")
        keys = self._object(schema) if schema else None
        if keys and keys.properties:
            arguments = tuple(
                self._argument(keys, name, self._schemas.convert(node)) for name, node in keys.properties.items()
            )
            return Body(kind="json", arguments=arguments, content_type=content_type)
        converted = described(self._schemas.convert(schema) if schema else True, self._description)
        return Body(kind="json", arguments=(self._whole(converted),), content_type=content_type)

    def form(self, _name: str, media: Node) -> Body:
        schema = media.get("schema")
        keys = self._object(schema) if schema else None
        if keys and keys.properties:
            arguments = (self._argument(keys, name, self._field(node)) for name, node in keys.properties.items())
            return Body(kind="form", arguments=tuple(arguments))
        if self._required:
            raise UnusableError("it needs a form whose fields cannot be told")
        return Body(unsent="Its body, a form, cannot be sent.")

    def text(self, name: str, _media: Node) -> Body:
        schema = described({"type": "string"}, self._description)
        content_type = None if name == "text/plain" or "*" in name else name
        return Body(kind="text", arguments=(self._whole(schema),), content_type=content_type)

    def _whole(self, schema: Json) -> Argument:
        return Argument(place="body", key=None, schema=schema, required=self._required)

    def _argument(self, keys: _Object, name: str, schema: Json) -> Argument:
        return Argument(place="body", key=name, schema=schema, required=name in keys.required)

    def _field(self, node: Node) -> Json:
        """The schema of a form's field: one that is an object has no form of its own."""
        target = self._references.follow(node)
        if isinstance(target.value, dict) and (target.value.get("type") == "object" or "properties" in target.value):
            return as_text(node.text("description") or target.text("description"), "a JSON object, as text")
        return self._schemas.convert(node)

    def _object(self, schema: Node) -> _Object | None:
        """The keys of an object; None when they are not all there is to say about it."""
        node = self._references.follow(schema)
        value = node.value
        self._parts += 1
        if not isinstance(value, dict) or self._parts > _MOST_PARTS:
            return None
        if any(key not in _PLAIN_KEYS and not key.startswith("x-") for key in value):
            return None
        kinds = value.get("type", "object")
        if "object" not in (kinds if isinstance(kinds, list) else [kinds]):
            return None
        if value.get("additionalProperties", False) is not False:
            return None
        return self._merged(node)

    def _merged(self, node: Node) -> _Object | None:
        """The keys of an object and its parts; None when two have the same key, which then has to fit both."""
        listed = node.value.get("required")
        required = {name for name in listed if isinstance(name, str)} if isinstance(listed, list) else set()
        own = node.get("properties")
        properties = dict(own.items()) if own else {}
        parts = node.get("allOf")
        for part in parts.elements() if parts else ():
            keys = self._object(part)
            if keys is None or properties.keys() & keys.properties.keys():
                return None
            properties.update(keys.properties)
            required |= keys.required
        sent = {name: each for name, each in properties.items() if not self._schemas.is_read_only(each)}
        return _Object(properties=sent, required=frozenset(required))


def _is_json(name: str) -> bool:
    return name == _JSON or name.endswith("+json") or name in _ANY


# In the order of preference.
_KINDS: tuple[tuple[Callable[[str], bool], Callable[[_Builder, str, Node], Body]], ...] = (
    (_JSON.__eq__, _Builder.json),
    (_is_json, _Builder.json),
    (_FORM.__eq__, _Builder.form),
    (lambda name: name.startswith("text/"), _Builder.text),
)
_MEDIA_TYPE = re.compile(r"[a-z0-9.+_-]+/[a-z0-9.+_-]+")
