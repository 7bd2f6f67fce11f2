"""JSON Schema itself: whether a value fits, and what exactly does not; the only file that knows jsonschema."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from jsonschema import Draft202012Validator, FormatChecker, validators
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # a part of jsonschema without types
from referencing.exceptions import Unresolvable

from runner.language.source import Path
from runner.spec import Json, JsonObject

META_SCHEMA: JsonObject = Draft202012Validator.META_SCHEMA
# What jsonschema looks at, and what only says something to people and tools.
KEYWORDS = frozenset(Draft202012Validator.VALIDATORS) | {
    *("then", "else", "$schema", "$id", "$anchor", "$dynamicAnchor", "$defs", "$comment", "$vocabulary", "definitions"),
    *("title", "description", "default", "deprecated", "readOnly", "writeOnly", "examples", "format"),
    *("contentEncoding", "contentMediaType", "contentSchema"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Mismatch:
    """One keyword of a schema that a value does not fit.

    Attributes:
        path: the value's place; of a key, the place of its mapping.
        keyword: the keyword, or `false` for a schema that allows nothing; jsonschema then gives the path without its
            last step.
        expected: the keyword's value.
        value: what was found.
        schema: the schema that holds the keyword.
        on_key: whether `value` is a key of the mapping at `path`.
        message: jsonschema's own words.
    """

    path: Path
    keyword: str
    expected: Json
    value: Json
    schema: JsonObject
    on_key: bool
    message: str


class UnresolvableReferenceError(Exception):
    """A `$ref` of the schema names nothing inside it."""


def _pattern(validator: Validator, pattern: str, instance: Json, schema: JsonObject) -> Iterator[ValidationError]:
    del schema
    if not validator.is_type(instance, "string"):
        return
    from runner.parsing.patterns import linear_search  # noqa: PLC0415 - only schemas with patterns need RE2

    search = linear_search(pattern)
    found = re.search(pattern, instance) is not None if search is None else search(instance)
    if not found:
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


_AuthoredValidator = validators.extend(  # type: ignore[no-untyped-call]  # it has no types
    Draft202012Validator, {"pattern": _pattern}
)


class Checker:
    """A schema, ready to be held against values. No reference in it is ever fetched.

    An `authored` schema was written by somebody else: its patterns are searched in linear time where that can be.
    Of the `format`s only those named count: which ones jsonschema can check depends on what else is installed.
    """

    def __init__(self, schema: JsonObject, *, formats: Iterable[str] = (), authored: bool = False) -> None:
        # The registry holds the metaschemas and has nothing to retrieve others with: jsonschema's own opens sockets.
        kind = _AuthoredValidator if authored else Draft202012Validator
        self._validator = kind(schema, registry=REGISTRY, format_checker=FormatChecker(tuple(formats)))

    def accepts(self, value: Json) -> bool:
        """Whether the value fits; cheaper than asking for the mismatches."""
        return self._validator.is_valid(value)

    def mismatches(self, value: Json, *, most: int | None = None) -> list[Mismatch]:
        """What does not fit, in the order of the schema, at most `most` of it.

        Raises:
            UnresolvableReferenceError: a `$ref` cannot be followed.
            RecursionError: a `$ref` leads back to itself.
        """
        try:
            return [_mismatch(error) for error in islice(_meant(self._validator.iter_errors(value)), most)]
        except Unresolvable as error:
            raise UnresolvableReferenceError(error.ref) from error


def inlined(schema: JsonObject) -> JsonObject:
    """The schema with its `#/$defs/name` references replaced: a valid document is then accepted in half the time.

    For our own schemas, which have no recursive reference and no keyword beside a reference that its target has too,
    but for annotations.
    """
    definitions = schema.get("$defs", {})

    def walk(part: Json) -> Json:
        if isinstance(part, list):
            return [walk(item) for item in part]
        if not isinstance(part, dict):
            return part
        own = {key: walk(value) for key, value in part.items() if key not in ("$ref", "$defs")}
        if "$ref" in part:
            return {**walk(definitions[part["$ref"].removeprefix("#/$defs/")]), **own}
        return own

    result: JsonObject = walk(schema)
    return result


def _meant(errors: Iterable[ValidationError]) -> Iterator[ValidationError]:
    """The errors, with a union replaced by those of the branch that was meant, where that can be told."""
    for error in errors:
        if error.validator in ("anyOf", "oneOf") and error.context:
            yield from _meant_branch(error)
        else:
            yield error


def _meant_branch(union: ValidationError) -> Iterator[ValidationError]:
    """A branch was meant when it is the only one whose type, and whose constants (its discriminator), fit.

    jsonschema's `best_match` goes by depth instead, and then speaks of a branch nobody wrote.
    """
    branches: dict[int, list[ValidationError]] = {}
    for error in union.context or ():
        branches.setdefault(int(error.schema_path[0]), []).append(error)
    fitting_type = [errors for errors in branches.values() if not any(_is_about_type(error) for error in errors)]
    fitting = [errors for errors in fitting_type if not any(_is_about_constant(error) for error in errors)]
    for candidates in (fitting, fitting_type):
        if len(candidates) == 1:
            yield from _meant(candidates[0])
            return
    yield union


def _is_about_type(error: ValidationError) -> bool:
    """Whether the value is of another type; no list or mapping is meant as one of a few constants."""
    constant = error.validator in ("const", "enum") and isinstance(error.instance, dict | list)
    return (error.validator == "type" or constant) and not error.relative_path


def _is_about_constant(error: ValidationError) -> bool:
    """Whether a key right inside the value, or the value itself, is not the constant it should be."""
    inside = list(error.relative_path)
    return error.validator in ("const", "enum") and (not inside or (len(inside) == 1 and isinstance(inside[0], str)))


def _mismatch(error: ValidationError) -> Mismatch:
    where = list(error.absolute_schema_path)
    return Mismatch(
        path=tuple(error.absolute_path),
        keyword=str(error.validator or "false"),
        expected=error.validator_value,
        value=error.instance,
        schema=error.schema if isinstance(error.schema, dict) else {},
        on_key=where[-2:-1] == ["propertyNames"] and where[-3:-2] != ["properties"],
        message=error.message,
    )
