"""What a tool call through the engine adds, in microseconds: `python -m tests.benchmarks.tool_call [CALLS]`.

Measured from `Executor.execute` to its last event, for tools whose own work is nothing.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

from runner.engine.execute import Executor
from runner.engine.messages import ToolCall, ToolResult
from runner.engine.scope import RunControl, Scope
from runner.spec import Limits, ProjectSpec, ToolSpec
from runner.tools import open_tool

TOOLS = """
def plain(left: int, right: int = 1) -> int:
    return left + right

async def coroutine(left: int, right: int = 1) -> int:
    return left + right
"""


async def median(root: Path, name: str, calls: int) -> float:
    """Seconds of one call."""
    spec = ToolSpec(name=name, type="python", settings={"function": f"bench_tools:{name}"}, folder=str(root))
    project = ProjectSpec(root=str(root), tools_folder=str(root))
    tool = open_tool(spec, project, max_result_chars=20_000, environ={})
    scope = Scope(RunControl())
    scope.start(3600)
    executor = Executor({name: tool}, Limits(), scope, mask=str)
    times = []
    for number in range(calls):
        results: dict[str, ToolResult] = {}
        call = ToolCall(id=f"c{number}", name=name, arguments={"left": number})
        started = time.perf_counter()
        async for _ in executor.execute(1, [call], results):
            pass
        times.append(time.perf_counter() - started)
        if results[call.id].content != str(number + 1):
            raise RuntimeError(f"{name} answered {results[call.id]}")
    return statistics.median(times)


def main(calls: int = 3000) -> None:
    """Print the medians."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "bench_tools.py").write_text(TOOLS, encoding="utf-8")
        for name in ("plain", "coroutine"):
            seconds = asyncio.run(median(root, name, calls))
            print(f"{name:>10}: {seconds * 1e6:6.0f} µs/call")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
