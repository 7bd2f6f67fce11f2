"""Instructions, settings and budgets of specs."""

import pytest

from runner.spec import Json
from tests.importing.conftest import Import
from tests.importing.looks import data, notes

HEAD = "model: openai:x\n"


@pytest.mark.parametrize(
    ("more", "field", "ours"),
    [
        ("instructions: Hi", "instructions", "Hi"),
        ("instructions: [A, B]", "instructions", "A\n\nB"),
        ("instructions: A\nretries: 3", "parsing", {"max_retries": 3}),
        ("instructions: A\nretries: {output: 1}", "parsing", {"max_retries": 1}),
        (
            "instructions: A\nmodel_settings: {temperature: 0.1, seed: 1}",
            "model",
            {"name": "openai/x", "temperature": 0.1, "params": {"seed": 1}},
        ),
        ("instructions: A\ntool_timeout: 5", "limits", {"tool_timeout": 5}),
        (
            "instructions: A\ncapabilities: [Thinking: high]",
            "model",
            {"name": "openai/x", "params": {"reasoning_effort": "high"}},
        ),
        (
            "instructions: A {{b}}\ndeps_schema: {properties: {b: {type: integer}}}",
            "inputs",
            {"b": {"type": "integer"}},
        ),
    ],
)
def test_fields_have_their_places(imported: Import, more: str, field: str, ours: Json) -> None:
    plan = imported(f"{HEAD}{more}\n")

    assert data(plan)[0][field] == ours
    assert plan.is_valid
    assert notes(plan) == []


@pytest.mark.parametrize("name", ["WebSearch", "Thinking", "{MCP: {url: x}}", "{Thinking: {effort: 9}}", "{}", "3"])
def test_other_capabilities_are_told(imported: Import, name: str) -> None:
    (note,) = notes(imported(f"{HEAD}instructions: A\ncapabilities:\n  - {name}\n"))

    assert note.startswith("some file.yaml:4:5: capabilities[0]: capability ")


def test_blocks_of_handlebars_are_told_and_what_comes_out_is_not_valid(imported: Import) -> None:
    plan = imported(f"{HEAD}instructions: 'A {{{{#if b}}}}c{{{{/if}}}}'\n")

    assert not plan.is_valid
    assert "blocks of Handlebars" in notes(plan)[0]
