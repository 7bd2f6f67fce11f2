"""Reads the arguments of a call by the tool's JSON Schema, so that a model's small slips do not cost a step."""

import json
from collections.abc import Iterable, Mapping, Sequence

from runner.engine.sameness import same
from runner.language.schema.budget import Budget, TooMuchToCheckError
from runner.spec import Json, JsonObject
from runner.suggest import did_you_mean
from runner.tools.mending import in_words, is_among, mended, misread, options_of, type_names, types_of

_MAX_PROBLEMS = 20
_MAX_SHOWN_CHARS = 80


class WrongArgumentsError(Exception):
    """The arguments cannot be used.

    Attributes:
        problems: one line each, with the argument's name, what was expected and what was found.
    """

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(self.problems))


def read_arguments(arguments: JsonObject, schema: JsonObject) -> tuple[dict[str, Json], dict[str, str]]:
    """The arguments mended by `schema`, an object schema, and what is wrong by path (`city`, `points[0].x`).

    Unknown arguments are left out of the result, so that what checks it further does not find them again.

    Raises:
        WrongArgumentsError: they are nested too deeply, or the schema in too many ways, to be read at all.
    """
    try:
        return _read(arguments, schema)
    except RecursionError:
        raise WrongArgumentsError(["they are nested too deeply"]) from None
    except TooMuchToCheckError:
        raise WrongArgumentsError(["they are too much to check: the schema allows them in too many ways"]) from None


def mended_arguments(arguments: JsonObject, schema: JsonObject) -> JsonObject:
    """The arguments mended by `schema`, those that are wrong left as they are."""
    try:
        values, problems = _read(arguments, schema)
    except (RecursionError, TooMuchToCheckError):
        return arguments
    return {**arguments, **{name: value for name, value in values.items() if name not in problems}}


def both(first: Json, second: Json) -> Json:
    """One value that stands for two: mappings have the keys of both, and where they differ otherwise, a list of both.

    Patterns of permissions go through lists, so they see each of the two.
    """
    if isinstance(first, dict) and isinstance(second, dict):
        return {
            key: both(first.get(key, second.get(key)), second.get(key, first.get(key))) for key in {**first, **second}
        }
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        return [both(*pair) for pair in zip(first, second, strict=True)]
    return first if same(first, second) else [first, second]


def _read(arguments: JsonObject, schema: JsonObject) -> tuple[dict[str, Json], dict[str, str]]:
    reader = _Reader(schema, Budget(arguments))
    properties: Mapping[str, JsonObject] = schema.get("properties", {})
    required: Sequence[str] = schema.get("required", ())
    rest = schema.get("additionalProperties", {})
    closed = rest is False
    values: dict[str, Json] = {}
    for name, value in arguments.items():
        if closed and name not in properties:
            reader.problems[name] = _unknown(name, properties)
        elif value is not None or name in required or reader.fits(None, properties.get(name, rest)):
            values[name] = reader.read(value, properties.get(name, rest), name)
    for name in required:
        if name not in arguments:
            reader.problems[name] = f"{name}: missing, expected {reader.expected(properties.get(name, {}))}"
    return values, reader.problems


def explained(tool: str, problems: Sequence[str], schema: JsonObject) -> str:
    """Everything that is wrong with a call, for the model: it should be able to repair it at the first try."""
    more = len(problems) - _MAX_PROBLEMS
    lines = [f"- {problem}" for problem in problems[:_MAX_PROBLEMS]] + ([f"- and {more} more"] if more > 0 else [])
    required = schema.get("required", ())
    names = [f"{name} (required)" if name in required else name for name in schema.get("properties", {})]
    takes = f"its arguments are: {', '.join(names)}" if names else "it takes no arguments"
    return "\n".join([f"{tool} was not run, its arguments are wrong:", *lines, f"{tool}: {takes}"])


def expected_at(schema: JsonObject, location: Sequence[int | str]) -> str | None:
    """What `schema` asks for at a place in the arguments, in a few words; None where it does not say.

    Parts of the location that name neither a key nor an index, as the branches of a union, are passed over.
    """
    reader = _Reader(schema, Budget({}))
    part: Json = schema
    for step in location:
        inner = reader.inside(part, step)
        if inner is None and step == location[-1]:
            return None
        part = part if inner is None else inner
    return reader.expected(part)


def found(value: Json) -> str:
    """A value as a message shows it: JSON, not too long."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _MAX_SHOWN_CHARS else f"{text[:_MAX_SHOWN_CHARS]}…"


def _unknown(name: str, properties: Iterable[str]) -> str:
    hint = did_you_mean(name, list(properties))
    return f"{name}: there is no such argument" + (f", {hint}" if hint else "")


class _Reader:
    """Reads values against the parts of one schema; `problems` collects what is wrong by path."""

    def __init__(self, root: JsonObject, budget: Budget) -> None:
        self._root = root
        self._budget = budget
        self.problems: dict[str, str] = {}

    def read(self, value: Json, schema: Json, path: str) -> Json:
        """The value, mended all the way down."""
        schema = self._resolved(schema)
        for part in schema.get("allOf", ()):
            value = self.read(value, part, path)
        if branches := schema.get("anyOf") or schema.get("oneOf"):
            return self._read_any(value, branches, path)
        value = mended(value, schema)
        if expected := misread(value, schema):
            self.problems[path] = f"{path}: expected {expected}, found {found(value)}"
        if isinstance(value, dict):
            properties, rest = schema.get("properties", {}), schema.get("additionalProperties", {})
            return {key: self.read(part, properties.get(key, rest), f"{path}.{key}") for key, part in value.items()}
        if isinstance(value, list):
            first, rest = schema.get("prefixItems", ()), schema.get("items", {})
            return [
                self.read(part, first[place] if place < len(first) else rest, f"{path}[{place}]")
                for place, part in enumerate(value)
            ]
        return value

    def fits(self, value: Json, schema: Json) -> bool:
        """Whether a value has the type and the fixed parts (`const`, `enum`) that `schema` asks for."""
        schema = self._resolved(schema)
        if branches := schema.get("anyOf") or schema.get("oneOf"):
            return any(self.fits(value, branch) for branch in branches)
        if (allowed := types_of(schema)) and not type_names(value) & allowed:
            return False
        if (options := options_of(schema)) is not None and not is_among(value, options):
            return False
        if not isinstance(value, dict):
            return True
        properties: Mapping[str, Json] = schema.get("properties", {})
        return set(schema.get("required", ())) <= value.keys() and all(
            self.fits(value[name], part)
            for name, part in properties.items()
            if name in value and options_of(self._resolved(part)) is not None
        )

    def inside(self, schema: Json, step: int | str) -> Json:
        """The schema of a key or an item; None when there is none."""
        schema = self._resolved(schema)
        for branch in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())):
            if (inner := self.inside(branch, step)) is not None:
                return inner
        if isinstance(step, int):
            first = schema.get("prefixItems", ())
            return first[step] if step < len(first) else schema.get("items")
        return schema.get("properties", {}).get(step)

    def expected(self, schema: Json) -> str:
        """What `schema` asks for, in a few words."""
        schema = self._resolved(schema)
        if branches := schema.get("anyOf") or schema.get("oneOf"):
            return " or ".join(dict.fromkeys(self.expected(branch) for branch in branches))
        if (options := options_of(schema)) is not None:
            return ("one of " if len(options) > 1 else "") + ", ".join(map(found, options))
        return in_words(types_of(schema))

    def _read_any(self, value: Json, branches: Sequence[Json], path: str) -> Json:
        for branch in branches:
            if self.fits(value, branch):
                return self.read(value, branch, path)
        for branch in branches:
            meant = mended(value, self._resolved(branch))
            if meant is not value and self.fits(meant, branch):
                return self.read(meant, branch, path)
        for branch in branches:
            if misread(value, self._resolved(branch)):
                self.problems[path] = f"{path}: expected {self.expected({'anyOf': branches})}, found {found(value)}"
        return value

    def _resolved(self, schema: Json) -> JsonObject:
        """The schema that a local `$ref` means, its neighbours included."""
        self._budget.take()
        if not isinstance(schema, Mapping):  # true and false are schemas too
            return {}
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return schema
        target: Json = self._root
        for key in reference.removeprefix("#/").split("/"):
            target = target.get(key.replace("~1", "/").replace("~0", "~"), {}) if isinstance(target, Mapping) else {}
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        return {**self._resolved(target), **beside}
