"""A run that waited for a person, read back from its store as text, as an audit and as a page."""

import re
from collections.abc import Mapping
from contextlib import aclosing
from pathlib import Path

from runner.agent import Agent, load_agent
from runner.engine.approval import Approved, Decision, Deferred
from runner.engine.events import RunFinished
from runner.engine.ports import Capabilities, ModelReply, RawToolCall, Usage
from runner.models.scripted import ScriptedModel
from runner.report.audit import audit_rows
from runner.report.timeline import timeline_text
from runner.sessions.ports import Stored
from runner.sessions.sqlite import SqliteStore
from tests.e2e.projects import project
from tests.report.pages import session_html

AGENT = """
name: adder
model: openai/x
instructions: Add.
tools: [add, fail]
permissions: {ask: [add]}
"""
SCRIPT = (
    ModelReply(
        text="I add, and fail.",
        tool_calls=(
            RawToolCall(id="c1", name="add", arguments='{"a": 1, "b": 2}'),
            RawToolCall(id="c2", name="fail", arguments='{"reason": "no luck"}'),
        ),
        usage=Usage(input_tokens=100, output_tokens=10),
        cost=0.01,
    ),
    ModelReply(text="It is 12.", usage=Usage(input_tokens=150, output_tokens=5), cost=0.02),
)


class Later:
    async def decide(self, request: object) -> Decision:
        return Deferred()


async def part_of_a_run(agent: Agent, store: SqliteStore, decisions: Mapping[str, Decision] | None) -> RunFinished:
    with store.open("s1", create=True) as opened:
        going = (
            agent.stream("1 + 2", session=opened.session, approver=Later())
            if decisions is None
            else agent.resume(opened.session, decisions=decisions)
        )
        async with aclosing(going) as events:
            *_, last = [event async for event in events]
    assert isinstance(last, RunFinished)
    return last


async def entries_of_a_run(folder: Path) -> tuple[Stored, ...]:
    spec = load_agent(project(folder, AGENT)).spec
    store = SqliteStore(folder / "state")
    agent = Agent(spec, model=ScriptedModel(SCRIPT, capabilities=Capabilities(function_calling=True)))

    waiting = await part_of_a_run(agent, store, None)
    decision = Approved(by="anna", arguments={"a": 10, "b": 2})
    done = await part_of_a_run(agent, store, {"c1": decision})

    assert (waiting.status, done.status) == ("waiting_for_approval", "completed")
    return store.entries("s1")


async def test_a_real_run_reads_the_same_everywhere(tmp_path: Path) -> None:
    stored = await entries_of_a_run(tmp_path)

    text, page = timeline_text(stored, colour=False, width=120), session_html(stored, "s1")
    rows = audit_rows(stored)

    assert [(row.tool, row.approval, row.outcome, row.starts) for row in rows] == [
        ("add", "edited", "ok", 1),
        ("fail", "nobody", "error", 1),
    ]
    assert rows[0].arguments == {"a": 10, "b": 2}
    told = [re.sub(r" {2,}.*", "", line.strip()) for line in text.splitlines()]
    assert told[:5] == [
        "run 1 · adder · openai/x",
        "asked: 1 + 2",
        "1 · scripted/model",
        "100 tokens in, 10 out · $0.01",
        "I add, and fail.",
    ]
    assert told[5].startswith("add(a=10, b=2) → ")
    assert told[6].startswith("changed and approved by anna")
    assert told[6].endswith("; the model asked for add(a=1, b=2)")
    assert told[7].startswith('fail(reason="no luck") → error: ')
    assert told[8] == "waiting for approval of add (c1)"
    assert told[9].startswith("went on after ")
    assert told[10:14] == ["2 · answer", "150 tokens in, 5 out · $0.02", "It is 12.", "completed"]
    assert told[14].startswith("2 steps · 2 tool calls · 265 tokens · $0.03 · ")
    assert "changed and approved by anna" in page
    assert all(row.chain in page for row in rows)
