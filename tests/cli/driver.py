"""A process that ends like `runner run`, with a scripted model: `python -m tests.cli.driver KIND OUTPUT [quiet]`."""

import asyncio
import ctypes
import logging
import os
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from pathlib import Path

from runner.agent import Agent
from runner.cli.endings import ending
from runner.cli.orders import Order
from runner.cli.running import run_alone
from runner.cli.streams import leave, prepare
from runner.engine.ports import Delta, ModelError, ModelReply, ModelRequest, RawToolCall
from runner.language.overrides import Override
from runner.models.scripted import Line, ScriptedModel
from runner.spec import Text, ToolSpec
from tests.cli.fakes import SPEC


async def endless(request: ModelRequest) -> str:
    """Never answer; say on stderr that the waiting has begun, and that it was ended."""
    os.write(2, b"asked\n")
    try:
        await asyncio.sleep(3600)
    finally:
        os.write(2, b"let go\n")
    return "never"


def deaf(request: ModelRequest) -> str:
    """Block the event loop, as an async tool that never awaits does."""
    os.write(2, b"asked\n")
    time.sleep(3600)
    return "never"


def noisy(request: ModelRequest) -> str:
    """Do what tools and libraries do to stdout."""
    print("noise: print")  # noqa: T201 - what tools do
    sys.stdout.write("noise: stdout\n")
    sys.stdout.buffer.write(b"noise: bytes\n")
    os.write(1, b"noise: descriptor\n")
    subprocess.run(["echo", "noise: child"], check=True)
    logging.getLogger().warning("noise: logging")
    warnings.warn("noise: warning", stacklevel=1)
    libc = ctypes.CDLL(None)
    libc.puts(b"noise: C")
    libc.fflush(None)
    return "Hello."


def leaking(request: ModelRequest) -> str:
    """Print what must not be shown, in the ways of Python."""
    key = os.environ["LEAKED_KEY"]
    print("print:", key)  # noqa: T201 - what tools do
    sys.stdout.writelines([f"lines: {key}\n"])
    sys.stderr.write(f"stderr: {key}\n")
    logging.getLogger().warning("logging: %s", key)
    return "Hello."


def chatty(request: ModelRequest) -> str:
    """Write more to stderr than a pipe holds."""
    for number in range(5_000):
        sys.stderr.write(f"{number} {'x' * 90}\n")
    return "Hello."


def busy(request: ModelRequest) -> str:
    """Leave threads behind, as tools do; neither kind may hold the process."""
    for daemon in (True, False):
        threading.Thread(target=time.sleep, args=[60], daemon=daemon).start()
    return "Hello."


def unavailable(request: ModelRequest) -> str:
    """Ask for a pause that the run's time allows."""
    os.write(2, b"asked\n")
    raise ModelError("scripted/model: rate limit (429)", transient=True, retry_after=100)


def calling(tool: str) -> ModelReply:
    """Call one of the tools of `waiting_tools`."""
    return ModelReply(tool_calls=(RawToolCall(id="1", name=tool, arguments="{}"),))


TOOLS = ("stuck", "waiting")
KINDS: dict[str, Line] = {
    **{tool: calling(tool) for tool in TOOLS},
    "unavailable": unavailable,
    "endless": endless,
    "deaf": deaf,
    "noisy": noisy,
    "leaking": leaking,
    "chatty": chatty,
    "busy": busy,
    "big": "x" * 1_000_000,
    "emoji": "✓ 🎉 a\ud83db",
}


class Flooding(ScriptedModel):
    """A model that never stops answering."""

    async def ask(self, request: ModelRequest) -> AsyncGenerator[Delta | ModelReply, None]:
        """Say much, again and again."""
        os.write(2, b"asked\n")
        while True:
            yield Delta(text="x" * 10_000)
            await asyncio.sleep(0.005)


class Halting(ScriptedModel):
    """A model that stops in the middle of its answer until stdin is closed."""

    async def ask(self, request: ModelRequest) -> AsyncGenerator[Delta | ModelReply, None]:
        """Say half of the answer, wait, and say the rest."""
        if request.stream:
            yield Delta(text="It is ")
            await asyncio.to_thread(sys.stdin.read)
            yield Delta(text="five.")
        yield ModelReply(text="It is five.", finish_reason="stop")


def main(kind: str, output: str, *more: str) -> None:
    """Run the agent of a kind and end the process."""
    prepare()
    settings = {"function": f"waiting_tools:{kind}"}
    tool = ToolSpec(name=kind, type="python", settings=settings, folder=str(Path(__file__).parent / "samples"))
    spec = replace(SPEC, tools=(tool,)) if kind in TOOLS else SPEC
    if kind == "flooding":
        spec = replace(spec, limits=replace(spec.limits, timeout=2.0))
    if kind == "leaking":
        key = Text(value="${LEAKED_KEY}", origin="clock.yaml:2")
        spec = replace(spec, model=replace(spec.model, api_key=key))
    special = {"halting": Halting, "flooding": Flooding}
    agent = Agent(spec, model=special[kind]() if kind in special else ScriptedModel([KINDS[kind]], retries=2))

    def load(path: Path, *, overrides: Sequence[Override] = ()) -> Agent:
        return agent

    order = Order(file=Path("agent.yaml"), text="Hi", output=output, quiet="quiet" in more)
    leave(ending(lambda: run_alone(order, load=load)))


if __name__ == "__main__":
    main(*sys.argv[1:])
