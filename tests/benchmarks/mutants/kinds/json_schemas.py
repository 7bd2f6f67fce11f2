"""Mistakes in the JSON Schemas that people write, and in values that must fit them."""

import json
from collections.abc import Iterator
from random import Random

import yaml

from tests.benchmarks.mutants.mutant import Mutant, edit
from tests.benchmarks.mutants.subject import Place, Subject
from tests.benchmarks.mutants.words import typo

_TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")
# JSON Schema allows any key; a misspelt keyword is a warning, unless it was one the language asks for.
_KEYWORDS = (
    "properties",
    "required",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "description",
    "default",
    "items",
)
_PAIRS = (("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems"))


def schema_type_typo(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A JSON type with a typing mistake."""
    for place in _keywords(subject, "type"):
        wrong = typo(place.node.value, random, taken=_TYPES)
        if wrong and place.path[-2:] != ("parameters", "type"):
            yield edit(subject, place.start, place.end, wrong, meant=place.node.value)


def schema_type_foreign(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A type as another language calls it."""
    foreign = {"string": ("str", "text"), "integer": ("int",), "number": ("float",), "boolean": ("bool",)}
    for place in _keywords(subject, "type"):
        if place.node.value in foreign:
            yield edit(
                subject, place.start, place.end, random.choice(foreign[place.node.value]), meant=place.node.value
            )


def schema_keyword_typo(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A keyword of JSON Schema with a typing mistake, one that nothing else hangs on."""
    for place in subject.places:
        is_keyword = place.parent in subject.schemas and place.key is not None and place.name in _KEYWORDS
        alone = place.name not in ("properties", "default") and not (place.name == "items" and place.is_flow)
        if is_keyword and alone:
            wrong = typo(place.name, random, taken=_KEYWORDS)
            if wrong:
                start = place.key_start
                yield edit(subject, start, start + len(place.name), wrong, meant=place.name, warning=True)


def required_as_boolean(subject: Subject, random: Random) -> Iterator[Mutant]:
    """`required: true`, as other schema languages write it."""
    del random
    for place in _keywords(subject, "required", yaml.SequenceNode):
        if place.is_flow:
            yield edit(subject, place.start, place.end, "true", lines=[place.line])


def negative_length(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A count below zero."""
    del random
    for name in ("minLength", "maxLength", "minItems", "maxItems"):
        for place in _keywords(subject, name):
            yield edit(subject, place.start, place.end, "-1")


def swapped_bounds(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A least value above the greatest: nothing can fit."""
    del random
    for schema in subject.schemas:
        inner = {place.name: place for place in subject.below(schema)}
        for low, high in _PAIRS:
            if low in inner and high in inner:
                least, greatest = sorted((inner[low], inner[high]), key=lambda place: place.start)
                text = subject.text
                yield Mutant(
                    text=text[: least.start]
                    + text[greatest.start : greatest.end]
                    + text[least.end : greatest.start]
                    + text[least.start : least.end]
                    + text[greatest.end :],
                    lines=frozenset({least.line, greatest.line}),
                    what=f"{low} and {high} swapped",
                )


def unfit_default(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A default of an input that its own schema refuses."""
    del random
    for place in _keywords(subject, "default"):
        said = place.parent.value_of("type") if place.parent else None
        wrong = {"string": "12", "integer": "lots", "boolean": "maybe"}.get(said or "")
        if wrong and subject.kind == "agent" and place.path[0] == "inputs":
            yield edit(subject, place.start, place.end, wrong)


def unknown_reference(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A `$ref` that names nothing."""
    for place in _keywords(subject, "$ref"):
        name = place.node.value.rpartition("/")[2]
        wrong = typo(name, random)
        if wrong:
            start = subject.text.index(name, place.start)
            yield edit(subject, start, start + len(name), wrong, meant=name)


def unfit_answer(subject: Subject, random: Random) -> Iterator[Mutant]:
    """An example's answer that lacks what the output schema asks for, or is no JSON."""
    required = subject.at("output_schema", "required")
    for place in subject.places:
        if place.path[:1] == ("examples",) and place.path[-1] == "answer" and len(place.path) == 3:
            if subject.at("output_schema") is None:
                continue
            value = json.loads(place.node.value)
            if required is not None and isinstance(value, dict):
                value.pop(random.choice([item.value for item in required.node.value]), None)
                yield edit(subject, place.start, place.end, f"'{json.dumps(value)}'", warning=True)
            yield edit(subject, place.start, place.end, "It is what it is.", warning=True)


def unfit_argument(subject: Subject, random: Random) -> Iterator[Mutant]:
    """An argument of an example that is of the wrong type."""
    del random
    for place in subject.places:
        if place.path[:1] == ("examples",) and place.path[-2:-1] == ("arguments",) and place.is_scalar:
            yield edit(subject, place.start, place.end, "[]")


def _keywords(subject: Subject, name: str, node: type[yaml.Node] = yaml.ScalarNode) -> Iterator[Place]:
    schemas = {schema.path for schema in subject.schemas}
    for place in subject.places:
        if place.name == name and isinstance(place.node, node) and place.path[:-1] in schemas:
            yield place
