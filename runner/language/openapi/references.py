"""Follows `$ref`s of OpenAPI documents, inside a file and into others of the project."""

import re
from dataclasses import dataclass
from pathlib import Path as FilePath
from urllib.parse import unquote

from runner.diagnostics import Diagnostic
from runner.language.document import Path
from runner.language.openapi.reading import SpecError, SpecFile, SpecFiles, SpecTextError
from runner.spec import Json
from runner.suggest import did_you_mean

Place = tuple[FilePath, Path]
# Of a list (RFC 6901); nothing holds more than this many, and Python reads no number of thousands of digits.
_INDEX = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Node:
    """A value of an OpenAPI document, and where it stands."""

    spec: SpecFile
    path: Path
    value: Json

    @property
    def place(self) -> Place:
        """What tells it from all other values."""
        return self.spec.path, self.path

    def get(self, key: str) -> "Node | None":
        """The value of a key; None when there is none, or this is no mapping."""
        if not isinstance(self.value, dict) or key not in self.value:
            return None
        return Node(spec=self.spec, path=(*self.path, key), value=self.value[key])

    def items(self) -> "list[tuple[str, Node]]":
        """The keys of a mapping with their values; none of anything else."""
        if not isinstance(self.value, dict):
            return []
        return [(key, Node(spec=self.spec, path=(*self.path, key), value=each)) for key, each in self.value.items()]

    def elements(self) -> "list[Node]":
        """The elements of a list; none of anything else."""
        if not isinstance(self.value, list):
            return []
        return [Node(spec=self.spec, path=(*self.path, index), value=each) for index, each in enumerate(self.value)]

    def text(self, key: str) -> str:
        """The text of a key, stripped; empty when there is none."""
        value = self.value.get(key) if isinstance(self.value, dict) else None
        return value.strip() if isinstance(value, str) else ""

    def flag(self, key: str) -> bool:
        """Whether a key is `true`."""
        return isinstance(self.value, dict) and self.value.get(key) is True


class ReferenceProblem(Exception):  # noqa: N818 - it carries the problem, which is a value elsewhere
    """A `$ref` cannot be followed."""

    def __init__(self, problems: list[Diagnostic]) -> None:
        super().__init__(problems[0].message)
        self.problems = problems


class References:
    """Follows references; `root` is the root folder of the project, which they may not leave."""

    def __init__(self, files: SpecFiles, root: FilePath) -> None:
        self._files = files
        self._root = root

    def follow(self, node: Node) -> Node:
        """The value that a node stands for in the end.

        Raises:
            ReferenceProblem: a reference on the way finds nothing or leads back to itself.
        """
        seen: set[Place] = set()
        while isinstance(node.value, dict) and isinstance(node.value.get("$ref"), str):
            if node.place in seen:
                raise _problem(node, f"'{node.value['$ref']}' leads back to itself")
            seen.add(node.place)
            node = self._target(node)
        return node

    def _target(self, node: Node) -> Node:
        reference: str = node.value["$ref"]
        name, _, pointer = reference.partition("#")
        spec = self._file(node, name) if name else node.spec
        if pointer and not pointer.startswith("/"):
            raise _problem(node, f"cannot follow '{reference}': expected a place like #/components/schemas/Name")
        value: Json = spec.data
        path: Path = ()
        for step in pointer.split("/")[1:]:
            key = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(value, dict) and key in value:
                path, value = (*path, key), value[key]
            elif isinstance(value, list) and _INDEX.fullmatch(key) and int(key) < len(value):
                path, value = (*path, int(key)), value[int(key)]
            else:
                hint = did_you_mean(key, value) if isinstance(value, dict) else None
                raise _problem(node, f"'{reference}' finds nothing: there is no '{key}'", hint)
        return Node(spec=spec, path=path, value=value)

    def _file(self, node: Node, name: str) -> SpecFile:
        if "://" in name:
            raise _problem(node, f"'{name}' is not fetched; save it beside this file and name the file")
        try:
            return self._files.read(node.spec.path.parent / unquote(name), self._root)
        except SpecError as error:
            raise _problem(node, error.message, error.suggestion) from None
        except SpecTextError as error:
            raise ReferenceProblem(error.problems) from None


def _problem(node: Node, message: str, suggestion: str | None = None) -> ReferenceProblem:
    return ReferenceProblem([node.spec.diagnostic("RUN523", message, (*node.path, "$ref"), suggestion=suggestion)])
