"""An HTTP tool in a whole run: from its YAML to the answer, with no secret in any event."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from textwrap import dedent

import pytest

from runner import load_agent
from runner.agent import Agent
from runner.engine.events import Event, RunFinished, ToolReturned
from runner.engine.ports import ModelReply, RawToolCall
from runner.models.scripted import ScriptedModel
from tests.servers.misbehaving import Misbehaving, answer, slow
from tests.tools.http.conftest import Caller, opened

AGENT = """
version: "1"
name: tested
model: {name: hosted_vllm/m, api_base: "http://127.0.0.1:1/v1"}
prompt: "{{ input }}"
limits: {tool_timeout: 500ms}
tools:
  - name: find
    type: http
    description: Finds a thing.
    url: ${BASE}/things/{{ id }}?key=${KEY}
    query: {tags: {value: "{{ tags }}", style: comma}}
    parameters:
      type: object
      properties: {id: {type: string}, tags: {type: array, items: {type: string}}}
      required: [id]
    response: {select: "name", max_bytes: 10kB}
"""


def call(number: int, arguments: str) -> RawToolCall:
    return RawToolCall(id=f"call_{number}", name="find", arguments=arguments)


async def events(stream: AsyncGenerator[Event, None]) -> list[Event]:
    return [event async for event in stream]


async def test_a_run_with_http_tools(
    tmp_path: Path, server: Misbehaving, monkeypatch: pytest.MonkeyPatch
) -> None:  # field bugs B116, B119
    monkeypatch.setenv("BASE", server.url)
    monkeypatch.setenv("KEY", "s3cr3t-k3y")
    path = tmp_path / "agents.d" / "tested.yaml"
    path.parent.mkdir()
    path.write_text(dedent(AGENT), encoding="utf-8")
    server.on("/things/1", answer(200, b'{"name": "One", "x": 1}', content_type="application/json"))
    server.on("/things/2", answer(404, b"no s3cr3t-k3y"))
    server.on("/things/3", slow(60))
    calls = (call(1, '{"id": "1", "tags": ["a", "b c"]}'), call(2, '{"id": "2"}'), call(3, '{"id": "3"}'))
    model = ScriptedModel([ModelReply(tool_calls=calls), ModelReply(text="done")])

    seen = await events(Agent(load_agent(path).spec, model=model).stream("Find them", watch=False))

    results = {event.id: event for event in seen if isinstance(event, ToolReturned)}
    assert (results["call_1"].content, results["call_1"].is_error) == ("One", False)
    assert (results["call_2"].content, results["call_2"].is_error) == ("HTTP 404 Not Found\nno ***", True)
    assert results["call_3"].is_error
    assert min(server.targets) == "/things/1?key=s3cr3t-k3y&tags=a,b+c"
    assert isinstance(seen[-1], RunFinished)
    assert (seen[-1].status, seen[-1].answer) == ("completed", "done")
    assert "s3cr3t" not in repr(seen)
    await asyncio.wait_for(server.hung_up.wait(), 20)


async def test_many_calls_at_once_are_answered_each(call: Caller, server: Misbehaving) -> None:
    tool = opened(server.url + "/{{ id }}", response={"select": "target"})

    answers = await asyncio.gather(*(call.ok(tool, id=number) for number in range(50)))

    assert answers == [f"/{number}" for number in range(50)]
