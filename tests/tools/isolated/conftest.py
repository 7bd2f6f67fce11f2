"""Opens tools that run in processes of their own, and looks at what becomes of these."""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from runner.engine.holding import Held
from runner.engine.messages import ToolResult
from runner.engine.ports import CallContext, Tool
from runner.spec import ProjectSpec, ToolSpec
from runner.tools import open_tool

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def state(pid: int) -> str:
    """`R`, `S`, …; `Z` for a zombie, and nothing when there is no such process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return stat.rpartition(")")[2].split()[0]


def ends(pid: int, within: float = 5.0) -> bool:
    """Whether a process that is not our child has ended; who reaps it then is not ours to say."""
    end = time.monotonic() + within
    while state(pid) not in ("", "Z"):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def written(file: Path, within: float = 10.0) -> str:
    """What another process writes into a file."""
    end = time.monotonic() + within
    while not (file.is_file() and file.read_text().endswith("\n")):
        assert time.monotonic() < end, f"{file.name} was never written"
        time.sleep(0.01)
    return file.read_text().strip()


class Bench:
    """A project of one module, and one run in which its tools are called."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.held = Held()
        self.logs: list[tuple[str, str]] = []

    def open(
        self,
        code: str,
        *,
        function: str = "tool",
        isolation: object = "process",
        environ: dict[str, str] | None = None,
        max_result_chars: int = 20_000,
        **settings: Any,
    ) -> Tool:
        """The function of a module with this code."""
        (self.root / "isolated_sample.py").write_text(code, encoding="utf-8")
        spec = ToolSpec(
            name="sample",
            type="python",
            settings={"function": f"isolated_sample:{function}", "isolation": isolation, **settings},
            folder=str(self.root),
            origin="tools.d/x.yaml:3",
        )
        project = ProjectSpec(root=str(self.root), tools_folder=str(self.root))
        environ = {"PATH": os.environ["PATH"]} if environ is None else environ
        return open_tool(spec, project, max_result_chars=max_result_chars, environ=environ)

    async def call(self, tool: Tool, *, seconds: float = 30, **arguments: Any) -> ToolResult:
        """Call it as the engine does."""
        deadline = asyncio.get_running_loop().time() + seconds
        context = CallContext(
            id="call_1",
            session="s",
            deadline=deadline,
            log=lambda level, text: self.logs.append((level, text)),
            held=self.held,
        )
        async with asyncio.timeout(seconds):
            return await tool.call(arguments, context)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    """One run, whose processes end with it."""
    made = Bench(tmp_path)
    yield made
    await made.held.aclose()
