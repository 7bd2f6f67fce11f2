"""One mistake, one error: what only follows from another mistake is not told, what does not is."""

from pathlib import Path

import pytest

from runner.language.validation import validate_paths
from tests.language.projects import Write, writer

HEAD = "name: a\nmodel: openai/x\nprompt: hi\n"
CALLING = "examples: [{{user: u, calls: [{{tool: {tool}, arguments: {{expression: '1'}}, result: r}}], answer: a}}]\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.chdir(tmp_path)
    return writer(tmp_path)


def told(project: Write, agent: str) -> list[tuple[int, str, str | None]]:
    """(line, code, suggestion) of the errors about an agent."""
    root = project({"agents.d/a.yaml": agent})
    report = validate_paths([root / "agents.d" / "a.yaml"])
    errors = [each for each in report.diagnostics if each.severity == "error"]
    return [(each.location.span.line if each.location.span else 0, each.code, each.suggestion) for each in errors]


@pytest.mark.parametrize(
    ("tools", "code"),
    [
        ("tools: [calculater]", "RUN301"),
        ("tools: [calculator!]", "RUN206"),
        ("tools: [[calculator]]", "RUN203"),
        ("tools: 12", "RUN203"),
        ("toolss: [calculator]", "RUN201"),
        ("toolsets: [calculator]", "RUN201"),
        ("tools: [{type: python, function: 'runner.toolkit.calculator:calculator', nmae: calculator}]", "RUN201"),
    ],
)
def test_a_mistake_in_tools_is_not_told_again_of_examples_and_of_the_choice(
    project: Write, tools: str, code: str
) -> None:
    agent = f"{HEAD}{tools}\ntool_choice: calculator\n{CALLING.format(tool='calculator')}"

    assert [(line, each) for line, each, _ in told(project, agent)] == [(4, code)]


def test_an_example_that_calls_another_tool_is_told_beside_an_unknown_one(project: Write) -> None:
    agent = f"{HEAD}tools: [calculater]\n{CALLING.format(tool='send_email')}"

    assert [code for _, code, _ in told(project, agent)] == ["RUN301", "RUN309"]


@pytest.mark.parametrize(
    "extends",
    ["extends: bsae.yaml", "extend: base.yaml", "inherits: base.yaml", "extends: {file: base.yaml}", "extends: 12"],
)
def test_what_a_base_would_bring_is_not_missed_when_the_base_is_misspelt(project: Write, extends: str) -> None:
    base = "model: openai/x\ninputs: {city: {type: string, default: Oslo}}\ninstructions: In {{ city }}.\n"
    agent = f"name: a\n{extends}\nprompt: '{{{{ city }}}}: {{{{ input }}}}'\n"

    project({"agents.d/base.yaml": base})

    (only,) = told(project, agent)

    assert only[0] == 2
    assert only[1] in {"RUN304", "RUN201", "RUN203"}


def test_a_file_that_is_not_there_is_looked_for_among_its_neighbours(project: Write) -> None:
    project({"agents.d/prompts/question.md": "hi\n", "agents.d/base.yaml": "model: openai/x\n"})

    found = told(project, "name: a\nextends: bsae.yaml\nprompt_file: prompts/qestion.md\n")

    assert found == [(2, "RUN304", "did you mean 'base.yaml'?"), (3, "RUN307", "did you mean 'question.md'?")]


@pytest.mark.parametrize("model", ["model:", "model: [openai/x]", "model: {name: }"])
def test_a_model_of_the_wrong_type_is_not_lacking_too(project: Write, model: str) -> None:
    assert [code for _, code, _ in told(project, f"name: a\n{model}\nprompt: hi\n")] == ["RUN203"]


def test_limits_of_the_wrong_type_are_not_missed_too(project: Write) -> None:
    project({"runner.yaml": "limits: {required: [max_cost]}\n"})

    assert [code for _, code, _ in told(project, f"{HEAD}limits: 12\n")] == ["RUN203"]


PYTHON = """
def look(city: str, days: int | None = None, tags: list[str] = []) -> str:
    return city
"""


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("arguments: {ciyt: Oslo}", [(6, "RUN509", "did you mean 'city'?")]),
        ("arguments: {city: [Oslo]}", [(6, "RUN509", None)]),
        ("arguments: {city: Oslo, days: {a: 1}}", [(6, "RUN509", None)]),
        ("arguments: {city: Oslo, days: 1, tags: [a]}", []),
        ("argumens: {city: Oslo}", [(6, "RUN201", "did you mean 'arguments'?")]),
        ("arguments: {days: 1}", [(6, "RUN509", None)]),
    ],
)
def test_the_arguments_of_an_example_get_one_error_for_one_mistake(
    project: Write, call: str, expected: list[tuple[int, str, str | None]]
) -> None:
    project(
        {
            "tools.d/t.yaml": "kind: toolset\ntools: [{name: look, type: python, function: 'look_tools:look'}]\n",
            "tools.d/look_tools.py": PYTHON,
        }
    )
    agent = f"{HEAD}tools: [look]\nexamples:\n  - {{user: u, calls: [{{tool: look, {call}, result: r}}], answer: a}}\n"

    assert told(project, agent) == expected


HTTP = """
kind: toolset
tools:
  - name: look
    type: http
    description: Look.
    url: https://example.com/{{ city }}
    parameters: {type: object, properties: {city: {type: string}}, required: [city]}
"""


@pytest.mark.parametrize(
    ("right", "wrong", "codes"),
    [
        ("required: [city]", "required: [ctiy]", ["RUN508"]),
        ("required: [city]", "requird: [city]", []),  # JSON Schema allows other keys: a warning
        ("parameters:", "parameterz:", ["RUN201"]),
        ("https://example.com/{{ city }}", "", ["RUN203"]),
        ("required: [city]", "required: []", ["RUN513"]),
        ("url: https://example.com/{{ city }}", "url: https://example.com/\n    qury: {c: '{{ city }}'}", ["RUN201"]),
    ],
)
def test_the_parameters_of_a_request_get_one_error_for_one_mistake(
    project: Write, right: str, wrong: str, codes: list[str]
) -> None:
    root = project({"tools.d/t.yaml": HTTP.replace(right, wrong)})

    report = validate_paths([root / "tools.d"])

    assert [each.code for each in report.diagnostics if each.severity == "error"] == codes


@pytest.mark.parametrize(
    ("schema", "codes"),
    [
        ("{type: integer, minimum: 7, maximum: 1, default: 3}", ["RUN210"]),
        ("{type: string, minLength: 2, maxLength: 1, default: ab}", ["RUN210"]),
        ("{type: integer, minimum: 1, maximum: 1, default: 1}", []),
    ],
)
def test_bounds_between_which_nothing_fits_are_told(project: Write, schema: str, codes: list[str]) -> None:
    agent = f"name: a\nmodel: openai/x\nprompt: '{{{{ x }}}}'\ninputs: {{x: {schema}}}\n"

    assert [code for _, code, _ in told(project, agent)] == codes


def test_a_value_with_a_tag_that_is_not_allowed_counts_as_it_is_written(project: Write) -> None:
    agent = f"{HEAD}limits: {{max_steps: !env 3, max_cost: !!python/name:os.system 0.5}}\n"

    assert [code for _, code, _ in told(project, agent)] == ["RUN111", "RUN111"]


def test_the_keys_of_a_mode_that_is_misspelt_are_not_told_each(project: Write) -> None:
    protocol = "instructions: i, call: '(?P<name>a)', answer: '(?P<answer>b)', arguments: none"

    assert [code for _, code, _ in told(project, f"{HEAD}parsing: {{modee: text, {protocol}}}\n")] == ["RUN201"]
    assert [code for _, code, _ in told(project, f"{HEAD}parsing: {{mode: json, call: a}}\n")] == ["RUN207"]
