"""What a project does not allow is refused before anything happens: no tool is opened, and nothing is sent."""

from pathlib import Path

import pytest

from runner import InvalidAgent, load_agent
from tests.e2e.projects import project
from tests.servers import OpenAIServer

POLICY = "models: [hosted_vllm/m]\n"
AGENT = """
    name: tested
    model: {name: "hosted_vllm/${NAME}", api_base: "${BASE}", api_key: none}
    prompt: "{{ input }}"
    tools: [boom]
"""
TOOLSET = 'version: "1"\nkind: toolset\ntools: [{name: boom, type: python, function: "boom:boom"}]\n'


def agent_in(folder: Path, agent: str = AGENT) -> Path:
    path = project(folder, agent)
    (folder / "runner.yaml").write_text(POLICY)
    (folder / "tools.d" / "boom.yaml").write_text(TOOLSET)
    (folder / "tools.d" / "boom.py").write_text("open('opened', 'w').close()\ndef boom() -> str:\n    return ''\n")
    return path


@pytest.mark.parametrize("summarizer", [False, True])
def test_a_name_from_the_environment_is_held_to_the_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, summarizer: bool
) -> None:
    text = AGENT
    if summarizer:
        text = text.replace("${NAME}", "m") + "    context: {strategy: summarize, model: '${NAME}/x'}\n"
    agent = load_agent(agent_in(tmp_path, text))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NAME", "other")
    with OpenAIServer(["never"]) as server:
        monkeypatch.setenv("BASE", server.url)
        outcome = agent.run("Hi")

    assert outcome.status == "config_invalid"
    assert "is not one that the project allows" in str(outcome.error)
    assert server.requests == []
    assert not (tmp_path / "opened").exists()


def test_a_name_that_is_allowed_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = load_agent(agent_in(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NAME", "m")
    with OpenAIServer(["Hello."]) as server:
        monkeypatch.setenv("BASE", server.url)
        assert agent.run("Hi").answer == "Hello."


def test_another_model_for_one_run_is_held_to_it_too(tmp_path: Path) -> None:
    with pytest.raises(InvalidAgent, match="RUN703"):
        load_agent(agent_in(tmp_path), model="openai/x")
