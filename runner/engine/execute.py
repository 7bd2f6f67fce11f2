"""Runs the tool calls of one reply: concurrently, bounded, each answered whatever happens."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from difflib import get_close_matches

from runner.engine.events import ToolCalled, ToolReturned
from runner.engine.messages import ToolCall, ToolResult
from runner.engine.ports import Tool
from runner.engine.scope import Scope
from runner.spec import Limits

# How long a cancelled tool may take to clean up before the run goes on without it.
GRACE_SECONDS = 0.2

Timed = tuple[ToolResult, float]


class Executor:
    """Executes tool calls within one run's scope and limits."""

    def __init__(self, tools: Mapping[str, Tool], limits: Limits, scope: Scope) -> None:
        self._tools = tools
        self._limits = limits
        self._scope = scope

    async def execute(
        self, step: int, calls: Sequence[ToolCall], results: dict[str, ToolResult], *, in_order: bool = False
    ) -> AsyncGenerator[ToolCalled | ToolReturned, None]:
        """Run `calls`, putting each result into `results` under its call id; `in_order` means one after the other.

        Raises:
            OutOfTime, Interrupted: the run is over; running tools were cancelled and waited for.
        """
        at_once = 1 if in_order else self._limits.max_parallel_tools
        waiting = deque(calls)
        running: dict[asyncio.Task[Timed], ToolCall] = {}
        try:
            while waiting or running:
                while waiting and len(running) < at_once:
                    call = waiting.popleft()
                    yield ToolCalled(step=step, id=call.id, name=call.name, arguments=call.arguments)
                    running[asyncio.create_task(self._timed(call))] = call
                done, _ = await self._scope.wait(asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED))
                for task in [task for task in running if task in done]:
                    call = running.pop(task)
                    result, seconds = task.result()
                    results[call.id] = result
                    yield ToolReturned(
                        step=step,
                        id=call.id,
                        name=call.name,
                        content=result.content,
                        is_error=result.is_error,
                        seconds=seconds,
                    )
        finally:
            await _cancel(running)

    async def _timed(self, call: ToolCall) -> Timed:
        started = time.perf_counter()
        result = await self._call(call)
        return result, time.perf_counter() - started

    async def _call(self, call: ToolCall) -> ToolResult:
        if call.problem is not None:
            return ToolResult(content=call.problem, is_error=True)
        tool = self._tools.get(call.name)
        if tool is None:
            return ToolResult(content=self._unknown(call.name), is_error=True)
        seconds = self._limits.tool_timeout if tool.timeout is None else tool.timeout
        timer = asyncio.timeout(seconds)
        try:
            async with timer:
                return await tool.call(call.arguments or {})
        except TimeoutError:
            return ToolResult(
                content=f"{call.name} did not finish within {seconds:g} s and was stopped waiting for", is_error=True
            )

    def _unknown(self, name: str) -> str:
        if not self._tools:
            return f"there is no tool {name!r}: no tools are available, answer directly"
        close = get_close_matches(name, self._tools, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        return f"there is no tool {name!r}; the tools are: {', '.join(self._tools)}{hint}"


async def _cancel(running: Mapping[asyncio.Task[Timed], ToolCall]) -> None:
    """Stop what still runs, so that nothing of a run happens after its end."""
    for task in running:
        task.cancel()
    if running:
        await asyncio.wait(running, timeout=GRACE_SECONDS)
