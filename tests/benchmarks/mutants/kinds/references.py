"""Names that name nothing: tools, files, functions, parameters, operations."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

import yaml

from tests.benchmarks.mutants.mutant import Mutant, edit
from tests.benchmarks.mutants.subject import Place, Subject
from tests.benchmarks.mutants.words import typo

# Whether the value at a path is meant.
IsOne = Callable[[tuple[str | int, ...]], bool]


def unknown_tool(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A misspelt name in an agent's `tools`."""
    yield from _misspelt(subject, random, lambda path: path[:1] == ("tools",) and len(path) == 2, "agent")


def unknown_tool_of_example(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A misspelt name of a tool in an example."""
    yield from _misspelt(subject, random, lambda path: path[:1] == ("examples",) and path[-1] == "tool", "agent")


def unknown_tool_choice(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A misspelt name in `tool_choice`."""
    chosen = (("tool_choice",), ("tool_choice", "mode"))
    yield from _misspelt(subject, random, lambda path: path in chosen, "agent")


def unknown_tool_of_permission(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A misspelt name in `permissions`, which no tool of the agent has."""
    for place in subject.places:
        if place.path[:1] == ("permissions",) and place.is_plain and "=" not in place.node.value:
            wrong = typo(place.node.value, random)
            if wrong:
                yield edit(subject, place.start, place.end, wrong, meant=place.node.value, warning=True)


def unknown_argument_of_example(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A misspelt argument in an example's call."""
    for place in subject.places:
        if subject.kind == "agent" and place.key is not None and place.path[-2:-1] == ("arguments",):
            # JSON Schema allows keys that it does not declare: where they are optional it is a warning
            yield from (replace(each, warning=True) for each in _key_typo(subject, place, random))


def missing_base(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A misspelt file in `extends`."""
    yield from _misspelt_file(subject, random, lambda path: path[:1] == ("extends",))


def missing_file(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A misspelt file with instructions, a prompt or an OpenAPI document."""
    files = ("instructions_file", "prompt_file", "spec")
    yield from _misspelt_file(subject, random, lambda path: bool(path) and path[-1] in files)


def unknown_module(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A misspelt module of a Python tool."""
    for place, match in _functions(subject):
        start = place.start + match.start("module")
        wrong = typo(match["module"], random)
        if wrong:
            yield edit(subject, start, start + len(match["module"]), wrong, meant=match["module"].rpartition(".")[2])


def unknown_function(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A misspelt function or method of a Python tool."""
    for place, match in _functions(subject):
        start = place.start + match.start("name")
        wrong = typo(match["name"], random)
        if wrong:
            yield edit(subject, start, start + len(match["name"]), wrong, meant=match["name"])


def unknown_parameter(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A misspelt parameter among those declared for a Python tool."""
    for place in subject.places:
        tool = _tool_of(subject, place)
        if place.key is None or tool is None or tool.value_of("type") != "python":
            continue
        if place.path[2:] == ("parameters", "properties", place.name):
            required = subject.at(*place.path[:2], "parameters", "required")
            named = _items(required) if required else []
            if place.name not in named:  # else two places disagree, and either may be the wrong one
                yield from _key_typo(subject, place, random)


def unknown_required(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A misspelt name in the `required` of a tool's parameters."""

    def is_one(path: tuple[str | int, ...]) -> bool:
        return path[:1] == ("tools",) and path[2:4] == ("parameters", "required") and len(path) == 5

    yield from _misspelt(subject, random, is_one, "toolset")


def unknown_config(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A misspelt argument of a tool's constructor, one that it can do without."""
    for place in subject.places:
        if place.key is not None and place.path[2:3] == ("config",) and place.name == "page_size":
            yield from _key_typo(subject, place, random)


def unknown_operation(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A misspelt operation of an OpenAPI document."""
    yield from _misspelt(subject, random, _is_operation, "toolset")


def _is_operation(path: tuple[str | int, ...]) -> bool:
    return path[2:3] == ("operations",)


def unknown_placeholder(subject: Subject, random: Random) -> Iterator[Mutant]:
    """A misspelt parameter in the request of an HTTP tool."""
    for place in subject.places:
        tool = _tool_of(subject, place)
        if tool is None or tool.value_of("type") != "http" or not place.is_scalar:
            continue
        for match in re.finditer(r"\{\{ (\w+) \}\}", subject.text[place.start : place.end]):
            wrong = typo(match[1], random, taken={"owner", "repo", "query", "labels", "title", "unit", "place"})
            if wrong:
                start = place.start + match.start(1)
                yield edit(subject, start, start + len(match[1]), wrong, meant=match[1])


def _functions(subject: Subject) -> Iterator[tuple[Place, re.Match[str]]]:
    for place in subject.places:
        if place.name == "function" and _tool_of(subject, place):
            match = re.search(r"(?P<module>[\w.]+):(?:\w+\.)?(?P<name>\w+)", subject.text[place.start : place.end])
            if match and not match["module"].startswith("runner"):
                yield place, match


def _tool_of(subject: Subject, place: Place) -> Place | None:
    inside = place.path[:1] == ("tools",) and len(place.path) > 2
    return subject.at(*place.path[:2]) if inside else None


def _items(place: Place) -> list[str]:
    return [item.value for item in place.node.value] if isinstance(place.node, yaml.SequenceNode) else []


def _key_typo(subject: Subject, place: Place, random: Random) -> Iterator[Mutant]:
    siblings = {each.name for each in subject.below(place.parent)} if place.parent else set()
    wrong = typo(place.name, random, taken=siblings)
    if wrong:
        yield edit(subject, place.key_start, place.key_start + len(place.name), wrong, meant=place.name)


def _misspelt(subject: Subject, random: Random, is_one: IsOne, kind: str) -> Iterator[Mutant]:
    for place in subject.places:
        if subject.kind != kind or not place.is_scalar or not place.path or not is_one(place.path):
            continue
        name = place.node.value
        if name in ("auto", "none", "required") or "*" in name:
            continue
        wrong = typo(name, random)
        if wrong:
            start = subject.text.index(name, place.start)
            yield edit(subject, start, start + len(name), wrong, meant=name)


def _misspelt_file(subject: Subject, random: Random, is_one: IsOne) -> Iterator[Mutant]:
    for place in subject.places:
        if place.is_scalar and is_one(place.path):
            name = place.node.value.rpartition("/")[2]
            stem = name.partition(".")[0]
            wrong = typo(stem, random)
            if wrong:
                start = subject.text.index(name, place.start)
                yield edit(subject, start, start + len(stem), wrong, meant=name)
