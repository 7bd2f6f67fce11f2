"""The policy of `runner.yaml` for models, inline tools and risks; the golden case `project-policy` has the messages."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.allowed_models import ModelNotAllowed, check_expanded, is_allowed, what_is_allowed
from runner.language.compiler import compile_agent
from runner.language.overrides import Override
from runner.language.validation import validate_paths
from runner.report.text import render_text
from runner.spec import AgentSpec, ModelSpec, ProjectSpec, Text
from tests.language.projects import Write

AGENT = "name: a\nmodel: openai/x\nprompt: hi\n"
INLINE = "{name: own, type: python, function: 'runner.toolkit.clock:current_time'}"


def told(root: Path, *overrides: Override) -> list[str]:
    found = compile_agent(root / "agents.d" / "a.yaml", overrides=overrides).diagnostics
    return [f"{each.location}: {each.code}: {each.message}" for each in found]


def files(policy: str, agent: str = AGENT) -> dict[str, str]:
    return {"runner.yaml": policy, "agents.d/a.yaml": agent}


@pytest.mark.parametrize("policy", ["", "version: '1'\n", "inline_tools: allow\nmax_risk: high\n"])
def test_a_project_that_says_nothing_restricts_nothing(project: Write, policy: str) -> None:
    tool = INLINE.replace("}", ", risk: high}")
    assert told(project(files(policy or "{}\n", f"{AGENT}tools: [{tool}]\n"))) == []


@pytest.mark.parametrize(
    ("name", "globs", "allowed"),
    [
        ("openai/gpt-5", ["openai/*"], True),
        ("openai/gpt-5", ["*"], True),
        ("openai/gpt-5", ["local/*", "openai/gpt-?"], True),
        ("local/models/a.gguf", ["local/*.gguf"], True),
        ("OpenAI/gpt-5", ["openai/*"], False),
        ("openai/gpt-5-mini", ["openai/gpt-5"], False),
        ("azure/openai/gpt-5", ["openai/*"], False),
        ("openai/gpt-5\n", ["openai/gpt-5"], False),
    ],
)
def test_a_name_is_matched_as_a_whole_and_with_case(name: str, globs: list[str], *, allowed: bool) -> None:
    assert is_allowed(name, globs) is allowed


@given(st.text(), st.lists(st.text(min_size=1)))
def test_any_text_may_be_a_name_or_a_glob(name: str, globs: list[str]) -> None:
    assert is_allowed(name, globs) in (True, False)
    assert is_allowed(name, ["*"])
    assert what_is_allowed(name, globs)


def test_the_command_line_is_held_to_it_too(project: Write) -> None:
    root = project(files("models: [openai/*]\n"))
    model = Override(option="--model", data={"model": "anthropic/y"})
    tools = Override(option="--set tools", data={"tools": [{"name": "t"}]})
    message = "model 'anthropic/y' is not one that runner.yaml allows"
    assert told(root, model) == [f"--model: RUN703: {message}"]
    assert [each.code for each in compile_agent(root / "agents.d" / "a.yaml", overrides=[model]).diagnostics] == [
        "RUN703"
    ]
    project({"runner.yaml": "inline_tools: deny\n"})
    assert any(each.startswith("--set tools: RUN704") for each in told(root, tools))


def test_what_the_command_line_replaces_is_not_asked(project: Write) -> None:
    root = project(files("models: [local/*]\n"))
    assert told(root, Override(option="--model", data={"model": "local/smollm2"})) == []


def test_a_model_without_a_provider_is_one_mistake(project: Write) -> None:
    (line,) = told(project(files("models: [openai/*]\n", AGENT.replace("openai/x", "gpt-5"))))
    assert "RUN601" in line


def test_a_bare_name_at_a_server_of_ones_own_needs_to_be_allowed(project: Write) -> None:
    agent = AGENT.replace("openai/x", "{name: mine, api_base: 'http://localhost:1/v1'}")
    (line,) = told(project(files("models: [openai/*]\n", agent)))
    assert "RUN703" in line
    assert told(project(files("models: [mine]\n", agent))) == []


def test_a_default_model_that_is_not_allowed_is_told_once_in_the_project_file(project: Write) -> None:
    agent = "name: {}\nprompt: hi\n"
    root = project(files("defaults: {model: openai/x}\nmodels: [local/*]\n", agent.format("a")))
    project({"agents.d/b.yaml": agent.format("b")})
    (error,) = validate_paths([root]).diagnostics
    assert (error.code, str(error.location)) == ("RUN703", "runner.yaml:1:19")


@pytest.mark.parametrize("policy", ["models: []", "models: openai", "models: [1]", "models: ['a b']", "max_risk: none"])
def test_a_policy_that_is_none_is_told_by_the_schema(project: Write, policy: str) -> None:
    lines = told(project(files(f"{policy}\n")))
    assert lines
    assert all(": RUN2" in line and line.startswith("runner.yaml:1:") for line in lines)


def test_a_risk_above_the_ceiling_counts_for_inline_tools_too(project: Write) -> None:
    tool = INLINE.replace("}", ", risk: medium}")
    (line,) = told(project(files("max_risk: low\n", f"{AGENT}tools: [{tool}]\n")))
    message = "the risk of tool 'own' is medium, and runner.yaml allows low at most"
    assert line == f"agents.d/a.yaml:4:9: RUN705: {message}"


def test_declaring_a_tool_that_no_agent_may_use_is_no_mistake(project: Write) -> None:
    tools = f"version: '1'\nkind: toolset\ntools: [{INLINE.replace('}', ', risk: high}')}]\n"
    root = project({**files("max_risk: low\ninline_tools: deny\n"), "tools.d/t.yaml": tools})
    assert validate_paths([root]).diagnostics == ()


def test_every_operation_of_an_inline_document_is_held_to_the_ceiling(project: Write) -> None:
    spec = """
        openapi: 3.0.0
        info: {title: t, version: "1"}
        servers: [{url: "https://example.com"}]
        paths: {/a: {get: {operationId: one, responses: {}}, post: {operationId: two, responses: {}}}}
    """
    agent = f"{AGENT}tools: [{{type: openapi, spec: ../api.yaml, risk: high}}]\n"
    lines = told(project({**files("max_risk: low\n", agent), "api.yaml": spec}))
    assert [line.partition(": RUN705: ")[2].split("'")[1] for line in lines] == ["one", "two"]


def spec_of(models: tuple[str, ...]) -> AgentSpec:
    project = ProjectSpec(root="/p", tools_folder="/p/tools.d", models=models)
    model = ModelSpec(name="${M}")
    return AgentSpec(name="a", file="/p/a.yaml", project=project, model=model, prompt=Text(value="", origin="a.yaml:1"))


def test_names_from_the_environment_are_checked_when_they_are_known() -> None:
    agent = spec_of(("openai/*",))
    good = ModelSpec(name="openai/x", origin="a.yaml:2")
    bad = ModelSpec(name="x/y", origin="a.yaml:3")
    check_expanded(agent, good)
    check_expanded(spec_of(()), bad)
    with pytest.raises(ModelNotAllowed, match=r"^a\.yaml:3: model 'x/y' is not one that the project allows; allowed: "):
        check_expanded(agent, good, bad)
    with pytest.raises(ModelNotAllowed, match=r"^a\.yaml:3: "):
        check_expanded(agent, ModelSpec(name="openai/x", fallbacks=(bad,)))


def test_the_page_about_it_is_right(project: Write) -> None:
    page = (Path(__file__).parent.parent.parent / "docs" / "policy.md").read_text(encoding="utf-8")
    yaml, report = page.split("```yaml\n")[1].split("```")[0], page.split("```\nagents.d/")[1].split("```")[0]
    agent = "name: report\nmodel: xai/grok\nprompt: hi\nlimits: {max_cost: 0.1}\n"
    project({"runner.yaml": yaml, "agents.d/report.yaml": agent, "schemas/project.schema.json": '{"title": "Project"}'})
    found = validate_paths([]).diagnostics
    assert render_text(found, colour=False) == f"agents.d/{report}"
