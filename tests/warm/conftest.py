"""Warm processes in folders of their own."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType

import pytest

from runner.warm import control
from tests.warm.small import MODULE

ROOT = Path(__file__).parents[2]
SMALL = (sys.executable, "-m", MODULE, "run")
# Carries out its arguments in a process that can be in a sandbox.
WITHOUT_NEW_PRIVILEGES = (
    "import ctypes, os, sys; ctypes.CDLL(None).prctl(38, 1, 0, 0, 0); os.execv(sys.argv[1], sys.argv[1:])"
)
NOTHING: Mapping[str, str] = MappingProxyType({})


if sys.platform != "linux":
    collect_ignore_glob = ["test_*.py"]


class Warm:
    """A folder for a warm process, and commands that look there.

    Attributes:
        folder: stands for XDG_RUNTIME_DIR.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._started: list[subprocess.Popen[str]] = []
        self._before = 0

    def environ(self, more: Mapping[str, str] = NOTHING) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name != "RUNNER_WARM"}
        return {**kept, "PYTHONPATH": str(ROOT), "XDG_RUNTIME_DIR": str(self.folder), **more}

    def start(self, *, idle: float = 60.0, env: Mapping[str, str] = NOTHING, first: str = "") -> control.State:
        """Start it as `runner warm start` does, after a line of bash."""
        code = (
            "import dataclasses, json; from runner.warm import control\n"
            f"print(json.dumps(dataclasses.asdict(control.start({MODULE!r}, idle={idle})[0])))"
        )
        done = self.call("bash", "-c", f'{first}\nexec "$@"', "bash", sys.executable, "-c", code, env=env)
        assert done.returncode == 0, done.stderr
        return control.State(**json.loads(done.stdout))

    def call(
        self, *command: str, env: Mapping[str, str] = NOTHING, text: str = "", cwd: Path = ROOT
    ) -> "subprocess.CompletedProcess[str]":
        """Run a command to its end."""
        return subprocess.run(
            command,
            cwd=cwd,
            env=self.environ(env),
            input=text,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            timeout=60,
            check=False,
        )

    def begin(self, *command: str, env: Mapping[str, str] = NOTHING) -> "subprocess.Popen[str]":
        """Start a command in a process group of its own, as shells do; it ends with the test."""
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=self.environ(env),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,
        )
        self._started.append(process)
        return process

    def end(self) -> None:
        """Leave nothing behind."""
        for process in self._started:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate(timeout=20)

    def look(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Look there in this process, too, and count runs from here on."""
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(self.folder))
        state = control.state()
        self._before = state.runs if state else 0

    def runs(self) -> int:
        """How many runs the warm process has begun in this test."""
        state = control.state()
        assert state is not None
        return state.runs - self._before


@contextmanager
def warm_folder() -> Iterator[Warm]:
    with tempfile.TemporaryDirectory(prefix="warm") as folder:  # short: the path of a socket has 107 bytes
        made = Warm(Path(folder))
        yield made
        made.end()
        made.call(sys.executable, "-c", "from runner.warm import control; control.stop()")


@pytest.fixture
def warm(monkeypatch: pytest.MonkeyPatch) -> Iterator[Warm]:
    """A folder in which no warm process has been started yet."""
    with warm_folder() as made:
        made.look(monkeypatch)
        yield made
