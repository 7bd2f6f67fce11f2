"""A project whose tools leave a line for every call they make, and the plan of a run that makes many."""

import random
from collections import Counter
from pathlib import Path
from textwrap import dedent

from runner.agent import Agent, load_agent
from tests.engine.voices import VOICES, Voice
from tests.sessions.follower import Follower, Plan

TOOLS = '''
import os


def save(n: int) -> str:
    """Save a number.

    Args:
        n: The number.
    """
    return _write(n)


def look(n: int) -> str:
    """Look a number up.

    Args:
        n: The number.
    """
    return _write(n)


def _write(n: int) -> str:
    file = os.open(os.environ["LEDGER"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, f"{n}\\n".encode())
    os.fsync(file)
    os.close(file)
    return f"wrote {n}"
'''

TOOLSET = """
version: "1"
kind: toolset
tools:
  - {name: save, type: python, function: "ledger:save"}
  - {name: look, type: python, function: "ledger:look", idempotent: true}
"""

AGENT = """
version: "1"
name: writer
model: openai/gpt-5-mini
parsing: PARSING
instructions: Write it down.
tools: [save, look]
limits: {max_steps: 100, max_tool_calls: 200}
"""

# A text protocol is declared; the other modes need no more than their name.
MODES = ("native", "json", "react")


def write_project(folder: Path) -> None:
    """The project, with an agent for each parsing mode."""
    for name in ("agents.d", "tools.d"):
        (folder / name).mkdir(parents=True)
    (folder / "tools.d" / "ledger.py").write_text(dedent(TOOLS), encoding="utf-8")
    (folder / "tools.d" / "ledger.yaml").write_text(TOOLSET, encoding="utf-8")
    for mode in MODES:
        (folder / "agents.d" / f"{mode}.yaml").write_text(AGENT.replace("PARSING", mode), encoding="utf-8")


def make_plan(chance: random.Random, steps: int) -> Plan:
    """Steps with one to three calls each; every call writes a number of its own."""
    numbers = iter(range(1, 10_000))
    return [
        [(chance.choice(("save", "look")), {"n": next(numbers)}) for _ in range(chance.randint(1, 3))]
        for _ in range(steps)
    ]


def open_agent(folder: Path, mode: str, plan: Plan) -> Agent:
    """The agent, with a model that follows the plan; its modules are imported."""
    voice: Voice = VOICES[mode]
    agent = Agent(load_agent(folder / "agents.d" / f"{mode}.yaml").spec, model=Follower(voice, plan))
    agent.preview("Go")
    return agent


def written(ledger: Path) -> Counter[int]:
    """How often each number was written; half a line is an error."""
    return Counter(int(line) for line in ledger.read_text().splitlines()) if ledger.exists() else Counter()
