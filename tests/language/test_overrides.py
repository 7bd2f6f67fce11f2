import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.agent import InvalidAgent, load_agent
from runner.environment import VariableError, expand_model
from runner.language.compiler import Compiled, compile_agent
from runner.language.overrides import Override
from runner.report.text import render_text
from runner.spec import AgentSpec, Json
from tests.language.projects import Write

AGENT = """\
name: a
model: {name: openai/x, temperature: 1, params: {user: "${NOBODY}"}, price: {input: 1, output: 2}}
limits: {max_steps: 7, timeout: 1m}
prompt: hi
"""


@pytest.fixture
def path(project: Write) -> Path:
    return project({"agents.d/a.yaml": AGENT}) / "agents.d" / "a.yaml"


def set_to(dotted: str, value: Json) -> Override:
    data: Json = value
    for key in reversed(dotted.split(".")):
        data = {key: data}
    return Override(option=f"--set {dotted}", data=data)


def compiled(path: Path, *overrides: Override) -> Compiled:
    return compile_agent(path, overrides=overrides)


def spec(path: Path, *overrides: Override) -> AgentSpec:
    found = compiled(path, *overrides)
    assert found.spec is not None, found.diagnostics
    return found.spec


def test_an_override_wins_over_the_file_and_leaves_what_it_does_not_name(path: Path) -> None:
    agent = spec(path, set_to("limits.max_steps", 3), set_to("model.temperature", 0))
    assert (agent.limits.max_steps, agent.limits.timeout, agent.model.temperature) == (3, 60.0, 0)


def test_the_last_override_wins(path: Path) -> None:
    assert spec(path, set_to("limits.max_steps", 3), set_to("limits.max_steps", 4)).limits.max_steps == 4


def test_durations_are_read_as_in_the_file(path: Path) -> None:
    assert spec(path, set_to("limits.timeout", "2m")).limits.timeout == 120.0


def test_short_forms_are_short_forms_here_too(path: Path) -> None:
    agent = spec(path, set_to("model", "openai/y"), set_to("model.max_tokens", 5), set_to("parsing", "json"))
    assert (agent.model.name, agent.model.max_tokens, agent.parsing.mode) == ("openai/y", 5, "json")


def test_another_model_has_another_price(path: Path) -> None:
    assert spec(path).model.price is not None
    assert spec(path, set_to("model", "openai/y")).model.price is None


def test_texts_and_tools_can_be_given(path: Path) -> None:
    tool = {"name": "now", "type": "python", "function": "runner.toolkit.clock:current_time"}
    agent = spec(path, set_to("instructions", "Be brief.\n"), set_to("tools", [tool]))
    assert agent.instructions is not None
    assert (agent.instructions.value, [each.name for each in agent.tools]) == ("Be brief.\n", ["now"])
    assert agent.tools[0].folder == str(path.parent.resolve())


def test_a_file_that_is_named_lies_beside_the_agent(path: Path) -> None:
    (path.parent / "long.md").write_text("Long.")
    agent = spec(path, set_to("instructions_file", "long.md"))
    assert agent.instructions is not None
    assert agent.instructions.value == "Long."


def test_an_override_may_complete_an_agent(path: Path) -> None:
    path.write_text("model: openai/x\n")
    assert compiled(path).spec is None
    agent = spec(path, set_to("name", "b"), set_to("prompt", "hi"))
    assert (agent.name, agent.prompt.value) == ("b", "hi")


def test_a_text_protocol_that_nobody_gives_is_missed(path: Path) -> None:
    (found,) = compiled(path, set_to("parsing.mode", "text")).diagnostics
    assert (found.code, str(found.location)) == ("RUN311", "--set parsing.mode")


@pytest.mark.parametrize(
    ("dotted", "value", "code", "told"),
    [
        ("limits.max_step", 5, "RUN201", "limits: unknown key 'max_step'\n   = did you mean 'max_steps'?"),
        ("limits.max_steps", "many", "RUN203", "limits.max_steps: expected a whole number"),
        ("limits.max_steps", 0, "RUN205", "limits.max_steps: "),
        ("limits", 5, "RUN203", "limits: expected"),
        ("limits.timeout", "5 minutes", "RUN206", "limits.timeout: "),
        ("model", "gpt-5", "RUN601", "model 'gpt-5' names no provider"),
        ("extends", "b.yaml", "RUN315", "'extends' is only followed in files"),
        ("tools", ["nope"], "RUN301", "unknown tool 'nope'"),
        ("prompt", "{{ ", "RUN401", ""),
        ("tool_choice", "nope", "RUN310", "tool_choice 'nope' needs tools"),
        ("model.api_key", "${1}", "RUN801", ""),
        ("output_schema", {"type": "objekt"}, "RUN210", ""),
    ],
)
def test_what_is_wrong_with_an_override_is_told_at_its_option(
    path: Path, dotted: str, value: Json, code: str, told: str
) -> None:
    found = compiled(path, set_to(dotted, value))
    assert found.spec is None
    (error,) = (each for each in found.diagnostics if each.severity == "error")
    assert render_text([error], colour=False).startswith(f"--set {dotted}: error[{code}]: {told}")


def test_what_is_wrong_in_the_file_keeps_its_line(path: Path) -> None:
    path.write_text(AGENT + "instruction: hi\n")
    (found,) = compiled(path, set_to("limits.max_steps", 3)).diagnostics
    assert str(found.location).endswith("a.yaml:5:1")


def test_a_variable_of_the_file_is_missed_where_the_file_has_it(path: Path) -> None:
    with pytest.raises(VariableError, match=r"a\.yaml:2: environment variable NOBODY is not set"):
        expand_model(spec(path, set_to("model", "openai/y")).model, {})
    with pytest.raises(VariableError, match=r"^--set model.api_key: environment variable KEY is not set"):
        expand_model(spec(path, set_to("model.api_key", "${KEY}")).model, {})


def test_python_gives_overrides_as_one_mapping(path: Path) -> None:
    agent = load_agent(path, model="openai/y", overrides={"limits": {"max_steps": 2}})
    assert (agent.spec.model.name, agent.spec.limits.max_steps) == ("openai/y", 2)
    with pytest.raises(InvalidAgent, match=r"^overrides: limits: unknown key 'max_step' \[RUN201\]"):
        load_agent(path, overrides={"limits": {"max_step": 2}})


VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=5,
)
KEYS = tuple(json.loads((Path(__file__).parents[2] / "schemas" / "agent.schema.json").read_text())["properties"])


@given(st.lists(st.sampled_from(KEYS), min_size=1, max_size=3), VALUES)
def test_any_value_anywhere_is_a_diagnostic_or_a_spec(
    tmp_path_factory: pytest.TempPathFactory, keys: list[str], value: Json
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_text(AGENT)
    found = compiled(path, set_to(".".join(keys), value))
    assert (found.spec is None) == any(each.severity == "error" for each in found.diagnostics)
