"""Tells where an argument belongs that a call gave beside an object (a `body`, mostly) instead of inside of it."""

from collections.abc import Iterator, Mapping, Sequence

from runner.spec import Json, JsonObject

_UNKNOWN = ": there is no such argument"
_PARTS = ("allOf", "anyOf", "oneOf")


def with_places(problems: Sequence[str], schema: JsonObject) -> list[str]:
    """What is wrong with the arguments of a call, with a hint at each that an object of `schema` has a key for."""
    return [_with_place(problem, schema) for problem in problems]


def _with_place(problem: str, schema: JsonObject) -> str:
    name, found, _ = problem.partition(_UNKNOWN)
    if not found:
        return problem
    holders = [key for key, each in schema.get("properties", {}).items() if name in _keys(each, schema)]
    return f"{name}{_UNKNOWN}, it belongs inside of '{holders[0]}'" if len(holders) == 1 else problem


def _keys(schema: Json, root: JsonObject) -> Iterator[str]:
    """The keys that an object may have, those of its alternatives included."""
    seen: set[int] = set()
    waiting = [schema]
    while waiting:
        each = waiting.pop()
        if not isinstance(each, Mapping) or id(each) in seen:
            continue
        seen.add(id(each))
        yield from each.get("properties", ())
        for part in _PARTS:
            waiting.extend(each.get(part, ()))
        name = str(each.get("$ref", "")).removeprefix("#/$defs/")
        waiting.append(root.get("$defs", {}).get(name))
