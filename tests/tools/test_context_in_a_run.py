"""A tool with a context inside a whole run: what it logs is an event, and its secrets are shown nowhere."""

from pathlib import Path

import pytest

from runner import load_agent
from runner.agent import Agent
from runner.engine.events import Event, ToolLogged, ToolReturned
from runner.engine.ports import ModelReply, RawToolCall
from runner.models.scripted import ScriptedModel

TOOLS = """\
from runner import ToolContext


class Client:
    def __init__(self, project: str, token: str):
        self.project = project

    def ask(self, q: str, ctx: ToolContext) -> str:
        ctx.log.info("using %s for %s", ctx.secrets["KEY"], self.project)
        return f"{q}: {ctx.secrets['KEY']}"
"""
AGENT = """\
name: a
model: openai/gpt-5-mini
parsing: native
instructions: Hi.
tools:
  - name: ask
    type: python
    function: client_tools:Client.ask
    config: {project: billing, token: "${CLIENT_TOKEN}"}
    env: {KEY: "${CLIENT_KEY}"}
"""


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Agent:
    for name, text in {"client_tools.py": TOOLS, "agent.yaml": AGENT}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setenv("CLIENT_TOKEN", "t0ken-of-the-client")
    monkeypatch.setenv("CLIENT_KEY", "k3y-of-the-client")
    call = RawToolCall(id="c1", name="ask", arguments='{"q": "tax"}')
    model = ScriptedModel([ModelReply(tool_calls=(call,), finish_reason="tool_calls"), "Done."])
    return Agent(load_agent(tmp_path / "agent.yaml").spec, model=model)


async def test_logs_are_events_and_secrets_are_masked(agent: Agent) -> None:
    events: list[Event] = [event async for event in agent.stream("Hi", watch=False)]

    logged = next(event for event in events if isinstance(event, ToolLogged))
    returned = next(event for event in events if isinstance(event, ToolReturned))
    assert (logged.id, logged.name, logged.level, logged.message) == ("c1", "ask", "info", "using *** for billing")
    assert (returned.content, returned.is_error) == ("tax: ***", False)
    assert "-of-the-client" not in repr(events)
