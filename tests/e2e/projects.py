"""Small projects for the end-to-end tests, written to a folder."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

TOOLS = '''
def add(a: int, b: int) -> int:
    """Add two numbers.

    Args:
        a: The first.
        b: The second.
    """
    return a + b


async def fail(reason: str) -> str:
    """Fail for a reason."""
    raise ValueError(reason)
'''

TOOLSET = """
version: "1"
kind: toolset
tools:
  - {name: add, type: python, function: "sums:add"}
  - {name: fail, type: python, function: "sums:fail"}
"""


def project(folder: Path, agent: str) -> Path:
    """A project with the tools `add` and `fail`; gives the agent's file, `agents.d/tested.yaml`."""
    files = {
        "tools.d/sums.py": TOOLS,
        "tools.d/sums.yaml": TOOLSET,
        "agents.d/tested.yaml": dedent(agent),
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "agents.d" / "tested.yaml"


def runner(
    *arguments: str | Path, cwd: Path, environment: Mapping[str, str] | None = None, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run the command as a person would; without the keys of whoever runs the tests."""
    clean = {key: value for key, value in os.environ.items() if not key.endswith(("_API_KEY", "_API_BASE"))}
    return subprocess.run(
        [sys.executable, "-m", "runner", *map(str, arguments)],
        cwd=cwd,
        env={**clean, **(environment or {})},
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )
