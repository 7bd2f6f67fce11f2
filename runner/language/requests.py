"""The requests that tools declare, as they are written: their strings, which of them are templates, and where."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from runner.language.catalog import DeclaredTool
from runner.language.document import Path
from runner.language.passages import ScalarPassage
from runner.prompts import Reading, read_template
from runner.spec import Json, JsonObject

Part = Literal["url", "headers", "query", "body"]
_PARTS: tuple[Part, ...] = ("url", "headers", "query", "body")
_FILLED_IN = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|\$\{[^}]*\}", re.DOTALL)
# Stands for one character of what is filled in; no document holds it.
BLANK = "\0"


@dataclass(frozen=True, kw_only=True, slots=True)
class RequestTemplate:
    """A string of a request that the arguments are filled into."""

    part: Part
    passage: ScalarPassage
    reading: Reading


def declaration(tool: DeclaredTool) -> JsonObject:
    """What is written where a tool is declared: for an operation of an OpenAPI document, its `type: openapi`."""
    value: Json = tool.document.data if tool.document.has(tool.path) else None
    for step in tool.path if value is not None else ():
        value = value[step]
    return value if isinstance(value, Mapping) else {}


def request_templates(tool: DeclaredTool) -> Iterator[RequestTemplate]:
    """The strings of an HTTP tool's request, in the order of url, headers, query and body."""
    declared = declaration(tool)
    for part in _PARTS:
        for path, value in strings(declared.get(part), (*tool.path, part)):
            # `query: {name: {value: …, style: comma}}`: the one string beside templates.
            if part == "query" and path[len(tool.path) + 2 :] == ("style",):
                continue
            passage = ScalarPassage(document=tool.document, path=path, value=value)
            yield RequestTemplate(part=part, passage=passage, reading=read_template(value))


def strings(value: Json, path: Path) -> Iterator[tuple[Path, str]]:
    """All strings of a value that stands at `path`, with their paths."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from strings(each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from strings(each, (*path, index))


def keys(value: Json, path: Path) -> Iterator[Path]:
    """The paths of all keys of a value that stands at `path`."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield (*path, key)
            yield from keys(each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from keys(each, (*path, index))


def blanked(text: str) -> str:
    """The text, as long as it is, with everything that is filled in later (`{{ }}`, `${ }`) as `BLANK`s."""
    return _FILLED_IN.sub(lambda found: BLANK * len(found[0]), text)


def is_filled_in(text: str) -> bool:
    """Whether a part of the text is known at run time only."""
    return BLANK in blanked(text)
