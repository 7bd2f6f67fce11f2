"""JSON Schema itself: what exactly of a value does not fit; the only file that knows jsonschema.

It is slow to import: see `telling`.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from jsonschema import Draft202012Validator, FormatChecker, validators
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # a part of jsonschema without types
from referencing.exceptions import Unresolvable

from runner.language.schema.budget import Budget, all_differ, cost_of, current
from runner.language.schema.mismatch import Mismatch, UnresolvableReferenceError
from runner.spec import Json, JsonObject

META_SCHEMA: JsonObject = Draft202012Validator.META_SCHEMA


def _pattern(validator: Validator, pattern: str, instance: Json, schema: JsonObject) -> Iterator[ValidationError]:
    del schema
    if validator.is_type(instance, "string") and not _found(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(
    validator: Validator, patterns: JsonObject, instance: Json, schema: JsonObject
) -> Iterator[ValidationError]:
    del schema
    for pattern, part in patterns.items() if validator.is_type(instance, "object") else ():
        for key, value in instance.items():
            if _found(pattern, key, unknown=False):
                # The protocol of validators does not tell of this method, which every keyword uses.
                yield from validator.descend(value, part, path=key, schema_path=pattern)  # type: ignore[attr-defined]


def _additional_properties(
    validator: Validator, rest: Json, instance: Json, schema: JsonObject
) -> Iterator[ValidationError]:
    """The original, which is only shown the keys that no pattern stands for: it would search with `re`."""
    if validator.is_type(instance, "object") and (patterns := schema.get("patternProperties")):
        instance = {key: value for key, value in instance.items() if not any(_found(each, key) for each in patterns)}
        schema = {key: value for key, value in schema.items() if key != "patternProperties"}
    yield from _KEYWORDS["additionalProperties"](validator, rest, instance, schema) or ()


def _unique_items(validator: Validator, unique: Json, instance: Json, schema: JsonObject) -> Iterator[ValidationError]:
    del schema
    budget = current.get() or Budget(instance)
    if unique and validator.is_type(instance, "array") and not all_differ(instance, budget.take):
        yield ValidationError(f"{instance!r} has non-unique elements")


def _found(pattern: str, text: str, *, unknown: bool = True) -> bool:
    """Whether a pattern is in a text; `unknown` for one that has no linear search, which `check` refuses."""
    from runner.parsing.patterns import linear_search  # noqa: PLC0415 - only schemas with patterns need RE2

    search = linear_search(pattern)
    return unknown if search is None else search(text)


Keyword = Callable[[Validator, Json, Json, JsonObject], Iterable[ValidationError] | None]


def _counted(keyword: Keyword) -> Keyword:
    """The same at the cost of one step and more of the check's budget."""

    def check(
        validator: Validator, expected: Json, instance: Json, schema: JsonObject
    ) -> Iterable[ValidationError] | None:
        budget = current.get()
        if budget is not None:
            budget.take(cost_of(instance))
        return keyword(validator, expected, instance, schema)

    return check


_KEYWORDS: dict[str, Keyword] = dict(Draft202012Validator.VALIDATORS)
_OWN: dict[str, Keyword] = {
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "uniqueItems": _unique_items,
}
_AuthoredValidator = validators.extend(  # type: ignore[no-untyped-call]  # it has no types
    Draft202012Validator, {name: _counted(keyword) for name, keyword in (_KEYWORDS | _OWN).items()}
)
# jsonschema looks for what is evaluated by searching all patterns with `re`; `check` refuses such schemas.
_WithoutUnevaluated = validators.extend(  # type: ignore[no-untyped-call]  # as above
    _AuthoredValidator, {"unevaluatedProperties": lambda *_: None}
)


class Checker:
    """A schema, ready to be held against values. No reference in it is ever fetched.

    An `authored` schema was written by somebody else: its patterns are searched in linear time, and a check may only
    be so much work. Of the `format`s only those named count: which ones jsonschema can check depends on what else is
    installed.
    """

    def __init__(self, schema: JsonObject, *, formats: Iterable[str] = (), authored: bool = False) -> None:
        # The registry holds the metaschemas and has nothing to retrieve others with: jsonschema's own opens sockets.
        own = _WithoutUnevaluated if _has_key(schema, "patternProperties") else _AuthoredValidator
        kind = own if authored else Draft202012Validator
        self._authored = authored
        self._validator = kind(schema, registry=REGISTRY, format_checker=FormatChecker(tuple(formats)))

    def mismatches(self, value: Json, *, most: int | None = None) -> list[Mismatch]:
        """What does not fit, in the order of the schema, at most `most` of it.

        Raises:
            UnresolvableReferenceError: a `$ref` cannot be followed.
            RecursionError: a `$ref` leads back to itself.
            TooMuchToCheckError: an authored schema asks for too much work.
        """
        token = current.set(Budget(value) if self._authored else None)
        try:
            return [_mismatch(error) for error in islice(_meant(self._validator.iter_errors(value)), most)]
        except Unresolvable as error:
            raise UnresolvableReferenceError(error.ref) from error
        finally:
            current.reset(token)


def _has_key(part: Json, key: str) -> bool:
    if isinstance(part, dict):
        return key in part or any(_has_key(inner, key) for inner in part.values())
    return isinstance(part, list) and any(_has_key(inner, key) for inner in part)


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
        if not error.schema_path:  # the branch `false`, which nobody means
            continue
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
