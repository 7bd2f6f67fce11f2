"""What editors show of the schemas: every key is described, and says by an example what belongs there."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from runner.language.schema_files import schema_text

KINDS = ("agent", "toolset", "project")
WHOLE = {kind: json.loads(schema_text(kind)) for kind in KINDS}
Node = dict[str, Any]


def resolved(node: Node, whole: Node) -> Node:
    """The node with what it refers to, as an editor shows it."""
    name = node.get("$ref", "").removeprefix("#/$defs/")
    return {**whole["$defs"][name], **node} if name else node


def keys(node: Node, path: str = "") -> Iterator[tuple[str, Node]]:
    """Every key that a document may have, the items of its lists, and the values of free keys."""
    for name, child in node.get("$defs", {}).items():
        yield from keys(child, f"{path}$defs.{name}")
    children = [(f"{path}.{name}", child) for name, child in node.get("properties", {}).items()]
    children += [(f"{path}[]", node["items"])] if isinstance(node.get("items"), dict) else []
    free = node.get("additionalProperties")
    children += [(f"{path}.*", free)] if isinstance(free, dict) else []
    for place, child in children:
        yield place, child
        yield from keys(child, place)


def of_all() -> Iterator[tuple[str, str, Node]]:
    for kind, whole in WHOLE.items():
        for path, node in keys(whole):
            value = resolved(node, whole)
            if value.get("not") != {}:  # a key that is only there to be refused
                yield kind, path, value


def test_there_are_keys() -> None:
    assert len(list(of_all())) > 300


def test_every_key_has_a_description() -> None:
    assert [
        (kind, path) for kind, path, value in of_all() if not value.get("description", "").endswith((".", "`"))
    ] == []


def test_every_key_shows_what_belongs_there() -> None:
    silent = [
        (kind, path)
        for kind, path, value in of_all()
        if not value.get("examples")
        and not value.keys() & {"enum", "const", "default"}
        and value.get("type") != "boolean"
    ]

    assert silent == []


@pytest.mark.parametrize("kind", KINDS)
def test_definitions_that_several_places_share_have_a_title(kind: str) -> None:
    assert [name for name, value in WHOLE[kind]["$defs"].items() if not value.get("title")] == []
    assert WHOLE[kind]["title"]


@pytest.mark.parametrize("kind", KINDS)
def test_examples_and_defaults_are_what_the_schema_allows(kind: str) -> None:
    whole = WHOLE[kind]
    wrong = []
    for path, node in keys(whole):
        value = resolved(node, whole)
        shown = [*value.get("examples", []), *([value["default"]] if "default" in value else [])]
        validator = Draft202012Validator({**node, "$defs": whole["$defs"]})
        wrong += [(path, each) for each in shown if not validator.is_valid(each)]

    assert wrong == []
