"""The inside of a tool's process: imports the tool, serves one call, and ends."""

import asyncio
import atexit
import io
import os
import queue
import re
import sys
import threading
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import BinaryIO, NoReturn

from runner.engine.holding import Held
from runner.engine.messages import ToolResult
from runner.engine.ports import CallContext
from runner.environment import Secrets
from runner.tools.calling import in_new_thread, runs_on_loop
from runner.tools.failures import ToolLoadError
from runner.tools.isolated.endings import too_much_memory
from runner.tools.isolated.lifeline import tied_while_reading_nothing
from runner.tools.isolated.limits import limit_cpu, limit_memory
from runner.tools.isolated.protocol import (
    Call,
    Failed,
    Logged,
    Ready,
    Reply,
    Request,
    Returned,
    Setup,
    encoded,
    read_request,
)
from runner.tools.python import PythonTool, open_python_tool

# How a failed allocation looks in a tool's error; numpy has a kind of its own.
_OUT_OF_MEMORY = re.compile(r"\b\w*MemoryError\b")
_MAX_LOG_CHARS = 10_000

_Task = Callable[[], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Wire:
    """The two pipes to the runner."""

    requests: BinaryIO
    replies: BinaryIO
    lock: threading.Lock

    def read(self) -> Request | None:
        """The next message, None when the runner has gone."""
        line = self.requests.readline()
        return read_request(line) if line.endswith(b"\n") else None

    def send(self, reply: Reply) -> None:
        """Send a message; from any thread."""
        line = encoded(reply)
        with self.lock:
            self.replies.write(line)
            self.replies.flush()

    def log(self, level: str, message: str, secrets: Secrets) -> None:
        """Tell how the call is getting on; before it is cut, what it must not say is masked: half would be missed."""
        self.send(Logged(level=level, message=secrets.mask(message)[:_MAX_LOG_CHARS]))


def main() -> None:
    """Talk with the runner until the call is done or the runner has gone."""
    wire = _claim_streams()
    setup = wire.read()
    if not isinstance(setup, Setup):  # the runner has gone
        return
    _restore_python_path(setup.python_path)
    tool = _open(setup, wire)
    if tool is None:
        return
    call = wire.read()
    if isinstance(call, Call):
        with tied_while_reading_nothing(wire.requests.fileno()):
            _make(tool, call, setup, wire)
            _leave()


def _make(tool: PythonTool, call: Call, setup: Setup, wire: _Wire) -> None:
    """Make the call here in the main thread, whether the function is async or not: signals can be handled only here."""
    if runs_on_loop(tool.function):
        asyncio.run(_serve(tool, call, setup, wire))
        return
    tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
    in_main = replace(tool, start=lambda work, _name: tasks.put(work))

    def serve() -> None:
        try:
            asyncio.run(_serve(in_main, call, setup, wire))
        finally:
            tasks.put(None)

    in_new_thread(serve, "runner")
    while (task := tasks.get()) is not None:
        task()


def _leave() -> NoReturn:
    """End after the exit functions; taking the interpreter down would double the time of a short call."""
    atexit._run_exitfuncs()  # noqa: SLF001 - there is no public way to run them without the teardown
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # the tool may have closed or removed them
            stream.flush()
    os._exit(0)


def _claim_streams() -> _Wire:
    """Take the pipes for ourselves, before any code of the tool runs: what it prints goes where its stderr goes."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
    return _Wire(requests=requests, replies=replies, lock=threading.Lock())


def _restore_python_path(value: str | None) -> None:
    """Processes that the tool starts may be of another Python, which our modules would break."""
    if value is None:
        os.environ.pop("PYTHONPATH", None)
    else:
        os.environ["PYTHONPATH"] = value


def _open(setup: Setup, wire: _Wire) -> PythonTool | None:
    """Import the tool and tell the runner about it."""
    most = setup.isolation.max_memory
    settings = {key: value for key, value in setup.spec.settings.items() if key != "isolation"}
    if most is not None:
        limit_memory(most)
    # Elsewhere than on Linux only a thread can watch the pipe, and it would eat the call.
    tie = tied_while_reading_nothing(wire.requests.fileno()) if sys.platform == "linux" else nullcontext()
    reply: Ready | Failed
    tool: PythonTool | None = None
    with tie:
        try:
            tool = open_python_tool(
                replace(setup.spec, settings=settings),
                setup.project,
                max_result_chars=setup.max_result_chars,
                environ=setup.variables,
            )
            reply = Ready(description=tool.definition.description, parameters=tool.definition.parameters)
        except ToolLoadError as error:
            reply = Failed(message=str(error))
            if most is not None and _OUT_OF_MEMORY.search(str(error)):
                reply = Failed(message=f"{too_much_memory(most)} while it was imported")
    wire.send(reply)
    return tool


async def _serve(tool: PythonTool, call: Call, setup: Setup, wire: _Wire) -> None:
    isolation = setup.isolation
    if isolation.max_cpu is not None:
        limit_cpu(isolation.max_cpu)
    deadline = asyncio.get_running_loop().time() + call.seconds
    log = partial(wire.log, secrets=Secrets(tool.secrets))
    context = CallContext(id=call.id, session=call.session, deadline=deadline, log=log, held=Held())
    try:
        result = await tool.call(call.arguments, context)
    except MemoryError:  # our own part of the call had no room left
        result = ToolResult(content="MemoryError", is_error=True)
    if isolation.max_memory is not None and result.is_error and _OUT_OF_MEMORY.match(result.content):
        result = ToolResult(content=too_much_memory(isolation.max_memory), is_error=True)
    # Before the loop is closed, which may wait for what the tool left running.
    wire.send(Returned(content=result.content, is_error=result.is_error))
