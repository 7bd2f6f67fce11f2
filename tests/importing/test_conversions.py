"""Single decisions of the conversions."""

from pathlib import Path

import pytest

from runner.importing.agent import agent_name
from runner.importing.formats import FORMATS, recognised
from runner.importing.models import model_name
from runner.importing.source import UnreadableError, read_foreign
from runner.importing.templates import as_template, with_variables
from runner.prompts import render
from runner.spec import Json, Text
from tests.importing.conftest import Import
from tests.importing.looks import data, notes

RECIPE = "title: T\ninstructions: Hi\nsettings: {goose_provider: openai, goose_model: gpt-5-mini}\n"


def test_the_file_is_named_after_what_the_source_calls_the_agent(imported: Import) -> None:
    assert [path.as_posix() for path in imported(RECIPE.replace("T", "Be Nice!")).files] == ["agents.d/be-nice.yaml"]


def test_the_agent_is_named_after_the_file_it_goes_into(imported: Import) -> None:
    (agent,) = data(imported(RECIPE, to=Path("agents.d/other.yaml")))

    assert agent["name"] == "other"


def test_the_root_of_a_team_is_named_after_its_file_and_the_others_go_beside_it(imported: Import) -> None:
    team = "agents:\n  b: {model: openai/x, instruction: B}\n  root: {model: openai/x, instruction: R}\n"

    assert [path.as_posix() for path in imported(team, "my team.yaml").files] == [
        "agents.d/my-team.yaml",
        "agents.d/b.yaml",
    ]
    assert [path.as_posix() for path in imported(team, to=Path("x/y.yaml")).files] == ["x/y.yaml", "x/b.yaml"]


def test_agents_of_one_name_go_into_files_of_their_own(imported: Import) -> None:
    team = "agents:\n  A b: {model: openai/x, instruction: B}\n  a-B: {model: openai/x, instruction: R}\n"

    assert [path.name for path in imported(team).files] == ["a-b.yaml", "a-b-2.yaml"]


def test_without_a_model_what_comes_out_is_no_agent_until_one_is_given(imported: Import) -> None:
    recipe = "title: T\ninstructions: Hi\n"

    assert not imported(recipe).is_valid
    assert data(imported(recipe, model="openai/x"))[0]["model"] == "openai/x"
    assert data(imported(RECIPE, model="openai/x"))[0]["model"] == "openai/gpt-5-mini"


def test_the_default_model_of_the_project_is_enough(imported: Import) -> None:
    Path("runner.yaml").write_text("defaults: {model: openai/x}\n", encoding="utf-8")

    assert imported("title: T\ninstructions: Hi\n").is_valid


@pytest.mark.parametrize("text", ["Write {{name}} and {% x %}.\n", "{# all #}\n\n", "plain\n"])
def test_text_that_was_no_template_renders_as_itself(text: str) -> None:
    assert render(Text(value=as_template(text), origin="x:1"), {}) == text


def test_instructions_of_docker_agent_are_no_templates(imported: Import) -> None:
    plan = imported("agents:\n  root:\n    model: openai/x\n    instruction: 'Write {{name}}.'\n")

    assert plan.is_valid
    assert data(plan)[0]["instructions"] == "{% raw %}Write {{name}}.{% endraw %}"


@pytest.mark.parametrize(
    ("text", "name", "place"),
    [
        (RECIPE + "zzz: 1\n", "a.yaml", "zzz"),
        (RECIPE.replace("settings: {", "settings: {zzz: 1, "), "a.yaml", "settings.zzz"),
        (RECIPE + "parameters: [{key: p, zzz: 1}]\n", "a.yaml", "parameters[0].zzz"),
        ("agents: {root: {model: openai/x, instruction: R, zzz: 1}}\n", "a.yaml", "agents.root.zzz"),
        ("zzz: 1\nagents: {root: {model: openai/x, instruction: R}}\n", "a.yaml", "zzz"),
        ("models: {m: {provider: a, model: b, zzz: 1}}\nagents: {root: {model: m}}\n", "a.yaml", "models.m.zzz"),
        ("model: openai:x\nzzz: 1\n", "a.yaml", "zzz"),
        ("model: openai:x\ndeps_schema: {properties: {}, zzz: 1}\n", "a.yaml", "deps_schema.zzz"),
        ("---\nmodel: {id: x, zzz: 1}\n---\nHi\n", "a.yaml", "model.zzz"),
        ("---\nmodel: {id: x, connection: {zzz: 1}}\n---\nHi\n", "a.yaml", "model.connection.zzz"),
    ],
)
def test_a_key_that_is_not_known_is_told(imported: Import, text: str, name: str, place: str) -> None:
    assert [note.message for note in imported(text, name).notes] == [f"{place}: there is no counterpart here"]


def test_a_parameter_called_input_is_the_text_of_the_command_line(imported: Import) -> None:
    plan = imported(
        RECIPE + "prompt: Do {{ input }}\nparameters: [{key: input, input_type: string, requirement: required}]\n"
    )

    assert "inputs" not in data(plan)[0]
    assert notes(plan) == ["some file.yaml:5:14: parameters[0]: here 'input' is the text given on the command line"]


@pytest.mark.parametrize(
    ("parameter", "schema"),
    [
        ("input_type: number, default: '2.5'", {"type": "number", "default": 2.5}),
        ("input_type: boolean, default: 'True'", {"type": "boolean", "default": True}),
        ("input_type: boolean, default: maybe", {"type": "boolean"}),
        ("input_type: number, default: many", {"type": "number"}),
        ("input_type: select, options: [a, b]", {"type": "string", "enum": ["a", "b"]}),
        ("input_type: date", {"type": "string", "format": "date"}),
        ("requirement: required", {"type": "string"}),
    ],
)
def test_parameters_of_a_recipe_are_schemas(imported: Import, parameter: str, schema: Json) -> None:
    plan = imported(f"{RECIPE}prompt: '{{{{ p }}}}'\nparameters: [{{key: p, {parameter}}}]\n")

    assert data(plan)[0]["inputs"] == {"p": schema}


def test_a_recipe_saved_by_the_desktop_is_one_too(imported: Import) -> None:
    indented = RECIPE.replace("\n", "\n  ").rstrip()

    (agent,) = data(imported(f"name: x\nisGlobal: true\nrecipe:\n  {indented}\n"))

    assert agent["instructions"] == "Hi"


def test_a_value_of_the_wrong_type_is_told_and_left_out(imported: Import) -> None:
    plan = imported("title: T\ninstructions: Hi\nsettings: {goose_model: openai/x, max_turns: many}\n")

    assert notes(plan) == ["some file.yaml:3:35: settings.max_turns: expected a number"]


def test_a_parameter_without_a_key_is_told(imported: Import) -> None:
    assert notes(imported(RECIPE + "parameters: [{input_type: string}, 3]\n")) == [
        "some file.yaml:4:14: parameters[0]: a parameter without a key",
        "some file.yaml:4:36: parameters[1]: a parameter without a key",
    ]


def test_an_optional_parameter_without_a_default_is_told(imported: Import) -> None:
    (note,) = notes(imported(RECIPE + "prompt: '{{p}}'\nparameters: [{key: p, requirement: optional}]\n"))

    assert note.endswith(
        "parameters[0]: optional without a default: here every run must give it, give it to 'runner run' with -i"
    )


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("title: T\ninstructions: [a]\nprompt: x\n", "instructions: expected a text"),
        ("title: T\nprompt: x\nsettings: 3\n", "settings: expected a mapping"),
        ("title: T\nprompt: x\nextensions: {a: 1}\n", "extensions: expected a list"),
        ("title: T\nprompt: x\nresponse: {json_schema: x}\n", "response.json_schema: expected a mapping"),
        (
            "model: openai:x\nmodel_settings: {parallel_tool_calls: 3}\n",
            "model_settings.parallel_tool_calls: expected true or false",
        ),
    ],
)
def test_values_of_the_wrong_type_are_told(imported: Import, text: str, note: str) -> None:
    assert note in [each.message for each in imported(text, model="a/b").notes]


def test_a_prompty_without_roles_is_all_instructions(imported: Import) -> None:
    (agent,) = data(imported("---\nmodel: openai/x\n---\nJust be nice.\n", "a.prompty"))

    assert agent == {"version": "1", "name": "a", "model": "openai/x", "instructions": "Just be nice.\n"}


def test_an_example_of_an_input_is_told_and_a_bare_value_is_the_default(imported: Import) -> None:
    inputs = "inputs:\n  a: {type: string, sample: x}\n  b: y\n"
    plan = imported(f"---\nmodel: openai/x\n{inputs}---\n{{{{a}}}} {{{{b}}}}\n", "a.prompty")

    assert data(plan)[0]["inputs"] == {"a": {"type": "string"}, "b": {"default": "y"}}
    assert notes(plan) == ["a.prompty:3:1: inputs: a: sample: there is no counterpart here"]


def test_a_secret_written_into_a_file_is_not_carried(imported: Import) -> None:
    plan = imported("---\nmodel: {id: x, provider: openai, connection: {apiKey: sk-1}}\n---\nHi\n", "a.prompty")

    assert "sk-1" not in "".join([*plan.files.values(), *notes(plan)])


@pytest.mark.parametrize(
    ("text", "name", "form"),
    [
        ("agents: {root: {}}\n", "a.yaml", "docker-agent"),
        ("title: x\nprompt: y\n", "a.json", "goose"),
        ("---\nname: x\n---\nHi", "a.txt", "prompty"),
        ("---\nname: x\n---\n", "a.prompty", "prompty"),
        ("model: openai:gpt-5\n", "a.yaml", "pydantic-ai"),
        ("model_settings: {seed: 1}\n", "a.yaml", "pydantic-ai"),
        ("name: x\nmodel: openai/gpt-5\nprompt: y\n", "a.yaml", None),
        ("---\nname: x\n", "a.yaml", None),
    ],
)
def test_formats_are_told_apart(tmp_path: Path, text: str, name: str, form: str | None) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")

    assert recognised(read_foreign(tmp_path / name)) == (FORMATS[form] if form else None)


def test_a_mistake_in_the_front_matter_is_told_with_its_line_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.prompty").write_text("---\nname: x\nname: y\n---\nHi\n", encoding="utf-8")

    with pytest.raises(UnreadableError) as caught:
        read_foreign(tmp_path / "a.prompty")

    assert [(each.code, each.location.span and each.location.span.line) for each in caught.value.diagnostics] == [
        ("RUN110", 3)
    ]


@pytest.mark.parametrize(
    ("title", "name"),
    [("Be Nice!", "be-nice"), ("北京", "agent"), ("1st", "st"), (None, "agent"), ("x" * 99, "x" * 64)],
)
def test_any_title_gives_a_name(title: str | None, name: str) -> None:
    assert agent_name(title) == name


def test_providers_go_by_the_names_of_the_model_library() -> None:
    assert model_name("google", "gemini-2.5-pro") == "gemini/gemini-2.5-pro"
    assert model_name("anthropic", "claude-sonnet-4-5") == "anthropic/claude-sonnet-4-5"


@pytest.mark.parametrize(
    ("text", "ours"),
    [("${env:A}", "${A}"), ("${env.A}/x", "${A}/x"), ("${env:A:b c}", "${A:-b c}"), ("${city}", "${city}")],
)
def test_environment_variables_have_our_form(text: str, ours: str) -> None:
    assert with_variables(text) == ours
