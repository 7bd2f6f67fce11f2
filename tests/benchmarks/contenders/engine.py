"""The engine alone: what a step and a call of a tool cost when neither the model nor the tool takes any time.

`python engine.py WORKLOAD FOLDER`, where WORKLOAD is `unheard` (a run of which only the outcome is read), `heard` (one
whose events are all read and written as JSON) or `tool-call`; prints a line of figures in seconds.
"""

import asyncio
import json
import statistics
import sys
import time
from collections.abc import AsyncGenerator
from pathlib import Path

from runner.agent import Agent, load_agent
from runner.engine.events import RunFinished
from runner.engine.execute import Executor
from runner.engine.messages import ToolCall, ToolResult
from runner.engine.ports import Capabilities, Delta, ModelReply, ModelRequest, RawToolCall
from runner.engine.scope import RunControl, Scope
from runner.report.run_json import event_json
from runner.spec import Limits, ProjectSpec, ToolSpec
from runner.tools import open_tool
from tests.benchmarks.projects import write_agent

STEPS, REPEATS, CALLS = 200, 7, 2_000
TOOLS = """
def plain(left: int, right: int = 1) -> int:
    return left + right

async def coroutine(left: int, right: int = 1) -> int:
    return left + right
"""


class Stepping:
    """A model that calls the tool so many times, and then answers, at once."""

    name = "scripted/stepping"
    retries = 0

    def __init__(self) -> None:
        self._asked = 0

    async def open(self) -> Capabilities:
        """Nothing is known."""
        self._asked = 0
        return Capabilities()

    async def ask(self, request: ModelRequest) -> AsyncGenerator[Delta | ModelReply, None]:
        """The next reply, streamed when somebody watches."""
        self._asked += 1
        if self._asked > STEPS:
            if request.stream:
                yield Delta(text="It is done.")
            yield ModelReply(text="It is done.", finish_reason="stop", cost=0.0)
        else:
            arguments = json.dumps({"number": self._asked})
            call = RawToolCall(id=f"call_{self._asked}", name="lookup", arguments=arguments)
            yield ModelReply(tool_calls=(call,), finish_reason="tool_calls", cost=0.0)

    async def close(self) -> None:
        """Nothing to do."""


async def step(folder: Path, *, heard: bool) -> dict[str, float]:
    """Processor seconds of a step."""
    file = write_agent(folder, url="http://127.0.0.1:9/v1", steps=STEPS + 1)
    agent = Agent(load_agent(file).spec, model=Stepping())
    times = []
    for _ in range(REPEATS):
        began = time.process_time()
        async for event in agent.stream("Look it up.", watch=heard):
            if heard:
                json.dumps(event_json(event))
            if isinstance(event, RunFinished) and event.status != "completed":
                raise RuntimeError(f"{event.status}: {event.error}")
        times.append((time.process_time() - began) / STEPS)
    return {"step": statistics.median(times)}


async def tool_call(folder: Path) -> dict[str, float]:
    """Seconds from `Executor.execute` to its last event."""
    (folder / "bench_tools.py").write_text(TOOLS, encoding="utf-8")
    return {name: await _call(folder, name) for name in ("plain", "coroutine")}


async def _call(folder: Path, name: str) -> float:
    spec = ToolSpec(name=name, type="python", settings={"function": f"bench_tools:{name}"}, folder=str(folder))
    project = ProjectSpec(root=str(folder), tools_folder=str(folder))
    tool = open_tool(spec, project, max_result_chars=20_000, environ={})
    scope = Scope(RunControl())
    scope.start(3600)
    executor = Executor({name: tool}, Limits(), scope, mask=str)
    times = []
    for number in range(CALLS):
        results: dict[str, ToolResult] = {}
        call = ToolCall(id=f"c{number}", name=name, arguments={"left": number})
        began = time.perf_counter()
        async for _ in executor.execute(1, [call], results):
            pass
        times.append(time.perf_counter() - began)
        if results[call.id].content != str(number + 1):
            raise RuntimeError(f"{name} answered {results[call.id]}")
    return statistics.median(times)


if __name__ == "__main__":
    chosen, place = sys.argv[1], Path(sys.argv[2])
    print(json.dumps(asyncio.run(tool_call(place) if chosen == "tool-call" else step(place, heard=chosen == "heard"))))
