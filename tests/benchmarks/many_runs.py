"""Many runs in one process: memory over 2,000 of them, and 200 at once beside a bare LiteLLM loop; prints the figures.

python -m tests.benchmarks.many_runs [--runs 2000] [--at-once 200] [--rounds 3]
"""

import argparse
import asyncio
import gc
import json
import os
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from runner.agent import Agent, load_agent
from runner.engine.events import RunFinished
from runner.models import library
from runner.toolkit.clock import current_time
from tests.benchmarks import mock_server

AGENT = """
name: bench
model: {{name: hosted_vllm/m, api_base: "{url}", api_key: none}}
instructions: Be brief.
tools: [current_time]
limits: {{max_steps: 50, timeout: 5m}}
"""
TOOL = {
    "type": "function",
    "function": {
        "name": "current_time",
        "description": "The time.",
        "parameters": {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]},
    },
}


def agent_at(url: str, folder: Path) -> Agent:
    """The agent that is measured."""
    file = folder / "bench.yaml"
    file.write_text(AGENT.format(url=url), encoding="utf-8")
    return load_agent(file)


async def ours(agent: Agent) -> None:
    """One run of the agent."""
    async for event in agent.stream("What time is it?", watch=False):
        if isinstance(event, RunFinished) and event.status != "completed":
            raise RuntimeError(event)


async def bare(url: str) -> None:
    """The same by hand: LiteLLM and a loop, nothing checked."""
    litellm = library.load()
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "What time is it?"},
    ]
    while True:
        response = await litellm.acompletion(
            model="hosted_vllm/m", api_base=url, api_key="none", messages=messages, tools=[TOOL], max_retries=0
        )
        message = response.choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            return
        for call in message.tool_calls:
            result = current_time(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


async def timed(work: Callable[[], Awaitable[None]], times: int) -> tuple[float, float]:
    """Wall and processor seconds of so many at once."""
    wall, processor = time.perf_counter(), time.process_time()
    await asyncio.gather(*(work() for _ in range(times)))
    return time.perf_counter() - wall, time.process_time() - processor


def megabytes() -> float:
    """Memory of this process."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def soak(runs: int, folder: Path) -> None:
    """Memory while many runs come and go, ten at a time."""
    with mock_server.running(steps=2) as url:
        agent = agent_at(url, folder)
        started = time.perf_counter()
        for done in range(0, runs + 1, 10):
            if done % (runs // 10) == 0:
                gc.collect()
                print(f"  {done:5} runs: {megabytes():.1f} MB, {len(asyncio.all_tasks())} tasks")
            await asyncio.gather(*(ours(agent) for _ in range(10)))
        print(f"  {runs} runs of three steps in {time.perf_counter() - started:.1f} s")


async def at_once(count: int, rounds: int, folder: Path) -> None:
    """Runs at once against a server that takes 100 ms, by turns with the bare loop."""
    with mock_server.running(steps=2, latency=0.1) as url:
        agent = agent_at(url, folder)
        await timed(lambda: ours(agent), 10)
        await timed(lambda: bare(url), 10)
        measured = [
            (await timed(lambda: bare(url), count), await timed(lambda: ours(agent), count)) for _ in range(rounds)
        ]
    for index, what in enumerate(("wall", "processor")):
        theirs, own = ([pair[side][index] for pair in measured] for side in (0, 1))
        ratio = statistics.median(mine / other for mine, other in zip(own, theirs, strict=True))
        print(
            f"  {what:9} bare {statistics.median(theirs):.2f} s ({min(theirs):.2f}-{max(theirs):.2f}),"
            f" ours {statistics.median(own):.2f} s ({min(own):.2f}-{max(own):.2f}), ratio {ratio:.2f}"
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2_000)
    parser.add_argument("--at-once", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(f"{given.at_once} three-step runs at once, 100 ms a reply:")
        asyncio.run(at_once(given.at_once, given.rounds, Path(folder)))
        print("soak:")
        asyncio.run(soak(given.runs, Path(folder)))


if __name__ == "__main__":
    main()
