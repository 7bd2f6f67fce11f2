"""Mistakes in keys: misspelt, foreign, doubled, missing, or at another level."""

from collections.abc import Iterator
from random import Random

import yaml

from tests.benchmarks.mutants.mutant import Mutant, edit
from tests.benchmarks.mutants.subject import Place, Subject
from tests.benchmarks.mutants.words import typo

# Key of ours -> what people write who come from other tools; the value of each is of the same kind.
_FOREIGN = {
    ("agent", "instructions"): "system_prompt",
    ("agent", "tools"): "toolsets",
    ("agent", "inputs"): "variables",
    ("agent", "extends"): "inherits",
    ("agent", "output_schema"): "response_format",
    ("agent", "limits", "max_steps"): "max_turns",
    ("agent", "limits", "max_cost"): "max_budget",
    ("agent", "model", "api_base"): "base_url",
    ("agent", "model", "params"): "extra_body",
}
# Keys of the top level that belong into a mapping, or the reverse.
_MOVABLE = ("max_steps", "max_cost", "max_tool_calls", "temperature", "api_base", "api_key", "max_total_tokens")


def key_typo(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A key with a typing mistake, wherever the language knows all keys."""
    for place in _known(subject):
        wrong = typo(place.name, random, taken=place.parent.shape.names if place.parent else ())
        if wrong:
            yield _renamed(subject, place, wrong, place.name)


def foreign_key(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A key as another tool calls it."""
    del random
    for (kind, *path), foreign in _FOREIGN.items():
        place = subject.at(*path)
        if subject.kind == kind and place is not None and place.key is not None:
            yield _renamed(subject, place, foreign, place.name)


def key_in_capitals(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A key as camelCase or with dashes."""
    for place in _known(subject):
        if "_" in place.name:
            first, *others = place.name.split("_")
            wrong = random.choice((first + "".join(map(str.capitalize, others)), place.name.replace("_", "-")))
            yield _renamed(subject, place, wrong, place.name)


def duplicate_key(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A key given twice, in a mapping of either style."""
    del random
    for place in subject.places:
        if place.key is None or not place.is_scalar or not isinstance(place.node, yaml.ScalarNode):
            continue
        entry = subject.text[place.key_start : place.end]
        if place.is_flow:
            yield edit(subject, place.end, place.end, f", {entry}", lines=[place.line])
        elif place.line == place.key_line:
            _, end = subject.line_bounds(place.line)
            column = place.key.start_mark.column
            yield edit(subject, end, end, f"{' ' * column}{entry}\n", lines=[place.line + 1])


def missing_key(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A key left out that must be there."""
    del random
    for place in _known(subject):
        parent = place.parent
        if parent is None or place.name not in _required(subject, parent) or place.is_flow or not place.is_scalar:
            continue
        start, end = subject.line_bounds(place.line)
        if subject.text[start : place.key_start].strip():  # behind a dash: the next key moves up
            following = [each for each in subject.below(parent) if each is not place]
            if not following or following[0].key_line != place.line + 1:
                continue
            yield edit(subject, place.key_start, following[0].key_start, "", lines=[place.line])
        else:
            yield edit(subject, start, end, "", lines=[_first_line(parent, place), parent.key_line])


def misplaced_key(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A key of `limits` or `model` at the top level."""
    del random
    for place in _known(subject):
        if subject.kind != "agent" or place.name not in _MOVABLE or len(place.path) != 2:
            continue
        siblings = subject.below(place.parent) if place.parent else []
        if place.is_flow or len(siblings) < 2 or not place.is_scalar:
            continue
        start, end = subject.line_bounds(place.line)
        entry = subject.text[start:end].strip()
        yield Mutant(
            text=f"{subject.text[:start]}{subject.text[end:].rstrip()}\n{entry}\n",
            lines=frozenset({subject.text[:start].count("\n") + subject.text[end:].rstrip().count("\n") + 2}),
            what=f"{entry!r} moved out of {place.path[0]}",
            meant=f"{place.path[0]}.{place.name}",
        )


def _known(subject: Subject) -> Iterator[Place]:
    for place in subject.places:
        shape = place.parent.shape if place.key is not None and place.parent is not None else None
        if shape is not None and shape.is_closed and place.name in shape.names:
            yield place


def _renamed(subject: Subject, place: Place, wrong: str, meant: str) -> Mutant:
    return edit(subject, place.key_start, place.key_start + len(place.name), wrong, meant=meant)


def _required(subject: Subject, parent: Place) -> set[str]:
    if parent.path:
        return parent.shape.required
    if subject.kind == "toolset":
        return {"tools"}
    whole = subject.kind == "agent" and not subject.partial and subject.at("extends") is None
    return {"name"} if whole else set()


def _first_line(parent: Place, gone: Place) -> int:
    """Where a mapping begins once a key of it is gone; the document begins with its first key."""
    first = parent.line
    return min(gone.line, first)
