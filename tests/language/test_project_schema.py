"""The schema made for a project takes what the project's agents may say, and offers its tools and models."""

import json
from pathlib import Path

import pytest

from runner.language.document import read_document
from runner.language.project_schema import UnreadableProject, project_schema
from runner.language.schema import problems
from runner.spec import Json, JsonObject
from tests.language.projects import Write

ROOT = Path(__file__).parent.parent.parent
AGENT = {"name": "a", "model": "openai/x", "prompt": "hi"}
TOOLS = """
    version: "1"
    kind: toolset
    tools:
      - {name: look, type: python, function: "functions:look", description: Looks around.}
      - {name: wipe, type: python, function: "functions:wipe", risk: high}
"""
FILES = {"tools.d/tools.yaml": TOOLS, "tools.d/functions.py": "def look(): ...\ndef wipe(): ...\n"}
INLINE = {"name": "own", "type": "python", "function": "functions:look"}


def schema_of(root: Path) -> JsonObject:
    schema: JsonObject = json.loads(project_schema(root))
    return schema


def fits(tools: list[Json], schema: JsonObject) -> bool:
    return problems({**AGENT, "tools": tools}, schema) == []


def test_it_takes_the_tools_of_the_project_and_of_the_toolkit_and_no_others(project: Write) -> None:
    schema = schema_of(project(FILES))
    assert fits(["look", "wipe", "calculator", INLINE], schema)
    assert not fits(["lok"], schema)
    assert not fits([{**INLINE, "functoin": "x"}], schema)


def test_a_name_that_is_none_is_one_mistake_with_a_suggestion(project: Write) -> None:
    (sentence,) = problems({**AGENT, "tools": ["lok"]}, schema_of(project(FILES)))
    assert "did you mean 'look'?" in sentence


def test_beside_each_name_stands_what_the_tool_does_and_where_it_is_declared(project: Write) -> None:
    names = schema_of(project(FILES))["properties"]["tools"]["items"]["else"]
    told = dict(zip(names["enum"], names["enumDescriptions"], strict=True))
    assert told["look"] == "Looks around. (tools.d/tools.yaml, risk low)"
    assert told["calculator"].endswith("(comes with runner, risk low)")


def test_the_policy_of_the_project_is_in_it(project: Write) -> None:
    policy = "inline_tools: deny\nmax_risk: medium\nmodels: [openai/*, mistral/large]\n"
    schema = schema_of(project({**FILES, "runner.yaml": policy}))
    assert fits(["look"], schema)
    assert not fits(["wipe"], schema)
    assert not fits([INLINE], schema)
    assert schema["$defs"]["model"]["examples"] == ["mistral/large", "openai/gpt-5-mini"]
    assert schema["$defs"]["fallback"]["properties"]["name"]["examples"] == ["mistral/large", "openai/gpt-5-mini"]


@pytest.mark.parametrize("default", ["openai/mine", "{name: openai/mine}"])
def test_the_default_model_of_the_project_is_the_first_example(project: Write, default: str) -> None:
    schema = schema_of(project({"runner.yaml": f"defaults: {{model: {default}}}\n"}))
    assert schema["$defs"]["model"]["examples"][0] == "openai/mine"


def test_a_toolset_that_cannot_be_read_is_told_instead_of_a_schema_without_its_tools(project: Write) -> None:
    with pytest.raises(UnreadableProject, match=r"^tools\.d/tools\.yaml:2:1: "):
        project_schema(project({"tools.d/tools.yaml": "tools: [\n"}))


def test_a_project_file_that_cannot_be_read_is_told_too(project: Write) -> None:
    with pytest.raises(UnreadableProject, match=r"^runner\.yaml:"):
        project_schema(project({"runner.yaml": "a: [\n"}))


def test_it_stands_alone_and_goes_by_the_title_that_modelines_are_checked_by() -> None:
    schema = schema_of(ROOT)
    references = {part.partition('"')[0] for part in json.dumps(schema).split('"$ref": "')[1:]}
    assert all(each.removeprefix("#/$defs/") in schema["$defs"] for each in references)
    assert "$id" not in schema
    assert schema["title"] == "Agent"


def test_the_examples_of_this_project_fit_its_own_schema() -> None:
    schema = schema_of(ROOT)
    for path in sorted((ROOT / "agents.d").glob("*.yaml")):
        document, _ = read_document(path)
        assert document is not None
        assert problems(document.data, schema) == [], path.name
