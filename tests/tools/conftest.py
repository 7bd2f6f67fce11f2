"""Opens tools from the sample modules and from small projects that a test writes."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from runner.engine.holding import Held
from runner.engine.ports import CallContext, Tool
from runner.spec import ProjectSpec, ToolSpec
from runner.tools import open_tool

SAMPLES = Path(__file__).parent / "samples"

Open = Callable[..., Tool]


def context(*, seconds: float = 60, log: Callable[[str, str], None] = lambda *_: None) -> CallContext:
    """What a call may know of its run; to be made inside an event loop."""
    deadline = asyncio.get_running_loop().time() + seconds
    return CallContext(id="call_1", session=None, deadline=deadline, log=log, held=Held())


def open_in(
    root: Path,
    function: str,
    *,
    max_result_chars: int = 20_000,
    environ: Mapping[str, str] | None = None,
    **declared: Any,
) -> Tool:
    """A tool of a project whose tools.d is its root."""
    project = ProjectSpec(root=str(root), tools_folder=str(root))
    settings = {"function": function}
    spec = ToolSpec(
        name="sample", type="python", settings=settings, folder=str(root), origin="tools.d/x.yaml:3", **declared
    )
    return open_tool(spec, project, max_result_chars=max_result_chars, environ=environ or {})


@pytest.fixture
def sample() -> Open:
    """Opens a function of samples/sample_tools.py."""

    def opened(function: str, **declared: Any) -> Tool:
        return open_in(SAMPLES, f"sample_tools:{function}", **declared)

    return opened


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes a project: `write("a", tools="text of a/tools.py")`."""

    def written(folder: str, **modules: str) -> Path:
        root = tmp_path / folder
        for name, text in modules.items():
            file = root / (name.replace("__", "/") + ".py")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return root

    return written
