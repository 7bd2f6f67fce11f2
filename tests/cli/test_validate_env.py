"""`runner validate --env`: the variables that a run would need are set."""

from pathlib import Path

import pytest

from tests.cli.fakes import Invoke

AGENT = """\
name: a
model: {name: openai/x, api_base: "${GATEWAY:-}", api_key: "${GATEWAY_KEY}"}
prompt: Hi.
tools: [search]
"""
TOOLSET = """\
kind: toolset
tools:
  - {name: search, type: http, url: "https://${SEARCH_HOST:?set it to the host of search}/", description: Searches.}
  - {name: other, type: http, url: "https://example.com/", auth: {bearer: "${OTHER_TOKEN}"}, description: Another.}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in {"agents.d/a.yaml": AGENT, "tools.d/t.yaml": TOOLSET}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    for name in ("GATEWAY", "GATEWAY_KEY", "SEARCH_HOST", "OTHER_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def problems(out: str) -> list[str]:
    return [line for line in out.splitlines() if "[RUN" in line]


KEY = "agents.d/a.yaml:2:61: error[RUN804]: environment variable GATEWAY_KEY is not set"
HOST = "tools.d/t.yaml:3:46: error[RUN804]: set it to the host of search ($SEARCH_HOST)"
TOKEN = "tools.d/t.yaml:4:76: error[RUN804]: environment variable OTHER_TOKEN is not set"


def test_every_variable_without_a_value_is_told_at_once(invoke: Invoke, project: Path) -> None:
    code, out, err = invoke("validate", "--env")

    assert (code, err) == (1, "")
    assert problems(out) == [KEY, HOST, TOKEN]


def test_an_agent_by_itself_needs_what_its_own_tools_need(invoke: Invoke, project: Path) -> None:
    assert problems(invoke("validate", "--env", "agents.d/a.yaml")[1]) == [KEY, HOST]


def test_nothing_is_told_when_all_are_set(invoke: Invoke, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GATEWAY_KEY", "SEARCH_HOST", "OTHER_TOKEN"):
        monkeypatch.setenv(name, "something")

    assert invoke("validate", "--env")[0] == 0

    monkeypatch.setenv("OTHER_TOKEN", "")
    assert problems(invoke("validate", "--env")[1]) == [TOKEN.replace("not set", "empty")]


def test_the_environment_does_not_matter_to_those_who_do_not_ask(
    invoke: Invoke, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unset = invoke("validate", "--format", "json")
    monkeypatch.setenv("GATEWAY_KEY", "something")

    assert unset == invoke("validate", "--format", "json")
    assert unset[0] == 0


def test_a_comment_may_hide_a_variable_and_is_judged_only_by_those_who_look(
    invoke: Invoke, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "agents.d/a.yaml").write_text(f"# runner: ignore-file[RUN804]\n{AGENT}")

    assert problems(invoke("validate", "--env")[1]) == [HOST, TOKEN]
    assert problems(invoke("validate")[1]) == []
    monkeypatch.setenv("GATEWAY_KEY", "something")
    assert "there is no RUN804 to ignore in this file" in invoke("validate", "--env")[1]


def test_an_openapi_document_needs_what_its_declaration_says(invoke: Invoke, project: Path) -> None:
    operation = '{operationId: read, summary: Reads., responses: {"200": {description: ok}}}'
    paths = f"paths: {{/a: {{get: {operation}}}, /b: {{get: {operation}}}}}\n"
    spec = f'openapi: 3.1.0\ninfo: {{title: T, version: "1"}}\n{paths}'
    (project / "tools.d/api.openapi.yaml").write_text(spec.replace("read", "list", 1))
    needs = 'server: "https://${SEARCH_HOST}", auth: {bearer: "${OTHER_TOKEN}"}'
    entry = f"{{type: openapi, spec: ./api.openapi.yaml, {needs}}}"
    (project / "tools.d/t.yaml").write_text(f"kind: toolset\ntools:\n  - {entry}\n")
    (project / "agents.d/a.yaml").unlink()

    told = problems(invoke("validate", "--env")[1])

    assert [line.partition("error")[2] for line in told] == [
        "[RUN804]: environment variable SEARCH_HOST is not set",
        "[RUN804]: environment variable OTHER_TOKEN is not set",
    ]


def test_a_tool_whose_variable_is_missing_is_told_once_when_it_is_imported_too(invoke: Invoke, project: Path) -> None:
    tool = '{name: search, type: python, function: "t:f", env: {KEY: "${OTHER_TOKEN}"}, description: d}'
    (project / "tools.d/t.yaml").write_text(f"kind: toolset\ntools:\n  - {tool}\n")
    (project / "tools.d/t.py").write_text("from runner import ToolContext\ndef f(ctx: ToolContext): ...\n")

    told = problems(invoke("validate", "--env", "--import")[1])

    assert [line.partition("[")[2][:6] for line in told] == ["RUN804", "RUN804"]
