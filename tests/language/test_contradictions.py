"""When two settings cannot both hold; the golden case `contradictions` has the messages."""

from pathlib import Path

import pytest

from runner.language.compiler import compile_agent
from runner.language.overrides import Override
from tests.language.projects import Write

HEAD = "name: a\nprompt: hi\n"
TOOL = "tools: [{name: t, type: python, function: 'runner.toolkit.clock:current_time'%s}]\n"


def found(root: Path, text: str, *overrides: Override) -> list[str]:
    (root / "a.yaml").write_text(HEAD + text, encoding="utf-8")
    return [each.code for each in compile_agent(root / "a.yaml", overrides=overrides).diagnostics]


@pytest.mark.parametrize(
    "text",
    [
        "model: openai/x\nlimits: {timeout: 10s}\n",
        "model: openai/x\nlimits: {timeout: 10s, tool_timeout: 10s}\n",
        "model: {name: openai/x, timeout: 5m}\n",
        "model: {name: openai/x, max_tokens: 10}\nlimits: {max_total_tokens: 10}\n",
        "model: openai/x\nlimits: {max_steps: 1}\n" + TOOL % "",
        "model: openai/x\nlimits: {max_steps: 2}\ntool_choice: required\n" + TOOL % "",
        "model: openai/x\ntool_choice: {mode: t, keep: true}\n" + TOOL % ", return_direct: true",
        "model: openai/x\ntool_choice: {mode: required, keep: true}\noutput_schema: {type: object}\n" + TOOL % "",
        "model: openai/x\ntool_choice: {mode: auto, keep: true}\nlimits: {max_steps: 1}\n" + TOOL % "",
    ],
)
def test_what_goes_together_is_passed_over(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, text) == []


@pytest.mark.parametrize(
    "text",
    [
        "model: openai/x\nlimits: {timeout: 10s, tool_timeout: 11s}\n",
        "model: openai/x\nlimits: {tool_timeout: 301}\n",
        "model: {name: openai/x, timeout: 6m}\n",
        "model: openai/x\ncontext: {strategy: summarize, model: {name: openai/x, timeout: 6m}}\n",
        "model: {name: openai/x, max_tokens: 11}\nlimits: {max_total_tokens: 10}\n",
        "model: openai/x\nlimits: {timeout: 10s}\n" + TOOL % ", timeout: 11s",
        "model: openai/x\nlimits: {max_steps: 1}\ntool_choice: t\n" + TOOL % "",
        "model: openai/x\ntool_choice: {mode: required, keep: true}\n" + TOOL % "",
    ],
)
def test_what_does_not_is_told_once(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, text) == ["RUN706"]


@pytest.mark.parametrize("limits", ["{timeout: soon, tool_timeout: 1h}", "{timeout: 1s, tool_timeout: true}", "[1]"])
def test_what_is_no_time_is_told_by_the_schema_alone(tmp_path: Path, limits: str) -> None:
    assert all(code.startswith("RUN2") for code in found(tmp_path, f"model: openai/x\nlimits: {limits}\n"))


def test_the_command_line_and_the_defaults_of_the_project_count(project: Write) -> None:
    root = project({"runner.yaml": "defaults: {limits: {timeout: 20m}}\n"})
    text = "model: {name: openai/x, timeout: 15m}\n"
    assert found(root, text) == []
    assert found(root, text, Override(option="--timeout", data={"limits": {"timeout": "1m"}})) == ["RUN706"]
