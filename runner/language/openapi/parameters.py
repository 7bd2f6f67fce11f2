"""Parameters of an operation (in its path, query and headers) -> arguments."""

import re
from collections.abc import Container, Iterable, Iterator

from runner.language.openapi.arguments import Argument, Place, UnusableError, as_text, described
from runner.language.openapi.operations import Operation
from runner.language.openapi.references import Node, References
from runner.language.openapi.schemas import Schemas
from runner.spec import Json

# The standard says to ignore them: they follow from the bodies and the security of the operation.
_IGNORED_HEADERS = frozenset({"accept", "content-type", "authorization"})
_PLACES: dict[str, Place] = {"path": "path", "query": "query", "header": "header"}
_LIST_STYLES = {"form": "comma", "spaceDelimited": "space", "pipeDelimited": "pipe", "deepObject": "deep"}
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, 5.6.2
_COMMAS = "several values are separated by commas"


class Parameters:
    """Converts the parameters of one operation.

    `given` are the (place, name) of those that the declaration itself sends: a header with a fixed value, a key.
    """

    def __init__(self, references: References, schemas: Schemas, given: Container[tuple[str, str]] = ()) -> None:
        self._references = references
        self._schemas = schemas
        self._given = given

    def arguments(self, operation: Operation, in_path: Iterable[str]) -> Iterator[Argument]:
        """The arguments; `in_path` are the names in the operation's path, declared as parameters or not.

        Raises:
            UnusableError: one that is required cannot be sent.
            ReferenceProblem: a reference cannot be followed.
        """
        declared = self._declared(operation)
        for name in in_path:
            parameter = declared.get(("path", name))
            if parameter is None:
                yield Argument(place="path", key=name, schema={"type": "string"}, required=True)
            else:
                yield self._in_path(name, parameter)
        for (place, name), parameter in declared.items():
            if place == "query":
                yield from self._in_query(name, parameter)
            elif place == "header" and name.lower() not in _IGNORED_HEADERS:
                if not _HEADER.fullmatch(name):
                    raise UnusableError(f"'{name}' is no name of a header")
                schema = self._flat(parameter)
                yield Argument(place="header", key=name, schema=schema, required=parameter.flag("required"))
            elif place == "cookie" and parameter.flag("required"):
                raise UnusableError(f"it needs the cookie '{name}'")

    def _declared(self, operation: Operation) -> dict[tuple[str, str], Node]:
        """The parameters by place and name; those of the operation win over those of its path."""
        found: dict[tuple[str, str], Node] = {}
        for owner in (operation.item, operation.node):
            listed = owner.get("parameters")
            for each in self._references.follow(listed).elements() if listed else ():
                parameter = self._references.follow(each)
                key = (parameter.text("in"), parameter.text("name"))
                folded = (key[0], key[1].lower()) if key[0] == "header" else key
                if all(key) and folded not in self._given:
                    found[key] = parameter
        return found

    def _in_path(self, name: str, parameter: Node) -> Argument:
        if parameter.text("style") not in ("", "simple"):
            raise UnusableError(f"its path parameter '{name}' has the style '{parameter.text('style')}'")
        return Argument(place="path", key=name, schema=self._flat(parameter), required=True)

    def _in_query(self, name: str, parameter: Node) -> Iterator[Argument]:
        required = parameter.flag("required")
        written = parameter.text("style") or "form"
        exploded = parameter.value.get("explode", written == "form") is True
        style = "repeat" if exploded and written != "deepObject" else _LIST_STYLES.get(written, "repeat")
        kinds = self._kinds(parameter)
        if "object" in kinds and written == "form":
            yield from self._spread(name, parameter, exploded=exploded)
        elif parameter.get("schema") is None:
            schema: Json = as_text(_note(parameter), "JSON, as text") if parameter.get("content") else {}
            yield Argument(place="query", key=name, schema=schema, required=required)
        else:
            schema = self._schema(parameter)
            yield Argument(
                place="query", key=name, schema=schema, required=required, style=style if kinds else "repeat"
            )

    def _spread(self, name: str, parameter: Node, *, exploded: bool) -> Iterator[Argument]:
        """An object whose keys are parameters of the address themselves, which is what `form` means."""
        schema = parameter.get("schema")
        properties = self._references.follow(schema).get("properties") if schema else None
        if properties is None or not exploded:
            if parameter.flag("required"):
                raise UnusableError(f"its query parameter '{name}' is an object in a style that cannot be written")
            return
        listed = self._references.follow(schema).value.get("required") if schema else None
        needed = listed if isinstance(listed, list) and parameter.flag("required") else ()
        for key, each in properties.items():
            yield Argument(place="query", key=key, schema=self._schemas.convert(each), required=key in needed)

    def _flat(self, parameter: Node) -> Json:
        """The schema of a value in a path or header, where a list is text with commas."""
        kinds = self._kinds(parameter)
        if "object" in kinds:
            raise UnusableError(f"its {parameter.text('in')} parameter '{parameter.text('name')}' is an object")
        if "array" in kinds:
            return as_text(_note(parameter), _COMMAS)
        return self._schema(parameter) if parameter.get("schema") else _described({"type": "string"}, parameter)

    def _schema(self, parameter: Node) -> Json:
        schema = parameter.get("schema")
        return _described(self._schemas.convert(schema) if schema else True, parameter)

    def _kinds(self, parameter: Node) -> frozenset[str]:
        """The types of its schema that are made of several values."""
        schema = parameter.get("schema")
        kinds = self._references.follow(schema).value if schema else None
        kind = kinds.get("type") if isinstance(kinds, dict) else None
        return frozenset(kind if isinstance(kind, list) else [kind]) & {"array", "object"}


def _note(parameter: Node) -> str:
    description = parameter.text("description")
    return f"Deprecated. {description}".strip() if parameter.flag("deprecated") else description


def _described(schema: Json, parameter: Node) -> Json:
    schema = described(schema, _note(parameter))
    if "example" in parameter.value and isinstance(schema, dict) and "examples" not in schema:
        schema["examples"] = [parameter.value["example"]]
    return schema
