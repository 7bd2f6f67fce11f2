"""Tools that misbehave in every way we know, in every mode, under several limits: each run ends as documented."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from runner.agent import Agent
from runner.engine.events import RunFinished, ToolCalled, ToolReturned
from runner.language.compiler import compile_agent
from runner.models.scripted import ScriptedModel
from tests.engine.voices import VOICES

OVERSHOOT = 0.5
FOLDER = Path(__file__).parent

# Tool -> whether it is an error, and what the model is told of it.
INSTANT: Mapping[str, tuple[bool, str]] = {
    "raises": (True, "ValueError: no such city"),
    "exits": (True, "tool called exit(3)"),
    "interrupts": (True, "KeyboardInterrupt"),
    "raises_nastily": (True, "Nasty: out"),
    "raises_without_words": (True, "Unprintable"),
    "is_cancelled": (True, "CancelledError"),
    "cancels_itself": (True, "CancelledError"),
    "closes_its_generator": (True, "GeneratorExit"),
    "recurses": (True, "RecursionError: maximum recursion depth exceeded"),
    "returns_much": (False, "éé"),
    "never_ends": (False, "more"),
    "returns_a_circle": (True, "returns_a_circle ran, but"),
    "returns_what_json_has_not": (False, '"nan":"NaN"'),
    "returns_lone_surrogates": (False, "and"),
    "takes": (True, "takes was not run, its arguments are wrong"),
}
ENDLESS = ("sleeps", "awaits", "refuses_to_stop", "never_ends_slowly")
# Limits -> the status of a run whose tool does not end, and how long the run may take.
LIMITS: Mapping[str, tuple[str, str, float]] = {
    "tool": ("limits: {tool_timeout: 200ms, timeout: 20s}", "completed", 20.0),
    "run": ("limits: {tool_timeout: 10s, timeout: 400ms}", "timeout", 0.4),
    "run-with-last-words": ("limits: {tool_timeout: 10s, timeout: 800ms}\non_limit: answer", "timeout", 0.8),
}
PROTOCOL = r"""
  mode: text
  instructions: "Write CALL tool WITH {…} or SAY answer."
  call: '^CALL (?P<name>\w+) WITH (?P<arguments>.*)$'
  answer: '(?s)^SAY (?P<answer>.*)'
"""


async def play(folder: Path, tool: str, mode: str, limits: str) -> tuple[RunFinished, list[object]]:
    """A run whose model calls the tool once, and then answers."""
    (folder / "broken_tools.py").write_text((FOLDER / "broken_tools.py").read_text(encoding="utf-8"), encoding="utf-8")
    file = folder / "agent.yaml"
    parsing = PROTOCOL if mode == "text" else mode
    declared = f"{{name: {tool}, type: python, function: 'broken_tools:{tool}'}}"
    file.write_text(
        f"name: tested\nmodel: test/scripted\nprompt: go\ntools: [{declared}]\nparsing: {parsing}\n{limits}\n",
        encoding="utf-8",
    )
    compiled = compile_agent(file)
    assert compiled.spec is not None, compiled.diagnostics
    voice = VOICES[mode]
    script = [voice.calls((tool, {})), voice.answer("done")]
    events: list[object] = [
        event async for event in Agent(compiled.spec, model=ScriptedModel(script)).stream(watch=False)
    ]
    finished = events[-1]
    assert isinstance(finished, RunFinished)
    return finished, events


@pytest.mark.parametrize("mode", VOICES)
@pytest.mark.parametrize("tool", INSTANT)
async def test_a_tool_that_fails_is_a_result_for_the_model(tool: str, mode: str, tmp_path: Path) -> None:
    is_error, told = INSTANT[tool]

    finished, events = await play(tmp_path, tool, mode, "limits: {max_tool_result_chars: 2000}")

    (returned,) = [event for event in events if isinstance(event, ToolReturned)]
    assert returned.is_error is is_error, returned.content
    assert told in returned.content
    assert "Traceback" not in returned.content
    assert len(returned.content) < 2_500
    assert (finished.status, finished.answer) == ("completed", "done")


@pytest.mark.parametrize("mode", VOICES)
@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("tool", ENDLESS)
async def test_a_tool_that_does_not_end_ends_nothing_but_itself(
    tool: str, limit: str, mode: str, tmp_path: Path
) -> None:
    limits, status, seconds = LIMITS[limit]
    before = asyncio.all_tasks()

    finished, events = await play(tmp_path, tool, mode, limits)

    assert finished.status == status
    assert finished.seconds < seconds + OVERSHOOT
    assert (finished.answer == "done") is (limit != "run")
    called, returned = ([event for event in events if isinstance(event, kind)] for kind in (ToolCalled, ToolReturned))
    assert len(called) == len(returned) == 1
    if tool != "refuses_to_stop":
        assert asyncio.all_tasks() == before
