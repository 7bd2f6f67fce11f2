"""The published schemas: complete for editors, equal where they overlap, and in step with the words we translate."""

import json

import pytest

from runner.language.schema import Kind
from runner.language.schema.authored import parts
from runner.language.schema.library import inlined
from runner.language.schema.vocabulary import ADVICE, FOREIGN, LATER
from runner.language.schema_files import schema_text
from runner.spec import JsonObject

KINDS: tuple[Kind, ...] = ("agent", "toolset", "project")
# Schemas that say nothing new about what is there.
CONDITIONS = {"if", "then", "dependentSchemas"}


def loaded(kind: Kind) -> JsonObject:
    result: JsonObject = json.loads(schema_text(kind))
    return result


@pytest.mark.parametrize("kind", KINDS)
def test_every_property_is_described_and_every_fixed_mapping_leaves_room_for_notes(kind: Kind) -> None:
    whole = loaded(kind)
    undescribed = [
        (*path, name)
        for path, part in parts(whole)
        if isinstance(part.get("properties"), dict) and not set(path).intersection(CONDITIONS)
        for name, about in part["properties"].items()
        if "description" not in about
        and "description" not in whole["$defs"].get(about.get("$ref", "").removeprefix("#/$defs/"), {})
    ]
    closed = [
        path
        for path, part in parts(whole)
        if part.get("additionalProperties") is False and "^x-" not in part.get("patternProperties", {})
    ]

    assert undescribed == []
    assert closed == []


def test_what_two_schemas_both_define_is_the_same() -> None:
    agent, toolset, project = (loaded(kind)["$defs"] for kind in KINDS)

    assert {name: agent[name] for name in toolset} == toolset
    assert {name: agent[name] for name in project} == project


@pytest.mark.parametrize("kind", KINDS)
def test_references_may_be_inlined(kind: Kind) -> None:
    """No recursion, and no keyword beside a reference that its target has as well, but for annotations."""
    whole = loaded(kind)

    assert "$ref" not in json.dumps(inlined(whole))
    for _, part in parts(whole):
        if isinstance(part.get("$ref"), str):
            target = whole["$defs"][part["$ref"].removeprefix("#/$defs/")]
            assert set(part).intersection(target) <= {"description", "default"}


# Where the places stand that are not a key at the top or a definition of the agent's schema.
PLACES: dict[str, tuple[Kind, tuple[str, ...]]] = {
    "agent": ("agent", ()),
    "project": ("project", ()),
    "policy": ("project", ("properties", "limits")),
    "price": ("agent", ("$defs", "model", "properties", "price")),
    "tools": ("agent", ("$defs", "pythonTool")),
    "isolation": ("agent", ("$defs", "pythonTool", "properties", "isolation")),
    "http": ("agent", ("$defs", "httpTool")),
    "body": ("agent", ("$defs", "httpTool", "properties", "body")),
    "openapi": ("agent", ("$defs", "openapiTool")),
    "basic": ("agent", ("$defs", "auth", "properties", "basic")),
}


def properties_of(place: str) -> set[str]:
    kind, path = PLACES.get(place, ("agent", ("$defs", place)))
    about = loaded(kind)
    if path[-1:] == (place,) and place in about["properties"] and place not in about["$defs"]:
        path = ("properties", place)
    for step in path:
        about = about[step]
    return set(about["properties"])


@pytest.mark.parametrize("place", sorted({*FOREIGN, *LATER, *ADVICE}))
def test_the_words_of_other_tools_and_later_versions_are_none_of_ours_and_lead_to_ours(place: str) -> None:
    ours = properties_of(place)
    later = LATER.get(place, frozenset())

    assert not ours.intersection(FOREIGN.get(place, ()))
    assert not ours.intersection(ADVICE.get(place, ()))
    assert not ours.intersection(later), "it is supported now: take it out of LATER"
    assert {target.partition(".")[0] for target in FOREIGN.get(place, {}).values()} <= ours | later


def test_the_schema_of_an_unknown_kind_is_an_error_that_names_it() -> None:
    with pytest.raises(FileNotFoundError, match=r"nothing\.schema\.json is missing from the installation"):
        schema_text("nothing")
