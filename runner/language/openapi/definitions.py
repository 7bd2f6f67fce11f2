"""Puts the schemas that a tool's parameters refer to beside them, or in their place where they are used once."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping

from runner.spec import Json

# Shorter ones read better where they are used than under a name.
_SHORT = 300


class Named(dict[str, Json]):
    """A reference to a definition while parameters are put together; it holds the annotations written beside it."""

    def __init__(self, name: str, beside: Mapping[str, Json] | None = None) -> None:
        super().__init__(beside or {})
        self.name = name


def settle(schema: dict[str, Json], definitions: Mapping[str, Json]) -> dict[str, Json]:
    """The schema with its references replaced, and `$defs` for those that are recursive or used more than once.

    `definitions` may hold more than is used.
    """
    uses: Counter[str] = Counter()
    waiting: list[Json] = [schema]
    while waiting:
        for name in _names(waiting.pop()):
            uses[name] += 1
            if uses[name] == 1:
                waiting.append(definitions[name])
    # What is part of a circle is used by the circle and from outside, so that what is used once is in none.
    inlined = {name for name, count in uses.items() if count == 1 or _is_short(definitions[name])}

    def settled(value: Json) -> Json:
        if isinstance(value, Named):
            beside = {key: settled(each) for key, each in value.items()}
            if value.name not in inlined:
                return {"$ref": f"#/$defs/{value.name}", **beside}
            target = settled(definitions[value.name])
            return {**target, **beside} if isinstance(target, dict) else target
        if isinstance(value, dict):
            return {key: settled(each) for key, each in value.items()}
        return [settled(each) for each in value] if isinstance(value, list) else value

    kept = {name: settled(definitions[name]) for name in uses if name not in inlined}
    result: dict[str, Json] = settled(schema)
    return {**result, "$defs": kept} if kept else result


def _names(value: Json) -> Iterator[str]:
    if isinstance(value, Named):
        yield value.name
    if isinstance(value, dict):
        for each in value.values():
            yield from _names(each)
    elif isinstance(value, list):
        for each in value:
            yield from _names(each)


def _is_short(schema: Json) -> bool:
    return next(_names(schema), None) is None and len(json.dumps(schema)) <= _SHORT
