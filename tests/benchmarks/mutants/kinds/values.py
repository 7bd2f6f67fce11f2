"""Mistakes in values: of the wrong type, out of bounds, not one of those allowed, malformed."""

import re
from collections.abc import Iterator
from random import Random

import yaml

from tests.benchmarks.mutants.mutant import Mutant, edit
from tests.benchmarks.mutants.subject import Place, Subject
from tests.benchmarks.mutants.words import typo

_DURATIONS = ("30 sec", "5 minutes", "-5s", "1d", "0s", "2m30", "one hour", "10S")
_SIZES = ("1 megabyte", "-1MB", "64kb", "0MB", "lots", "1M")


def text_for_number(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A word where a number is expected."""
    for place in _scalars(subject):
        if place.shape.types and place.shape.types <= {"integer", "number"}:
            yield _value(subject, place, random.choice(("many", "ten", "unlimited", '"7"', "1_000")))


def text_for_boolean(subject: Subject, random: Random) -> Iterator[Mutant]:
    """`yes`, `on` and the like, which are text in YAML 1.2."""
    for place in _scalars(subject):
        if place.shape.types == {"boolean"}:
            yield _value(subject, place, random.choice(("yes", "no", "on", "off", '"true"', "1")))


def number_for_text(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A number or boolean where text is expected."""
    for place in _scalars(subject):
        if place.shape.types == {"string"} and not _of_enum(place):
            yield _value(subject, place, random.choice(("12", "3.5", "true", "false")))


def fraction_for_integer(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A number with decimals where a whole one is expected."""
    for place in _scalars(subject):
        if place.shape.types == {"integer"}:
            yield _value(subject, place, random.choice(("2.5", "0.1", "1e-3")))


def list_for_scalar(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A value in brackets."""
    del random
    for place in _scalars(subject):
        if "array" not in place.shape.types:
            yield _value(subject, place, f"[{subject.text[place.start : place.end]}]")


def mapping_for_scalar(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A mapping where a scalar is expected."""
    del random
    for place in _scalars(subject):
        if "object" not in place.shape.types:
            yield _value(subject, place, f"{{value: {subject.text[place.start : place.end]}}}")


def scalar_for_collection(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A number where a list or a mapping is expected."""
    del random
    for place in subject.places:
        is_collection = isinstance(place.node, yaml.MappingNode | yaml.SequenceNode)
        fits = not place.shape.parts or bool(place.shape.types & {"integer", "number"})
        if is_collection and place.in_brackets and not fits and not _is_alias_anchor(subject, place):
            yield _value(subject, place, "12")


def empty_value(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A key with nothing behind it."""
    del random
    for place in _scalars(subject):
        if "null" not in place.shape.types and place.key is not None:
            yield _value(subject, place, "" if not place.is_flow else "null")


def enum_typo(subject: Subject, random: Random) -> Iterator[Mutant]:
    """One of the words that are allowed, misspelt."""
    for place in _scalars(subject):
        options = _of_enum(place)
        if options and place.node.value in options:
            wrong = typo(place.node.value, random, taken=options)
            if wrong:
                yield _value(subject, place, wrong, meant=place.node.value)


def enum_other(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A word that is none of those allowed."""
    for place in _scalars(subject):
        if _of_enum(place):
            yield _value(subject, place, random.choice(("nothing", "whatever", "default_mode")))


def out_of_bounds(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A number below the least or above the greatest."""
    del random
    for place in _scalars(subject):
        numeric = re.fullmatch(r"[0-9.]+", str(place.node.value)) and place.is_plain
        least, greatest = place.shape.first("minimum"), place.shape.first("maximum")
        if numeric and least is not None:
            yield _value(subject, place, str(least - 1))
        if numeric and greatest is not None:
            yield _value(subject, place, str(greatest + 1))


def bad_duration(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A time that is not written as one."""
    for place in _scalars(subject):
        if "ms|s|m|h" in str(place.shape.first("pattern")):
            yield _value(subject, place, random.choice(_DURATIONS))


def bad_size(subject: Subject, random: Random) -> Iterator[Mutant]:
    """An amount of data that is not written as one."""
    for place in _scalars(subject):
        if "KiB" in str(place.shape.first("pattern")):
            yield _value(subject, place, random.choice(_SIZES))


def bad_name(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A name with a character that names do not have."""
    for place in _scalars(subject):
        pattern = str(place.shape.first("pattern"))
        if pattern.startswith(("^[a-z][a-z0-9", "^[a-zA-Z_][a-zA-Z0-9_-]{0,63}")):
            name = place.node.value
            yield _value(
                subject, place, random.choice((f"{name} tool", f"{name}.v2", f"9{name}", f"{name}!", "a" * 65))
            )


def _scalars(subject: Subject) -> Iterator[Place]:
    for place in subject.places:
        anchored = _is_alias_anchor(subject, place)
        if place.is_scalar and place.shape.parts and not anchored and place.name != "version":
            yield place


def _is_alias_anchor(subject: Subject, place: Place) -> bool:
    return subject.text[place.start] == "&" if place.start < len(subject.text) else False


def _of_enum(place: Place) -> list[str]:
    options = place.shape.first("enum")
    return [option for option in options if isinstance(option, str)] if options else []


def _value(subject: Subject, place: Place, new: str, *, meant: str | None = None) -> Mutant:
    return edit(subject, place.start, place.end, new, lines=[place.line], meant=meant)
