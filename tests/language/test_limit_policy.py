from pathlib import Path

import pytest

from runner.diagnostics import Diagnostic
from runner.language.compiler import compile_agent
from runner.language.overrides import Override
from runner.language.validation import validate_paths
from runner.report.text import render_text
from runner.spec import Json
from tests.language.projects import Write

AGENT = "name: a\nmodel: openai/x\nprompt: hi\n"
POLICY = "limits:\n  maximum: {max_steps: 50, timeout: 5m, max_cost: 0.5}\n"


def told(root: Path, *overrides: Override) -> list[str]:
    found = compile_agent(root / "agents.d" / "a.yaml", overrides=overrides).diagnostics
    return [f"{short(root, each)}: {each.code}: {each.message}" for each in found]


def short(root: Path, found: Diagnostic) -> str:
    return str(found.location).removeprefix(f"{root}/")


def option(**limits: Json) -> Override:
    return Override(option="--max-steps", data={"limits": limits})


@pytest.mark.parametrize(
    "limits", ["max_steps: 50", "timeout: 300", "timeout: 4.9m", "max_cost: 0", "max_tool_calls: 9"]
)
def test_what_is_allowed_is_allowed(project: Write, limits: str) -> None:
    root = project({"runner.yaml": POLICY, "agents.d/a.yaml": f"{AGENT}limits: {{{limits}}}\n"})
    assert told(root) == []


@pytest.mark.parametrize(
    ("limit", "value", "most"), [("max_steps", "51", "50"), ("timeout", "301", "5m"), ("max_cost", "0.51", "0.5")]
)
def test_more_than_the_maximum_is_an_error_that_shows_the_maximum(
    project: Write, limit: str, value: str, most: str
) -> None:
    root = project({"runner.yaml": POLICY, "agents.d/a.yaml": f"{AGENT}limits: {{{limit}: {value}}}\n"})
    (error,) = compile_agent(root / "agents.d" / "a.yaml").diagnostics
    assert (error.code, error.suggestion) == ("RUN701", f"write {most} or less")
    assert error.message.startswith(f"limits.{limit}: {value} is more than the {most} that ")
    assert short(root, error).startswith("agents.d/a.yaml:4:")
    (related,) = error.related
    assert str(related.location).endswith(
        f"runner.yaml:2:{POLICY.splitlines()[1].index(limit + ': ') + len(limit) + 3}"
    )


def test_the_layer_that_says_it_is_named(project: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    base = "limits: {max_steps: 60}\n"
    root = project({"runner.yaml": POLICY, "agents.d/a.yaml": f"extends: b.yaml\n{AGENT}", "agents.d/b.yaml": base})
    monkeypatch.chdir(root)
    text = "limits.max_steps: {} is more than the 50 that runner.yaml allows"
    assert told(root) == [f"agents.d/b.yaml:1:21: RUN701: {text.format(60)}"]
    assert told(root, option(max_steps=70)) == [f"--max-steps: RUN701: {text.format(70)}"]
    assert told(root, option(max_steps=5)) == []
    (error,) = compile_agent(root / "agents.d" / "a.yaml", overrides=[option(max_steps=70)]).diagnostics
    assert render_text([error], colour=False) == (
        f"--max-steps: error[RUN701]: {text.format(70)}\n   = write 50 or less (the maximum is at runner.yaml:2:24)\n"
    )


def test_defaults_above_the_policy_are_an_error_of_the_project_file_told_once(project: Write) -> None:
    defaults = f"{POLICY}defaults: {{limits: {{max_steps: 51}}}}\n"
    root = project({"runner.yaml": defaults, "agents.d/a.yaml": AGENT, "agents.d/b.yaml": AGENT.replace("a\n", "b\n")})
    for paths in ([root], [root / "runner.yaml"]):
        (error,) = validate_paths(paths).diagnostics
        assert (error.code, short(root, error)) == ("RUN701", "runner.yaml:3:32")


@pytest.mark.parametrize("maximum", ["0", "-1", "many", "[1]", "null", "true", "1e400"])
def test_a_maximum_that_makes_no_sense_is_told_by_the_schema_alone(project: Write, maximum: str) -> None:
    root = project({"runner.yaml": f"limits: {{maximum: {{max_steps: {maximum}}}}}\n", "agents.d/a.yaml": AGENT})
    codes = {line.split(": ")[1] for line in told(root)}
    assert codes
    assert "RUN701" not in codes


@pytest.mark.parametrize("limit", ["max_steps: yes please", "max_steps: true", "timeout: 5 min", "max_steps: [1]"])
def test_a_limit_that_is_none_is_told_by_the_schema_alone(project: Write, limit: str) -> None:
    root = project({"runner.yaml": POLICY, "agents.d/a.yaml": f"{AGENT}limits: {{{limit}}}\n"})
    (line,) = told(root)
    assert "RUN701" not in line


def test_a_limit_that_is_required_has_to_be_set_by_somebody(project: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project({"runner.yaml": "limits: {required: [timeout, max_cost]}\n", "agents.d/a.yaml": AGENT})
    monkeypatch.chdir(root)
    assert told(root) == [
        "agents.d/a.yaml:1:1: RUN702: this agent sets no limit 'max_cost', which runner.yaml requires",
        "agents.d/a.yaml:1:1: RUN702: this agent sets no limit 'timeout', which runner.yaml requires",
    ]
    assert told(root, option(timeout=5, max_cost=1)) == []
    (root / "runner.yaml").write_text(
        "limits: {required: [timeout, max_cost]}\ndefaults: {limits: {timeout: 1m, max_cost: 1}}\n"
    )
    assert told(root) == []


@pytest.mark.parametrize(
    ("key", "lacking"),
    [
        ("colour", ["max_cost", "timeout"]),
        ("max_costs", ["timeout"]),
        ("budget", ["timeout"]),
        ("deadline", ["max_cost"]),
        ("max_steps", ["max_cost", "timeout"]),
    ],
)
def test_only_a_key_like_a_required_limit_may_stand_for_it(project: Write, key: str, lacking: list[str]) -> None:
    agent = f"{AGENT}limits: {{{key}: 1}}\n"
    root = project({"runner.yaml": "limits: {required: [timeout, max_cost]}\n", "agents.d/a.yaml": agent})
    lines = [line for line in told(root) if "RUN702" in line]
    assert [line.split("'")[1] for line in lines] == lacking


def test_a_required_limit_under_a_wrong_name_is_told_once(project: Write) -> None:
    agent = f"{AGENT}limits: {{max_costs: 1}}\n"
    root = project({"runner.yaml": "limits: {required: [max_cost]}\n", "agents.d/a.yaml": agent})
    (line,) = told(root)
    assert "RUN201" in line


def test_a_base_may_leave_what_is_required_to_others(project: Write) -> None:
    root = project(
        {
            "runner.yaml": "limits: {required: [max_cost]}\n",
            "agents.d/a.yaml": "name: a\nextends: b.yaml\nprompt: hi\nlimits: {max_cost: 1}\n",
            "agents.d/b.yaml": "model: openai/x\n",
        }
    )
    assert validate_paths([root]).diagnostics == ()


def test_what_nobody_sets_is_held_to_the_maximum(project: Write) -> None:
    root = project({"runner.yaml": "limits: {maximum: {max_steps: 5, max_cost: 1}}\n", "agents.d/a.yaml": AGENT})
    spec = compile_agent(root / "agents.d" / "a.yaml").spec
    assert spec is not None
    assert (spec.limits.max_steps, spec.limits.max_cost, spec.limits.max_tool_calls) == (5, 1.0, 50)


def test_a_tools_own_timeout_is_no_way_around_the_maximum(project: Write) -> None:
    tool = "tools: [{name: t, type: python, function: 'runner.toolkit.clock:current_time', timeout: 1m}]\n"
    root = project({"runner.yaml": "limits: {maximum: {tool_timeout: 30s}}\n", "agents.d/a.yaml": AGENT + tool})
    (line,) = told(root)
    assert line.startswith("agents.d/a.yaml:4:")
    assert line.endswith("RUN701: timeout: 1m is more than the 30 s that runner.yaml allows as tool_timeout")
