"""Runs the tool calls of one reply: concurrently, bounded, each answered whatever happens."""

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches

from runner.engine.events import ToolCalled, ToolLogged, ToolReturned
from runner.engine.holding import Held
from runner.engine.messages import ToolCall, ToolResult
from runner.engine.ports import CallContext, Tool
from runner.engine.scope import Interrupted, OutOfTime, Scope
from runner.spec import Limits

_log = logging.getLogger(__name__)

# How long a cancelled tool may take to clean up before the run goes on without it.
GRACE_SECONDS = 0.2
# What one call may tell; nobody reads more, and a loop around `ctx.log` must not fill the memory.
MAX_LOG_MESSAGES = 1_000
MAX_LOG_CHARACTERS = 100_000
_MAX_REASON_CHARACTERS = 500

Timed = tuple[ToolResult, float]


class Executor:
    """Executes tool calls within one run's scope and limits; `mask` takes secrets out of what they return."""

    def __init__(
        self,
        tools: Mapping[str, Tool],
        limits: Limits,
        scope: Scope,
        *,
        mask: Callable[[str], str],
        session: str | None = None,
    ) -> None:
        self._tools = tools
        self._limits = limits
        self._scope = scope
        self._mask = mask
        self._session = session
        self._held = Held()

    async def close(self) -> None:
        """Let go of what the calls shared; the run is over."""
        await self._held.aclose()

    async def execute(
        self, step: int, calls: Sequence[ToolCall], results: dict[str, ToolResult], *, in_order: bool = False
    ) -> AsyncGenerator[ToolCalled | ToolReturned | ToolLogged, None]:
        """Run `calls`, putting each result into `results` under its call id; `in_order` means one after the other.

        Raises:
            OutOfTime, Interrupted: the run is over; running tools were cancelled and waited for.
        """
        at_once = 1 if in_order else self._limits.max_parallel_tools
        waiting = deque(calls)
        running: dict[asyncio.Task[Timed], ToolCall] = {}
        begun = time.perf_counter()
        notices: asyncio.Queue[asyncio.Task[Timed] | ToolLogged] = asyncio.Queue()
        try:
            while waiting or running:
                while waiting and len(running) < at_once:
                    call = waiting.popleft()
                    yield ToolCalled(step=step, id=call.id, name=call.name, arguments=call.arguments)
                    task = asyncio.create_task(self._timed(call, _Log(step, call, notices, self._mask)))
                    task.add_done_callback(notices.put_nowait)
                    running[task] = call
                notice = await self._scope.wait(notices.get())
                if isinstance(notice, ToolLogged):
                    yield notice
                    continue
                call = running.pop(notice)
                result, seconds = _outcome(notice, call)
                results[call.id] = result
                yield ToolReturned(
                    step=step,
                    id=call.id,
                    name=call.name,
                    content=result.content,
                    is_error=result.is_error,
                    seconds=seconds,
                )
        except (OutOfTime, Interrupted):
            await _cancel(running)
            for call in running.values():
                yield _stopped(step, call, time.perf_counter() - begun)
            raise
        finally:
            await _cancel(running)

    async def _timed(self, call: ToolCall, log: "_Log") -> Timed:
        started = time.perf_counter()
        try:
            result = await self._call(call, log)
        finally:
            log.over = True
        return replace(result, content=self._mask(result.content)), time.perf_counter() - started

    async def _call(self, call: ToolCall, log: "_Log") -> ToolResult:
        if call.problem is not None:
            return ToolResult(content=call.problem, is_error=True)
        tool = self._tools.get(call.name)
        if tool is None:
            return ToolResult(content=self._unknown(call.name), is_error=True)
        seconds = self._limits.tool_timeout if tool.timeout is None else tool.timeout
        timer = asyncio.timeout(seconds)
        context = CallContext(
            id=call.id, session=self._session, deadline=self._scope.until(seconds), log=log.write, held=self._held
        )
        try:
            async with timer:
                return await tool.call(call.arguments or {}, context)
        except Exception as error:  # noqa: BLE001 - the border to every type of tool: none may end the run
            if timer.expired():
                told = f"did not finish within {seconds:g} s, so the run goes on without it"
            else:
                _log.debug("the call of tool %s raised", call.name, exc_info=error)
                told = f"failed: {_reason(error)}"
            return ToolResult(content=f"{call.name} {told}", is_error=True)

    def _unknown(self, name: str) -> str:
        if not self._tools:
            return f"there is no tool {name!r}: no tools are available, answer directly"
        close = get_close_matches(name, self._tools, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        return f"there is no tool {name!r}; the tools are: {', '.join(self._tools)}{hint}"


def _outcome(task: asyncio.Task[Timed], call: ToolCall) -> Timed:
    """What a call has come to; a tool may have cancelled the task it runs in."""
    if task.cancelled():
        return ToolResult(content=f"{call.name} was cancelled", is_error=True), 0.0
    return task.result()


def _reason(error: Exception) -> str:
    """The exception in a line of a bounded length."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - its author's code, which may fail too
        text = ""
    kind = type(error).__name__
    return f"{kind}: {text[:_MAX_REASON_CHARACTERS]}" if text else kind


def _stopped(step: int, call: ToolCall, seconds: float) -> ToolReturned:
    content = "stopped, because the run is over"
    return ToolReturned(step=step, id=call.id, name=call.name, content=content, is_error=True, seconds=seconds)


class _Log:
    """What one call tells while it runs, up to a bound."""

    def __init__(
        self,
        step: int,
        call: ToolCall,
        notices: "asyncio.Queue[asyncio.Task[Timed] | ToolLogged]",
        mask: Callable[[str], str],
    ) -> None:
        self.over = False
        self._step = step
        self._call = call
        self._notices = notices
        self._mask = mask
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._messages = MAX_LOG_MESSAGES
        self._characters = MAX_LOG_CHARACTERS

    def write(self, level: str, message: str) -> None:
        """Tell something; from any thread."""
        with self._lock:
            if self._characters <= 0 or self.over:
                return
            # Before it is cut: half a secret would not be found.
            shown = self._mask(message)[: self._characters]
            self._messages -= 1
            self._characters -= len(shown)
            if self._messages == 0:
                self._characters = 0
            is_last = self._characters == 0
        self._tell(level, shown)
        if is_last:
            self._tell("warning", "… (what the tool logs further is not shown)")

    def _tell(self, level: str, message: str) -> None:
        logged = ToolLogged(step=self._step, id=self._call.id, name=self._call.name, level=level, message=message)
        with suppress(RuntimeError):  # the loop is closed: the run is long over
            self._loop.call_soon_threadsafe(self._notices.put_nowait, logged)


async def _cancel(running: Mapping[asyncio.Task[Timed], ToolCall]) -> None:
    """Stop what still runs, so that nothing of a run happens after its end."""
    for task in running:
        task.cancel()
    if running:
        await asyncio.wait(running, timeout=GRACE_SECONDS)
