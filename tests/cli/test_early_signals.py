"""Signals while the command is starting, and while it reads its input: the right exit code and no traceback."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143)]


def begin(*arguments: str, cwd: Path, before: Sequence[Path] = ()) -> subprocess.Popen[bytes]:
    """Start `runner`; modules in the folders `before` are taken instead of the real ones."""
    path = os.pathsep.join(str(folder) for folder in (*before, ROOT))
    return subprocess.Popen(
        [sys.executable, "-m", "runner", *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_a_signal_while_modules_are_loaded_ends_the_process_at_once(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    # An import may swallow what a signal raises, so nothing is raised.
    swallowing = f"import os\ntry:\n    os.kill(os.getpid(), {number})\nexcept BaseException:\n    print('swallowed')\n"
    (tmp_path / "click.py").write_text(swallowing)
    process = begin("--help", cwd=tmp_path, before=[tmp_path])
    assert (*process.communicate(timeout=30), process.returncode) == (b"", b"", code)


AGENT = "name: a\nmodel: {name: hosted_vllm/x, api_base: 'http://127.0.0.1:9', api_key: none}\nprompt: '{{ input }}'\n"
READING = """\
import os, sys
class Buffer:
    def read(self):
        os.write(2, b"reading\\n")
        return sys.__stdin__.buffer.read()
class Stdin:
    buffer = Buffer()
sys.stdin = Stdin()
"""


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_a_signal_while_the_input_is_read_ends_the_process_with_one_line(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    (tmp_path / "agents.d").mkdir()
    (tmp_path / "agents.d" / "a.yaml").write_text(AGENT)
    (tmp_path / "early").mkdir()
    (tmp_path / "early" / "sitecustomize.py").write_text(READING)
    process = begin("run", "a", "-", "--output", "json", cwd=tmp_path, before=[tmp_path / "early"])
    assert process.stderr is not None
    assert process.stderr.readline() == b"reading\n"
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err.strip()) == (code, b"", b"error: interrupted")


def test_a_signal_that_the_parent_ignores_stays_ignored(tmp_path: Path) -> None:
    line = f"trap '' INT; exec {sys.executable} -m runner --version"
    (tmp_path / "click_of_death").mkdir()
    source = (
        "import importlib.machinery, os, signal, sys\n"
        "os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.path.remove(os.path.dirname(__file__))\n"
        "del sys.modules['click']\n"
        "import click\n"
    )
    (tmp_path / "click_of_death" / "click.py").write_text(source)
    path = f"{tmp_path / 'click_of_death'}{os.pathsep}{ROOT}"
    done = subprocess.run(
        ["bash", "-c", line], env={**os.environ, "PYTHONPATH": path}, capture_output=True, check=False, timeout=30
    )
    assert (done.returncode, done.stdout[:7], done.stderr) == (0, b"runner ", b"")


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_a_signal_ends_a_command_that_checks_tools_in_processes_of_their_own(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    (tmp_path / "tools.d").mkdir()
    (tmp_path / "agents.d").mkdir()
    (tmp_path / "agents.d" / "a.yaml").write_text("name: a\nmodel: openai/x\nprompt: hi\ntools: [slow]\n")
    tool = "kind: toolset\ntools: [{name: slow, type: python, function: 'slow:slow'}]\n"
    (tmp_path / "tools.d" / "slow.yaml").write_text(tool)
    begun = tmp_path / "begun"
    os.mkfifo(begun)
    module = f"import time\nopen({str(begun)!r}, 'w').close()\ntime.sleep(60)\ndef slow() -> str:\n    return ''\n"
    (tmp_path / "tools.d" / "slow.py").write_text(module)
    process = begin("validate", "--import", cwd=tmp_path)
    begun.read_bytes()
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err.strip()) == (code, b"", b"error: interrupted")
