"""JSON Schemas that people write in their documents: well-formed, and complete in themselves."""

import json
from collections.abc import Iterator
from functools import cache, lru_cache

from runner.language.schema import telling
from runner.language.schema.acceptance import Acceptance
from runner.language.schema.findings import Finding, findings
from runner.language.schema.messages import shown
from runner.language.source import Path
from runner.language.wording import clip
from runner.spec import Json, JsonObject
from runner.suggest import closest, did_you_mean

# What jsonschema looks at, and what only says something to people and tools.
KEYWORDS = frozenset(
    (
        *("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"),
        *("type", "enum", "const", "format", "pattern", "minLength", "maxLength"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("items", "prefixItems", "contains", "unevaluatedItems", "minItems", "maxItems", "uniqueItems"),
        *("properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames"),
        *("required", "dependentRequired", "minProperties", "maxProperties"),
        *("$schema", "$id", "$anchor", "$dynamicAnchor", "$defs", "$comment", "$vocabulary", "definitions"),
        *("title", "description", "default", "deprecated", "readOnly", "writeOnly", "examples"),
        *("contentEncoding", "contentMediaType", "contentSchema"),
    )
)
# Keywords that hold schemas: one, a list of them, or a mapping of names to them.
_ONE = {
    *("not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames"),
    *("unevaluatedItems", "unevaluatedProperties"),
}
_LIST = frozenset(("allOf", "anyOf", "oneOf", "prefixItems"))
_NAMED = frozenset(("properties", "patternProperties", "$defs", "definitions", "dependentSchemas"))
# Of these, the ones that look at the same value as the schema around them.
_SAME_VALUE = frozenset(("not", "if", "then", "else", "allOf", "anyOf", "oneOf", "dependentSchemas"))

_PATTERNS = frozenset(("pattern", "patternProperties"))

_BOUNDS = (
    ("minimum", "maximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
)

# A schema that has more levels is left to the slow check, which says when it is nested too deep.
_LEVELS = 30


def check_authored(schema: JsonObject) -> tuple[Finding, ...]:
    """What is wrong with a schema; nothing in it is fetched or looked up elsewhere."""
    return _check(json.dumps(schema))


@lru_cache(maxsize=1024)  # the same `{type: string}` stands in every other agent
def _check(text: str) -> tuple[Finding, ...]:
    schema = json.loads(text)
    try:
        found = _against_metaschema(schema)
    except RecursionError:  # it may be as deep as YAML is read, which is too deep when the caller is deep in the stack
        return (Finding(code="RUN210", path=(), at=(), text="the JSON Schema is nested too deep"),)
    if not found:
        for path, part in parts(schema):
            found.extend(_check_references(schema, path, part))
            found.extend(_check_keywords(path, part))
            found.extend(_check_bounds(path, part))
            found.extend(_check_patterns(path, part))
        found.extend(_check_unevaluated(schema))
    if not found:
        found.extend(_check_circles(schema))
    return tuple(found)


def _against_metaschema(schema: JsonObject) -> list[Finding]:
    if _is_ordinary(schema, _LEVELS) and _well_formed().accepts(schema):
        return []
    return [_ill_formed(finding) for finding in findings(telling.of_schemas().mismatches(schema))]


@cache
def _well_formed() -> Acceptance:
    return Acceptance({"$ref": "https://json-schema.org/draft/2020-12/schema"})


def _is_ordinary(part: Json, levels: int) -> bool:
    """Whether the fast check can be believed: it knows nothing of patterns, and of how deep is too deep."""
    if isinstance(part, dict) and _PATTERNS & part.keys():
        return False
    inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return levels > 0 and all(_is_ordinary(each, levels - 1) for each in inner)


def _ill_formed(finding: Finding) -> Finding:
    suggestion = finding.suggestion
    if finding.path[-1:] == ("required",) and finding.code == "RUN203":
        suggestion = "'required' is the list of the keys an object must have"
    return Finding(
        code="RUN210",
        path=finding.path,
        at=finding.at,
        on_key=finding.on_key,
        text=f"{finding.text} (in a JSON Schema)",
        suggestion=suggestion,
    )


def parts(schema: Json, path: Path = ()) -> Iterator[tuple[Path, JsonObject]]:
    """A JSON Schema and every schema inside it, with its path."""
    if not isinstance(schema, dict):
        return
    yield path, schema
    for keyword, step, part in _inner(schema):
        yield from parts(part, (*path, keyword, *step))


def _inner(schema: JsonObject) -> Iterator[tuple[str, Path, Json]]:
    """(keyword, key or index below it, schema) of the schemas right inside one."""
    for keyword, value in schema.items():
        if keyword in _ONE:
            yield keyword, (), value
        elif keyword in _LIST and isinstance(value, list):
            yield from ((keyword, (index,), part) for index, part in enumerate(value))
        elif keyword in _NAMED and isinstance(value, dict):
            yield from ((keyword, (name,), part) for name, part in value.items())


def _check_references(root: JsonObject, path: Path, schema: JsonObject) -> Iterator[Finding]:
    for keyword in ("$ref", "$dynamicRef"):
        if keyword not in schema:
            continue
        reference, at = schema[keyword], (*path, keyword)
        if reference != "#" and not reference.startswith("#/"):
            text = f"'{clip(reference)}' is outside the JSON Schema; write '#/$defs/name' for a place inside it"
            yield Finding(code="RUN211", path=at, at=at, text=text)
        elif resolve(root, reference) is None:
            names = [f"#/$defs/{name}" for name in root.get("$defs", {})]
            text = f"'{clip(reference)}' finds nothing in the JSON Schema"
            yield Finding(code="RUN211", path=at, at=at, text=text, suggestion=did_you_mean(reference, names))


def resolve(root: JsonObject, reference: str) -> Json:
    """The schema that a reference `#` or `#/a/b` names (RFC 6901); None when there is none."""
    value: Json = root
    for step in reference.removeprefix("#").split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        else:
            return None
    return value if isinstance(value, dict | bool) else None


def _check_keywords(path: Path, schema: JsonObject) -> Iterator[Finding]:
    """JSON Schema ignores keywords it does not know, so a misspelt one would go unnoticed."""
    for key in schema:
        if key not in KEYWORDS and not key.startswith("x-") and (meant := closest(key, KEYWORDS)) is not None:
            yield Finding(
                code="RUN212",
                path=path,
                at=(*path, key),
                on_key=True,
                text=f"JSON Schema has no keyword '{clip(key)}', it is ignored",
                suggestion=f"did you mean '{meant}'?",
                warning=True,
            )


def _check_bounds(path: Path, schema: JsonObject) -> Iterator[Finding]:
    """A least value above the greatest leaves nothing that fits."""
    for low, high in _BOUNDS:
        least, greatest = schema.get(low), schema.get(high)
        if least is not None and greatest is not None and least > greatest:
            text = f"{low} {shown(least)} is more than {high} {shown(greatest)}, so that nothing fits"
            yield Finding(code="RUN210", path=path, at=(*path, low), text=text)


def _check_patterns(path: Path, schema: JsonObject) -> Iterator[Finding]:
    """A model writes the texts, so a pattern must not be able to take for ever."""
    places = [(schema["pattern"], (*path, "pattern"), False)] if "pattern" in schema else []
    named = schema.get("patternProperties", {})
    places += [(pattern, (*path, "patternProperties", pattern), True) for pattern in named]
    for pattern, at, on_key in places:
        if (why := _not_linear(pattern)) is not None:
            text = f"'{clip(pattern)}' cannot be used: {why}"
            yield Finding(code="RUN210", path=at, at=at, on_key=on_key, text=text)


def _check_unevaluated(root: JsonObject) -> Iterator[Finding]:
    """What is evaluated would be looked for with patterns, and not in linear time."""
    every = list(parts(root))
    if any("patternProperties" in part for _, part in every):
        for at in [(*path, "unevaluatedProperties") for path, part in every if "unevaluatedProperties" in part]:
            text = "cannot be checked in a JSON Schema that has patternProperties; write additionalProperties"
            yield Finding(code="RUN210", path=at, at=at, on_key=True, text=text)


def _not_linear(pattern: str) -> str | None:
    from runner.parsing.patterns import not_linear  # noqa: PLC0415 - only schemas with patterns need RE2

    return not_linear(pattern)


def _check_circles(root: JsonObject) -> Iterator[Finding]:
    """A `$ref` that leads back to itself without going into the value would be followed without end."""
    safe: set[int] = set()

    def circular(schema: Json, trail: frozenset[int]) -> bool:
        if not isinstance(schema, dict) or id(schema) in safe:
            return False
        if id(schema) in trail:
            return True
        inner = [part for keyword, _, part in _inner(schema) if keyword in _SAME_VALUE]
        if "$ref" in schema:
            inner.append(resolve(root, schema["$ref"]))
        if any(circular(part, trail | {id(schema)}) for part in inner):
            return True
        safe.add(id(schema))
        return False

    for path, part in parts(root):
        if "$ref" in part and circular(part, frozenset()):
            at = (*path, "$ref")
            yield Finding(
                code="RUN211", path=at, at=at, text=f"'{clip(part['$ref'])}' leads back to itself without end"
            )
