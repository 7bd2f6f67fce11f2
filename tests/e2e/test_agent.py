"""The Python API, through the real LiteLLM, to a scripted server."""

import asyncio
import json
from pathlib import Path

import pytest

from runner import InputError, InvalidAgent, load_agent
from runner.agent import Agent
from runner.engine.events import RunFinished, ToolReturned
from runner.engine.ports import ModelReply, RawToolCall
from runner.environment import VariableError
from runner.models import library
from runner.models.scripted import Line, ScriptedModel
from tests.e2e.projects import project
from tests.servers import Call, OpenAIServer, Reply

HEAD = """
    name: tested
    model: {name: hosted_vllm/m, api_base: "${BASE}"}
"""


def scripted(path: Path, *script: Line) -> Agent:
    return Agent(load_agent(path).spec, model=ScriptedModel(script))


def test_a_run_from_sync_code_again_and_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Field bug B124."""
    agent = load_agent(project(tmp_path, HEAD + "    prompt: '{{ input }}'\n"))
    with OpenAIServer(["one", "two"]) as server:
        monkeypatch.setenv("BASE", server.url)
        answers = [agent.run("Hi").answer for _ in range(2)]

    assert answers == ["one", "two"]


async def test_a_run_from_inside_a_running_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Field bug B124: a notebook."""
    agent = load_agent(project(tmp_path, HEAD + "    prompt: '{{ input }}'\n"))
    with OpenAIServer(["one"]) as server:
        monkeypatch.setenv("BASE", server.url)
        finished = agent.run("Hi")

    assert finished.answer == "one"


async def test_one_agent_runs_many_times_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = load_agent(project(tmp_path, HEAD + "    prompt: '{{ input }}'\n    tools: [add]\n"))

    def answer(request: object) -> Reply:
        messages = request.body["messages"]  # type: ignore[attr-defined]  # the server's Request
        if messages[-1]["role"] == "tool":
            return Reply(messages[-1]["content"])
        return Reply(calls=[Call("add", {"a": int(messages[-1]["content"]), "b": 1})])

    async def run(number: int) -> str | None:
        async for event in agent.stream(str(number), watch=False):
            if isinstance(event, RunFinished):
                return event.answer
        return None

    with OpenAIServer([], then=answer) as server:
        monkeypatch.setenv("BASE", server.url)
        answers = await asyncio.gather(*(run(number) for number in range(10)))

    assert answers == [str(number + 1) for number in range(10)]


async def last(agent: Agent, text: str) -> RunFinished:
    *_, finished = [event async for event in agent.stream(text, watch=False)]
    assert isinstance(finished, RunFinished)
    return finished


async def test_connections_are_kept_between_runs_for_as_long_as_somebody_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = load_agent(project(tmp_path, HEAD + "    prompt: '{{ input }}'\n"))
    with OpenAIServer(then="hi") as server:
        monkeypatch.setenv("BASE", server.url)
        async with agent.connected():
            kept = [(await last(agent, "Hi")).answer for _ in range(3)]
        connections = server.connections
        for _ in range(2):
            await last(agent, "Hi")

        assert (kept, connections, server.connections) == (["hi"] * 3, 1, 3)


async def test_a_run_that_was_left_early_is_closed_with_the_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = load_agent(project(tmp_path, HEAD + "    prompt: '{{ input }}'\n"))

    async def left_early() -> str | None:
        async for event in agent.stream("Hi", watch=False):
            if isinstance(event, RunFinished):
                return event.answer
        return None

    with OpenAIServer(then="hi") as server:
        monkeypatch.setenv("BASE", server.url)
        async with agent.connected():
            answers = await asyncio.gather(*(left_early() for _ in range(5)))

        assert answers == ["hi"] * 5
        assert asyncio.get_running_loop() not in library._users


async def test_a_model_that_cannot_be_asked_is_told_before_the_first_run(tmp_path: Path) -> None:
    agent = load_agent(project(tmp_path, HEAD.replace("${BASE}", "${NOT_SET_ANYWHERE}") + "    prompt: Hi\n"))

    with pytest.raises(VariableError, match="NOT_SET_ANYWHERE"):
        async with agent.connected():
            pytest.fail("there is no address")


def test_data_is_never_a_template(tmp_path: Path) -> None:
    """Field bug B102."""
    text = "{{ 7*7 }} {% raw %} ${HOME} {{ secret }}"
    model = ScriptedModel([_call("fail", '{"reason": "{{ 7*7 }}"}'), text])
    path = project(tmp_path, "    name: tested\n    model: openai/x\n    prompt: '{{ input }}'\n    tools: [fail]\n")

    finished = Agent(load_agent(path).spec, model=model).run(text)

    assert model.requests[0].messages[-1]["content"] == text
    assert model.requests[1].messages[-1]["content"] == "ValueError: {{ 7*7 }}"
    assert finished.answer == text


async def test_a_failing_tool_is_shown_to_the_model_and_the_run_goes_on(tmp_path: Path) -> None:
    path = project(tmp_path, "    name: tested\n    model: openai/x\n    prompt: go\n    tools: [fail]\n")
    agent = scripted(path, _call("fail", '{"reason": "no luck"}'), _call("fail", "{}"), "done")

    returned = [event async for event in agent.stream() if isinstance(event, ToolReturned)]

    assert returned[0].content == "ValueError: no luck"
    assert "reason" in returned[1].content
    assert all(event.is_error for event in returned)


def test_secrets_from_the_environment_are_masked_in_every_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY", "canary-123456")
    path = project(
        tmp_path,
        """
        name: tested
        model: {name: openai/x, api_key: "${KEY}"}
        prompt: "{{ input }}"
        tools: [fail]
        """,
    )
    agent = scripted(path, _call("fail", '{"reason": "the key is canary-123456"}'), "You said canary-123456")

    events = asyncio.run(_all(agent, "Hi"))

    *others, finished = events
    assert "canary-123456" not in repr(others)
    assert "the key is ***" in repr(others)
    assert isinstance(finished, RunFinished)
    assert finished.answer == "You said canary-123456"  # the model's own answer is given as it is


def test_examples_are_rendered_and_sent_as_turns(tmp_path: Path) -> None:
    path = project(
        tmp_path,
        """
        name: tested
        model: openai/x
        inputs: {who: {type: string, default: Ann}}
        instructions: Greet {{ who }}.
        prompt: "{{ input }}"
        tools: [add]
        examples:
          - user: "{{ who }} asks 1+2"
            calls: [{tool: add, arguments: {a: 1, b: 2}, result: "3"}]
            answer: It is 3, {{ who }}.
        """,
    )
    model = ScriptedModel(["ok"])

    Agent(load_agent(path).spec, model=model).run("Hi", inputs={"who": "Bo"})

    system, user, call, result, answer, prompt = model.requests[0].messages
    assert system == {"role": "system", "content": "Greet Bo."}
    assert user["content"] == "Bo asks 1+2"
    assert call["tool_calls"][0]["function"] == {"name": "add", "arguments": '{"a": 1, "b": 2}'}
    assert result == {"role": "tool", "tool_call_id": call["tool_calls"][0]["id"], "content": "3"}
    assert answer == {"role": "assistant", "content": "It is 3, Bo."}
    assert prompt["content"] == "Hi"


def test_an_invalid_file_raises_with_its_diagnostics(tmp_path: Path) -> None:
    path = project(tmp_path, "name: tested\nmodel: openai/x\npromt: hi\n")

    with pytest.raises(InvalidAgent, match="unknown key 'promt'") as raised:
        load_agent(path)

    assert raised.value.diagnostics[0].location.span is not None


@pytest.mark.parametrize(
    ("inputs", "message"),
    [({}, "input 'n' is missing"), ({"n": "x"}, "n"), ({"n": 1, "m": 2}, "unknown input 'm'")],
)
def test_inputs_that_do_not_fit_raise_before_anything_happens(
    tmp_path: Path, inputs: dict[str, object], message: str
) -> None:
    path = project(tmp_path, "name: tested\nmodel: openai/x\ninputs: {n: {type: integer}}\nprompt: 'go {{ n }}'\n")

    with pytest.raises(InputError, match=message):
        scripted(path).run(inputs=inputs)


def test_a_tool_that_cannot_be_loaded_ends_the_run_as_a_matter_of_configuration(tmp_path: Path) -> None:
    path = project(tmp_path, "name: tested\nmodel: openai/x\nprompt: go\ntools: [add]\n")
    agent = scripted(path)
    (tmp_path / "tools.d/sums.py").write_text("import nothing_of_that_name\n\ndef add(): ...\n", encoding="utf-8")

    finished = agent.run()

    assert finished.status == "config_invalid"
    assert "nothing_of_that_name" in (finished.error or "")


def _call(name: str, arguments: str) -> ModelReply:
    return ModelReply(tool_calls=(RawToolCall(id="c", name=name, arguments=arguments),), finish_reason="tool_calls")


async def _all(agent: Agent, text: str) -> list[object]:
    return [event async for event in agent.stream(text, watch=False)]


PROTOCOL = """
    name: tested
    model: openai/x
    prompt: go
    tools: [add]
    parsing:
      mode: text
      instructions: INSTRUCTIONS
      call: "^CALL (?P<name>[a-z]+) (?P<arguments>.*)$"
      answer: "^SAY (?P<answer>.*)"
      result: RESULT
"""


def test_a_protocol_whose_instructions_cannot_be_rendered_ends_before_any_request(tmp_path: Path) -> None:
    wrong = PROTOCOL.replace("INSTRUCTIONS", '"{{ tools[0].parametrs.x }}"').replace("RESULT", '"{{ result }}"')

    finished = scripted(project(tmp_path, wrong)).run()

    assert finished.status == "config_invalid"
    assert "agents.d/tested.yaml:8: " in (finished.error or "")


def test_a_protocol_whose_result_cannot_be_rendered_ends_the_run_as_a_matter_of_configuration(tmp_path: Path) -> None:
    wrong = PROTOCOL.replace("INSTRUCTIONS", "Use CALL and SAY.").replace("RESULT", '"{{ arguments.a.b.c }}"')

    finished = scripted(project(tmp_path, wrong), 'CALL add {"a": 1, "b": 2}').run()

    assert (finished.status, finished.steps, finished.tool_calls) == ("config_invalid", 1, 1)
    assert "agents.d/tested.yaml:11: " in (finished.error or "")


def test_the_key_of_a_provider_is_shown_nowhere_though_no_file_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "sk-canary-0123456789"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    text = "name: tested\nmodel: openai/x\nprompt: '{{ input }}'\ntools: [fail]\n"
    spec = load_agent(project(tmp_path, text)).spec
    call = RawToolCall(id="1", name="fail", arguments=json.dumps({"reason": f"the key is {key}"}))
    model = ScriptedModel([ModelReply(tool_calls=(call,), finish_reason="tool_calls"), "done"])

    async def collected() -> list[object]:
        return [event async for event in Agent(spec, model=model).stream("hi")]

    events = asyncio.run(collected())

    assert key not in repr(events)
    assert key not in str(model.requests[1].messages[-1])
