"""The real command, through the real LiteLLM, to a scripted server."""

import json
from pathlib import Path

import pytest

from tests.e2e.projects import project, runner
from tests.servers import Call, Entry, Failure, OpenAIServer, Reply

AGENT = """
    name: tested
    model: {name: hosted_vllm/m, api_base: "${BASE}", api_key: "${KEY}"}
    parsing: MODE
    instructions: You add.
    tools: [add, fail]
"""
CANARY = "canary-5f2c81-key"


def agent_in(folder: Path, mode: str = "native") -> Path:
    return project(folder, AGENT.replace("MODE", mode))


def test_an_agent_runs_from_question_to_answer(tmp_path: Path) -> None:
    script: list[Entry] = [Reply(calls=[Call("add", {"a": 2, "b": 40})]), "It is 42."]
    with OpenAIServer(script) as server:
        done = runner(
            "run", agent_in(tmp_path), "2 + 40?", cwd=tmp_path, environment={"BASE": server.url, "KEY": CANARY}
        )
        server.assert_complete()

    assert (done.returncode, done.stdout) == (0, "It is 42.\n")
    assert "add(a=2, b=40) → 42" in done.stderr
    assert CANARY not in done.stdout + done.stderr
    first, second = (request.body for request in server.requests)
    assert server.requests[0].headers["authorization"] == f"Bearer {CANARY}"
    assert [message["role"] for message in first["messages"]] == ["system", "user"]
    assert first["messages"][1]["content"] == "2 + 40?"
    assert [tool["function"]["name"] for tool in first["tools"]] == ["add", "fail"]
    assert second["messages"][-1]["role"] == "tool"
    assert second["messages"][-1]["content"] == "42"
    assert second["messages"][-1]["tool_call_id"] == second["messages"][-2]["tool_calls"][0]["id"]


def test_the_json_mode_needs_no_tool_calls_of_the_provider(tmp_path: Path) -> None:
    script = ['{"type": "tool", "name": "add", "arguments": {"a": "2", "b": 40}}', '{"type": "text", "content": "42"}']
    with OpenAIServer(script) as server:
        done = runner(
            "run",
            agent_in(tmp_path, "json"),
            "-",
            "--output",
            "json",
            cwd=tmp_path,
            environment={"BASE": server.url, "KEY": CANARY},
            stdin="2 + 40?",
        )
        server.assert_complete()

    document = json.loads(done.stdout)
    assert (done.returncode, document["status"], document["answer"]) == (0, "completed", "42")
    assert document["sources"][0]["content"] == "42"
    assert document["usage"]["input_tokens"] == 20
    assert "tools" not in server.requests[0].body


def test_a_provider_that_fails_is_exit_code_4_and_one_line(tmp_path: Path) -> None:
    with OpenAIServer(then=Failure(500, f"broken by {CANARY}")) as server:
        done = runner(
            "run", agent_in(tmp_path), "Hi", "--quiet", cwd=tmp_path, environment={"BASE": server.url, "KEY": CANARY}
        )

    assert (done.returncode, done.stdout) == (4, "")
    assert len(server.requests) == 3  # the first, and two retries
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert CANARY not in done.stderr


def test_an_unset_variable_is_said_with_its_line_before_any_request(tmp_path: Path) -> None:
    with OpenAIServer([]) as server:
        done = runner("run", agent_in(tmp_path), "Hi", cwd=tmp_path, environment={"BASE": server.url})

    assert done.returncode == 1
    assert "agents.d/tested.yaml:3: environment variable KEY is not set" in done.stderr
    assert server.requests == []


def test_all_variables_without_a_value_are_said_at_once(tmp_path: Path) -> None:
    tool = '{name: t, type: http, url: "https://${HOST}/", auth: {bearer: "${TOKEN:?ask Anna}"}}'
    model = 'model: {name: openai/x, api_base: "${BASE}", api_key: "${KEY}"}'
    summary = 'context: {model: {name: openai/y, api_key: "${OTHER}"}}'
    agent = project(tmp_path, f"name: tested\n{model}\nprompt: '{{{{ input }}}}'\n{summary}\ntools:\n  - {tool}\n")

    done = runner("run", agent, "Hi", cwd=tmp_path, environment={"KEY": ""})

    file = "agents.d/tested.yaml"
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1].endswith(
        "5 environment variables have no value: "
        f"{file}:2: environment variable BASE is not set; {file}:2: environment variable KEY is empty; "
        f"{file}:4: environment variable OTHER is not set; {file}:6: ask Anna ($TOKEN); "
        f"{file}:6: environment variable HOST is not set"
    )


def test_a_missing_key_of_a_hosted_provider_is_exit_code_1(tmp_path: Path) -> None:
    agent = project(tmp_path, "name: tested\nmodel: openai/gpt-5-mini\nprompt: '{{ input }}'\n")

    done = runner("run", agent, "Hi", cwd=tmp_path)

    assert (done.returncode, done.stdout) == (1, "")
    assert "OPENAI_API_KEY" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.embedded
def test_the_embedded_model_completes_a_tool_loop(tmp_path: Path) -> None:
    root = Path(__file__).parent.parent.parent

    done = runner("run", root / "agents.d/calculator.yaml", "What is 17 * 23?", "--output", "json", cwd=tmp_path)

    document = json.loads(done.stdout)
    assert (done.returncode, document["status"]) == (0, "completed"), done.stderr
    assert "391" in document["answer"]
    assert [source["tool"] for source in document["sources"]] == ["calculator"]
    assert document["cost"] == 0
