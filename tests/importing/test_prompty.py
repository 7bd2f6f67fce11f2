"""Messages, models and inputs of prompty files."""

import pytest

from runner.spec import Json
from tests.importing.conftest import Import
from tests.importing.looks import data, notes


def agent(imported: Import, body: str, front: str = "model: openai/x") -> dict[str, Json]:
    plan = imported(f"---\n{front}\n---\n{body}", "a.prompty")
    fields = data(plan)[0]
    return {key: value for key, value in fields.items() if key not in ("version", "name", "model")}


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ("Hi\n", {"instructions": "Hi\n"}),
        ("system:\nA\n\nuser:\nB\n", {"instructions": "A\n", "prompt": "B\n"}),
        ("# System:\nA\n# User:\nB\n", {"instructions": "A\n", "prompt": "B\n"}),
        ("developer:\nA\nsystem:\nB\n", {"instructions": "A\n\nB\n"}),
        ("user:\nB\n", {"prompt": "B\n"}),
        ("system:\r\nA\r\nuser:\r\nB\r\n", {"instructions": "A\n", "prompt": "B\n"}),
        (
            "system:\nA\nuser:\n1\nassistant:\n2\nuser:\nB\n",
            {"instructions": "A\n", "prompt": "B\n", "examples": [{"user": "1", "answer": "2"}]},
        ),
        ('system:\nA\nuser[name="x"]:\nB\n', {"instructions": "A\n", "prompt": "B\n"}),
        ("The user: is right\n", {"instructions": "The user: is right\n"}),
    ],
)
def test_messages_have_their_places(imported: Import, body: str, fields: Json) -> None:
    assert agent(imported, body) == fields


@pytest.mark.parametrize(
    "body", ["system:\nA\nuser:\n{{q}}\nassistant:\n2\nuser:\nB\n", "system:\nA\nassistant:\nx\nuser:\nB\n"]
)
def test_an_answer_that_is_no_example_is_told(imported: Import, body: str) -> None:
    plan = imported(f"---\nmodel: openai/x\n---\n{body}", "a.prompty")

    assert "examples" not in data(plan)[0]
    assert any("is no example" in note for note in notes(plan))


def test_the_conversation_so_far_has_no_place(imported: Import) -> None:
    plan = imported("---\nmodel: openai/x\n---\nsystem:\nA\n![thread]\nuser:\nB\n", "a.prompty")

    assert data(plan)[0]["instructions"] == "A\n"
    assert notes(plan) == ["a.prompty:2:1: the conversation so far (![thread]) has no place in a file"]


@pytest.mark.parametrize(
    ("inputs", "ours"),
    [
        ("inputs: {a: {type: string, default: x}}", {"type": "string", "default": "x"}),
        ("inputs: [{name: a, kind: float, description: D}]", {"type": "number", "description": "D"}),
        ("inputSchema: {properties: {a: {kind: integer, default: 1}}}", {"type": "integer", "default": 1}),
        ("inputs: {a: }", {"type": "string"}),
    ],
)
def test_inputs_of_every_version_are_schemas(imported: Import, inputs: str, ours: Json) -> None:
    assert agent(imported, "{{a}}\n", f"model: openai/x\n{inputs}")["inputs"] == {"a": ours}


def test_metadata_of_the_second_version_is_carried(imported: Import) -> None:
    fields = agent(imported, "Hi\n", "model: openai/x\nmetadata: {authors: [ada], a.b: 1}")

    assert fields["metadata"] == {"authors": ["ada"], "a-b": 1}


@pytest.mark.parametrize(
    ("front", "note"),
    [
        (
            "template: {format: {kind: mustache}}",
            "template: templates of 'mustache' are not translated; check the texts",
        ),
        ("template: mustache", "template: templates of 'mustache' are not translated; check the texts"),
        ("inputs: {input: {type: string}}", "inputs: here 'input' is the text given on the command line"),
        ("tools: [{name: t}]", "tools: declare them as Python or HTTP tools"),
    ],
)
def test_what_has_another_meaning_here_is_told(imported: Import, front: str, note: str) -> None:
    plan = imported(f"---\nmodel: openai/x\n{front}\n---\nHi\n", "a.prompty")

    assert notes(plan) == [f"a.prompty:3:1: {note}"]
