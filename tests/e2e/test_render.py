"""`runner render`: what it shows is what a run sends."""

import json
from pathlib import Path

import pytest

from runner import InputError, load_agent
from runner.agent import Agent
from runner.models.local import CAPABILITIES
from runner.models.scripted import ScriptedModel
from runner.report.preview import preview_json, preview_text, request_json, worst_case
from runner.spec import Json
from tests.e2e.projects import project, runner
from tests.servers import OpenAIServer

ROOT = Path(__file__).parent.parent.parent
HEAD = """
    name: tested
    model: {name: openai/m, api_base: "${BASE}", capabilities: {response_format: true}}
    inputs: {who: {type: string, default: Ann}}
    instructions: You add for {{ who }}. "Exactly", 北京.
    prompt: "{{ input }}"
"""
TOOLS = """
    tools: [add, fail]
    examples:
      - user: "{{ who }} asks 1+2"
        calls: [{tool: add, arguments: {a: 1, b: 2}, result: "3"}]
        answer: It is 3.
"""
SCHEMA = """
    output_schema: {type: object, properties: {sum: {type: integer}}, required: [sum]}
"""
TEXT = r"""
    parsing:
      mode: text
      instructions: "Tools: {% for tool in tools %}{{ tool.name }} {% endfor %}"
      call: '^CALL (?P<name>\w+) (?P<arguments>.*)$'
      answer: '^ANSWER (?P<answer>(?s:.*))$'
      stop: ["\nRESULT"]
"""
AGENTS = {
    "auto": HEAD + TOOLS,
    "native": HEAD + "    parsing: native\n" + TOOLS + "    tool_choice: required\n",
    "native, one tool named": HEAD + "    parsing: native\n" + TOOLS + "    tool_choice: add\n",
    "native, structured": HEAD + "    parsing: native\n" + SCHEMA,
    "native, structured, tools": HEAD + "    parsing: native\n" + TOOLS + SCHEMA,
    "json": HEAD + "    parsing: json\n" + TOOLS,
    "json, structured, tools": HEAD + "    parsing: json\n" + TOOLS + SCHEMA,
    "react": HEAD + "    parsing: react\n" + TOOLS,
    "react in Chinese": HEAD + "    parsing: {mode: react, labels: zh}\n" + TOOLS,
    "text": HEAD + TEXT + TOOLS,
    "plain": HEAD,
}
SENT = {"messages", "tools", "tool_choice", "parallel_tool_calls", "response_format", "stop"}
SETTLED = """
    name: tested
    model: openai/gpt-5-mini
    instructions: You add.
    prompt: "{{ input }}"
"""
COUNTED = "    inputs: {n: {type: integer, default: 1}}\n"


@pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)
def test_what_is_shown_is_what_a_run_sends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: str) -> None:
    monkeypatch.delenv("BASE", raising=False)
    tested = load_agent(project(tmp_path, agent))
    document = json.loads(preview_json(tested.spec, tested.preview("2 + 40?", inputs={"who": "Bo"})))

    with OpenAIServer(["whatever"], then="whatever") as server:
        monkeypatch.setenv("BASE", server.url)
        tested.run("2 + 40?", inputs={"who": "Bo"})

    body = server.requests[0].body
    # LiteLLM leaves out the empty content of messages that call tools.
    messages = [{k: v for k, v in message.items() if v is not None} for message in document["request"]["messages"]]
    assert {**document["request"], "messages": messages} == {name: body[name] for name in SENT & body.keys()}


@pytest.mark.parametrize("file", sorted((ROOT / "agents.d").glob("*.yaml")), ids=lambda file: file.stem)
def test_every_example_is_shown_as_it_is_run(file: Path) -> None:
    spec = load_agent(file, model="local/smollm2").spec
    inputs = {each.name: "Oslo" for each in spec.inputs if each.required}
    model = ScriptedModel([], capabilities=CAPABILITIES)
    preview = Agent(spec, model=model).preview("Hi", inputs=inputs)

    with pytest.raises(AssertionError):  # the script is empty
        Agent(spec, model=model).run("Hi", inputs=inputs)

    assert request_json(preview.request) == request_json(model.requests[0])
    assert preview.undecided == ()


def preview_of(folder: Path, agent: str, text: str | None = "Hi") -> dict[str, Json]:
    tested = load_agent(project(folder, agent))
    document: dict[str, Json] = json.loads(preview_json(tested.spec, tested.preview(text)))
    return document


@pytest.mark.parametrize(
    ("model", "parsing", "reason"),
    [
        ("local/smollm2", "json", "auto, because local/smollm2 cannot call tools"),
        ("'${UNSET_MODEL:-local/smollm2}'", "json", "cannot call tools"),
        ("'${UNSET_MODEL}'", "native", "not known here"),
        ("openai/x", "native", "auto, and it is not known here that openai/x cannot call tools"),
        ("{name: openai/x, capabilities: {function_calling: false}}", "json", "model.capabilities says that openai/x"),
        ("{name: local/smollm2, capabilities: {function_calling: true}}", "native", "local/smollm2 can call tools"),
    ],
)
def test_the_mode_is_told_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, parsing: str, reason: str
) -> None:
    monkeypatch.delenv("UNSET_MODEL", raising=False)
    document = preview_of(tmp_path, f"name: tested\nmodel: {model}\nprompt: '{{{{ input }}}}'\ntools: [add]\n")
    assert document["parsing"] == parsing
    assert reason in document["parsing_reason"]


@pytest.mark.parametrize(
    ("more", "undecided"),
    [
        ("tools: [add]\n", ["function_calling"]),
        ("parsing: native\ntools: [add]\n", []),
        ("parsing: json\ntools: [add]\n", ["response_format"]),
        ("parsing: react\ntools: [add]\n", ["stop"]),
        ("", []),
        ("parsing: native\noutput_schema: {type: object}\n", ["response_format"]),
    ],
)
def test_what_a_run_may_decide_otherwise_is_named(tmp_path: Path, more: str, undecided: list[str]) -> None:
    document = preview_of(tmp_path, f"name: tested\nmodel: openai/x\nprompt: '{{{{ input }}}}'\n{more}")
    assert document["undecided"] == undecided


def test_the_worst_case_follows_from_the_limits(tmp_path: Path) -> None:
    agent = """
    name: tested
    model: {name: openai/x, max_tokens: 100}
    prompt: "{{ input }}"
    tools: [add]
    limits: {max_steps: 3, max_tool_calls: 2, max_tool_result_chars: 4000, timeout: 30s}
    """
    document = preview_of(tmp_path, agent)
    first = document["estimated_tokens"]
    assert first > 0
    assert document["worst_case"] == {
        "requests": 3,
        "tool_calls": 2,
        "seconds": 30.0,
        # three times the first request, two results of 1000 tokens in two of them, one reply in the second and two in
        # the third
        "input_tokens": 3 * first + 2 * 2 * 1000 + 3 * 100,
        "output_tokens": 300,
    }


def test_without_a_cap_on_replies_the_worst_case_in_tokens_is_unknown(tmp_path: Path) -> None:
    tested = load_agent(project(tmp_path, SETTLED))
    preview = tested.preview("Hi")
    worst = worst_case(tested.spec, preview.request)
    assert (worst.tool_calls, worst.input_tokens, worst.output_tokens) == (0, None, None)
    assert "model.max_tokens would bound them" in preview_text(tested.spec, preview)


def test_the_text_shows_every_part_of_the_request_under_its_name(tmp_path: Path) -> None:
    tested = load_agent(project(tmp_path, AGENTS["native"]))
    preview = tested.preview("2 + 40?")
    text = preview_text(tested.spec, preview)

    titles = [line.split(" ─")[0].removeprefix("── ") for line in text.splitlines() if line.startswith("── ")]
    turns = ["system", "user", "assistant, besides its text", "tool", "tool, besides its text", "assistant", "user"]
    assert titles == [*turns, "tools", "tool_choice"]
    assert '\nYou add for Ann. "Exactly", 北京.\n' in text
    assert "parsing     native: the agent says so\n" in text
    _, tools = text.split("── tools ")
    assert json.loads(tools.partition("\n")[2].partition("\n\n── ")[0]) == list(preview.request.tools)


def test_wrong_inputs_are_refused_as_in_a_run(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="needs an input text"):
        preview_of(tmp_path, SETTLED, text=None)


def test_the_command_needs_no_key_and_keeps_stdout_to_itself(tmp_path: Path) -> None:
    agent = project(tmp_path, SETTLED + "    tools: [add]\n")
    module = tmp_path / "tools.d" / "sums.py"
    module.write_text(f"print('a banner')\n{module.read_text()}", encoding="utf-8")

    done = runner("render", agent, "-", "--format", "json", cwd=tmp_path, stdin="北京?\n")

    document = json.loads(done.stdout)
    assert done.returncode == 0
    assert document["request"]["messages"][-1] == {"role": "user", "content": "北京?"}
    assert done.stderr == "a banner\n"


def test_the_command_renders_for_another_model_by_name(tmp_path: Path) -> None:
    project(
        tmp_path,
        SETTLED + COUNTED + "    examples: [{user: '{{ n }}', answer: a}]\n",
    )

    done = runner("render", "tested", "Hi", "-i", "n=7", "--model", "local/smollm2", cwd=tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    assert "model       local/smollm2\n" in done.stdout
    assert "\n7\n" in done.stdout


@pytest.mark.parametrize(
    ("agent", "arguments", "code", "error"),
    [
        (SETTLED, [], 2, "error: agent 'tested' needs an input text"),
        (SETTLED + "    tools: [ad]\n", ["Hi"], 1, "unknown tool 'ad'"),
        (SETTLED + COUNTED, ["Hi", "-i", "n=x"], 1, "error: input 'n'"),
        (
            SETTLED + COUNTED,
            ["Hi", "-i", "m=1"],
            2,
            "error: unknown input 'm'",
        ),
        (SETTLED.replace("You add.", "'{{ 1 // 0 }}'"), ["Hi"], 1, "agents.d/tested.yaml:4"),
    ],
)
def test_what_is_wrong_is_said_on_stderr_alone(
    tmp_path: Path, agent: str, arguments: list[str], code: int, error: str
) -> None:
    done = runner("render", project(tmp_path, agent), *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (code, "")
    assert error in done.stderr
    assert "Traceback" not in done.stderr


def test_a_tool_that_cannot_be_opened_is_said_with_its_place(tmp_path: Path) -> None:
    agent = project(tmp_path, SETTLED + "    tools: [add]\n")
    (tmp_path / "tools.d" / "sums.py").write_text(
        "import nothing_of_that_name\ndef add(): ...\ndef fail(): ...\n", encoding="utf-8"
    )

    done = runner("render", agent, "Hi", cwd=tmp_path)

    assert (done.returncode, done.stdout) == (1, "")
    assert "nothing_of_that_name" in done.stderr


def test_variables_of_tools_need_not_be_set(tmp_path: Path) -> None:
    agent = project(
        tmp_path,
        """
        name: tested
        model: openai/gpt-5-mini
        prompt: "{{ input }}"
        tools:
          - {name: look, type: http, url: "https://api.example.com/x", auth: {bearer: "${NOT_SET_HERE}"}}
          - {name: add2, type: python, function: "sums:add", env: {TOKEN: "${NOT_SET_HERE}"}}
        """,
    )

    done = runner("render", agent, "Hi", cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    assert "look" in done.stdout
