"""However the runner ends, no process of a tool is left, and a Ctrl-C is heard."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.tools.isolated.conftest import ends, linux, written

pytestmark = linux

ROOT = Path(__file__).parents[3]
# Calls into C that never let go of the interpreter, so no thread of the process can do anything.
ENDLESS = """
import json, os, subprocess
def begin():
    child = subprocess.Popen(["sleep", "600"])
    with open({file!r}, "w") as file:
        file.write(json.dumps([os.getpid(), child.pid]) + "\\n")
    sum(range(10**12))
"""
Start = Callable[[str], subprocess.Popen[bytes]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts the driver with a module of this code below `begin`, which never ends."""
    started: list[subprocess.Popen[bytes]] = []

    def begin(code: str) -> subprocess.Popen[bytes]:
        source = ENDLESS.format(file=str(tmp_path / "pids")) + code
        (tmp_path / "endless_sample.py").write_text(source, encoding="utf-8")
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.tools.isolated.driver", str(tmp_path)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


CALLED = "def tool() -> None:\n    begin()\n"
IMPORTED = "begin()\ndef tool() -> None: ...\n"


@pytest.mark.parametrize("code", [CALLED, IMPORTED], ids=["in a call", "in the import"])
def test_a_runner_that_is_killed_takes_the_processes_of_its_tools_along(
    start: Start, tmp_path: Path, code: str
) -> None:
    process = start(code)
    own, child = json.loads(written(tmp_path / "pids"))
    os.kill(process.pid, signal.SIGKILL)
    assert ends(own)
    assert ends(child)


@pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_ends_the_run_and_the_tool_at_once(
    start: Start, tmp_path: Path, number: signal.Signals, exit_code: int
) -> None:
    process = start(CALLED)
    own, child = json.loads(written(tmp_path / "pids"))
    started = time.monotonic()
    process.send_signal(number)
    _, err = process.communicate(timeout=20)
    seconds = time.monotonic() - started
    assert process.returncode == exit_code
    assert err.decode().splitlines()[-1] == "error: interrupted in step 1"
    assert ends(own)
    assert ends(child)
    assert seconds < 3.0  # a tenth of a second on a machine that has time for it
