"""The operations of an OpenAPI document, and which of them a declaration selects."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from runner.language.openapi.reading import SpecFile
from runner.language.openapi.references import Node, References

# TRACE is an operation of OpenAPI too, but none that a tool may call.
METHODS = ("get", "put", "post", "delete", "options", "head", "patch")
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Operation:
    """One operation.

    Attributes:
        id: its `operationId`; of one that has none, its method and path: `get_users_id` of `GET /users/{id}`.
        method: in capitals.
        path: as the document writes it, `/users/{id}`.
        item: the path item it is in, which has parameters and servers too.
        node: the operation itself.
    """

    id: str
    method: str
    path: str
    item: Node
    node: Node


def operations_of(spec: SpecFile, references: References) -> list[Operation]:
    """All operations, in the order of the document.

    Raises:
        ReferenceProblem: the reference of a path cannot be followed.
    """
    found: list[Operation] = []
    paths = Node(spec=spec, path=("paths",), value=spec.data["paths"])
    for path, written in paths.items():
        if not path.startswith("/"):
            continue  # an extension, `x-…`
        item = references.follow(written)
        for method, node in item.items():
            if method in METHODS and isinstance(node.value, dict):
                name = node.text("operationId") or derived_id(method, path)
                found.append(Operation(id=name, method=method.upper(), path=path, item=item, node=node))
    return found


def derived_id(method: str, path: str) -> str:
    """What an operation without `operationId` is called: `get_users_id` of `GET /users/{id}`."""
    return "_".join([method, *filter(None, _NOT_IN_A_NAME.split(path))])


def is_pattern(selector: str) -> bool:
    """Whether a selector stands for any number of operations."""
    return "*" in selector


def selected(operations: Sequence[Operation], selector: str) -> list[Operation]:
    """The operations that an id or a pattern names; capitals count."""
    pattern = re.compile(".*".join(map(re.escape, re.split(r"\*+", selector))), re.DOTALL)
    return [each for each in operations if pattern.fullmatch(each.id)]
