"""The example of sessions in the page of the Python API works as it stands there."""

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from runner.agent import Agent, load_agent
from runner.engine.events import RunFinished
from runner.models.scripted import Line, ScriptedModel
from tests.cli.mailbox import SEND, Mailbox, call

PAGE = (Path(__file__).parents[2] / "docs" / "python-api.md").read_text(encoding="utf-8")
Do = Callable[..., Awaitable[RunFinished]]


@pytest.fixture
def example() -> dict[str, Any]:
    """What the block about sessions defines."""
    (block,) = [each for each in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "class Careful" in each]
    defined: dict[str, Any] = {}
    exec(compile(block, "python-api.md", "exec"), defined)
    return defined


def agent_of(mailbox: Mailbox, *script: Line) -> Agent:
    return Agent(load_agent(mailbox.file).spec, model=ScriptedModel(script))


async def test_a_call_that_the_approver_leaves_open_waits_in_the_session(
    tmp_path: Path, example: dict[str, Any]
) -> None:
    mailbox = Mailbox(tmp_path)
    ask: Do = example["ask"]
    approve: Do = example["approve"]
    elsewhere = call(("send", {"to": "ben@example.org"}))
    first = await ask(agent_of(mailbox, elsewhere), "trip", "Write to Ben")
    assert (first.status, first.session, mailbox.sent) == ("waiting_for_approval", "trip", [])
    second = await approve(agent_of(mailbox, "It is sent"), "trip", by="anna")
    assert (second.status, second.answer, mailbox.sent) == ("completed", "It is sent", ["ben@example.org 1"])
    assert example["store_of"](agent_of(mailbox)).verify("trip").ok


async def test_the_approver_of_the_example_approves_and_rejects(tmp_path: Path, example: dict[str, Any]) -> None:
    mailbox = Mailbox(tmp_path)
    many = call(("send", {"to": "anna@example.com", "copies": 500}))
    finished = await example["ask"](agent_of(mailbox, SEND, many, "Done"), "trip", "Write to Anna")
    assert (finished.answer, mailbox.sent) == ("Done", ["anna@example.com 1"])
