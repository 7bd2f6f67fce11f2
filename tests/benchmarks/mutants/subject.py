"""A good file of a project, read apart from our own reader, so that mutations know where everything stands."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import yaml

from tests.benchmarks.mutants.shape import Shape

Kind = Literal["agent", "toolset", "project"]
SCHEMAS = Path(__file__).parents[3] / "schemas"
_SCHEMA_KEYWORDS_NAMED = ("properties", "$defs")
_SCHEMA_KEYWORDS_ONE = ("items", "additionalProperties")


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A value in a file.

    Attributes:
        path: the keys and indexes that lead to it.
        key: the node of its key; None for an item of a list, and for the document.
        node: the value.
        parent: the mapping or list it is in.
        shape: what the published schema says about the value.
    """

    path: tuple[str | int, ...]
    key: yaml.ScalarNode | None
    node: yaml.Node
    parent: "Place | None"
    shape: Shape

    @property
    def name(self) -> str:
        """The key as text; empty when it has none."""
        return self.key.value if self.key is not None else ""

    @property
    def is_scalar(self) -> bool:
        """Whether the value is one on a single line, and no block scalar."""
        return isinstance(self.node, yaml.ScalarNode) and self.node.style not in ("|", ">")

    @property
    def is_plain(self) -> bool:
        """Whether the value is a scalar without quotes."""
        return isinstance(self.node, yaml.ScalarNode) and not self.node.style

    @property
    def in_brackets(self) -> bool:
        """Whether the value is a list or mapping in brackets."""
        return isinstance(self.node, yaml.CollectionNode) and bool(self.node.flow_style)

    @property
    def is_flow(self) -> bool:
        """Whether the value, or what it is in, is written in brackets."""
        place: Place | None = self
        while place is not None:
            if place.in_brackets:
                return True
            place = place.parent
        return False

    @property
    def start(self) -> int:
        """Offset of the value's first character."""
        return int(self.node.start_mark.index)

    @property
    def end(self) -> int:
        """Offset behind the value's last character; only of use for scalars on one line and values in brackets."""
        return int(self.node.end_mark.index)

    @property
    def line(self) -> int:
        """Line of the value, counted from 1."""
        return int(self.node.start_mark.line) + 1

    @property
    def key_start(self) -> int:
        """Offset of the key, or of the value of what has none."""
        return int(self.key.start_mark.index) if self.key is not None else self.start

    @property
    def key_line(self) -> int:
        """Line of the key, or of the value of what has none."""
        return int(self.key.start_mark.line) + 1 if self.key is not None else self.line

    def value_of(self, key: str) -> str | None:
        """The text of a key of this mapping."""
        if isinstance(self.node, yaml.MappingNode):
            for name, value in self.node.value:
                if name.value == key and isinstance(value, yaml.ScalarNode):
                    return str(value.value)
        return None


@dataclass(frozen=True, kw_only=True)
class Subject:
    """One good file.

    Attributes:
        project: the folder of the project.
        file: the file's path in it.
        kind: what it declares.
        partial: whether others extend it, so that it may lack things.
    """

    project: Path
    file: str
    kind: Kind
    text: str
    partial: bool = False
    _schema: Any = field(init=False, repr=False, default=None)

    @cached_property
    def places(self) -> list[Place]:
        """Every value of the file once; what an alias repeats, and what has an anchor, is left out."""
        schema = json.loads((SCHEMAS / f"{self.kind}.schema.json").read_text(encoding="utf-8"))
        root = yaml.compose(self.text, Loader=yaml.CSafeLoader)
        if root is None:
            raise ValueError(f"{self.file} is empty")
        return list(_walk(Place(path=(), key=None, node=root, parent=None, shape=Shape.of(schema, root)), set()))

    @cached_property
    def schemas(self) -> list[Place]:
        """The places that hold a JSON Schema written by the author."""
        return [place for place in self.places if _is_schema(place.path, self.kind)]

    def at(self, *path: str | int) -> Place | None:
        """The place with this path."""
        return next((place for place in self.places if place.path == path), None)

    def below(self, place: Place) -> list[Place]:
        """The values right inside a place."""
        return [each for each in self.places if each.parent is place]

    def line_of(self, offset: int) -> int:
        """The line of a character, counted from 1."""
        return self.text.count("\n", 0, offset) + 1

    def line_bounds(self, line: int) -> tuple[int, int]:
        """Offsets of a line, its line end included in the second."""
        lines = self.text.splitlines(keepends=True)
        start = sum(map(len, lines[: line - 1]))
        return start, start + len(lines[line - 1])

    def replaced(self, start: int, end: int, new: str) -> str:
        """The text with a stretch replaced."""
        return self.text[:start] + new + self.text[end:]


def _walk(place: Place, seen: set[int]) -> Iterator[Place]:
    if id(place.node) in seen:
        return
    seen.add(id(place.node))
    yield place
    if isinstance(place.node, yaml.MappingNode):
        for key, value in place.node.value:
            shape = place.shape.key(key.value, value)
            yield from _walk(Place(path=(*place.path, key.value), key=key, node=value, parent=place, shape=shape), seen)
    elif isinstance(place.node, yaml.SequenceNode):
        for index, value in enumerate(place.node.value):
            shape = place.shape.item(value)
            yield from _walk(Place(path=(*place.path, index), key=None, node=value, parent=place, shape=shape), seen)


def _is_schema(path: tuple[str | int, ...], kind: Kind) -> bool:
    rest: tuple[str | int, ...] | None = None
    if kind == "agent" and path[:1] == ("inputs",):
        rest = path[2:] if len(path) > 1 else None
    elif kind == "agent" and path[:1] == ("output_schema",):
        rest = path[1:]
    elif path[:1] == ("tools",) and path[2:3] == ("parameters",):
        rest = path[3:]
    while rest:
        if rest[0] in _SCHEMA_KEYWORDS_NAMED and len(rest) > 1:
            rest = rest[2:]
        elif rest[0] in _SCHEMA_KEYWORDS_ONE:
            rest = rest[1:]
        else:
            return False
    return rest is not None


def subjects_of(project: Path) -> list[Subject]:
    """The agents, toolsets and project file of a project."""
    found: list[Subject] = []
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(project.rglob("*.yaml"))}
    bases = {match for text in texts.values() for match in re.findall(r"^extends:.*$", text, re.MULTILINE)}
    for path, text in texts.items():
        file = path.relative_to(project).as_posix()
        kind = _kind(file)
        if kind is not None and not re.search(r"^openapi:", text, re.MULTILINE):
            partial = any(path.name in base for base in bases)
            found.append(Subject(project=project, file=file, kind=kind, text=text, partial=partial))
    return found


def _kind(file: str) -> Kind | None:
    if file == "runner.yaml":
        return "project"
    folder = file.partition("/")[0]
    return "agent" if folder == "agents.d" else "toolset" if folder == "tools.d" else None
