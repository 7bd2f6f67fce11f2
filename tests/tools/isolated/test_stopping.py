"""What happens in a tool's process stays there, and nothing of it outlives the call."""

import asyncio
import json
import os
import signal
import time
from pathlib import Path

import pytest

from runner.environment import Secrets
from runner.spec import ProjectSpec, ToolSpec
from runner.tools import ToolLoadError
from runner.tools.isolated.process import ToolProcess
from runner.tools.isolated.protocol import Setup
from runner.tools.isolated.settings import Isolation
from runner.tools.isolated.surroundings import module_path
from tests.tools.isolated.conftest import Bench, ends, linux, state, written

pytestmark = linux


@pytest.mark.parametrize(
    ("body", "isolation", "message"),
    [
        ("import os; os._exit(3)", {}, "the tool's process ended without a result (exit code 3)"),
        ("import ctypes; ctypes.string_at(0)", {}, "the tool's process was killed by signal 11 (SIGSEGV)"),
        (
            "import os; os.kill(os.getpid(), 9)",
            {},
            "the tool's process was killed by signal 9 (SIGKILL), perhaps because the system had no memory left",
        ),
        (
            "import os; os.abort()",
            {"max_memory": "1GiB"},
            "the tool's process was killed by signal 6 (SIGABRT); it may take at most 1GiB of memory",
        ),
        ("return len(bytearray(10**9))", {"max_memory": "512MB"}, "the tool's process used more than 512MB of memory"),
        ("x = []\n    while True: x.append('y' * 10_000_000)", {"max_memory": "256MB"}, None),
        ("sum(range(10**12))", {"max_cpu": "1s"}, "the tool's process used more than 1 s of processor time"),
        (
            "import os\n    for n in range(3, 30):\n        try: os.write(n, b'{}\\n')\n        except OSError: pass",
            {},
            None,
        ),
    ],
)
async def test_whatever_ends_a_process_is_an_error_of_the_call(
    bench: Bench, body: str, isolation: dict[str, str], message: str | None
) -> None:
    tool = bench.open(f"def tool() -> object:\n    {body}\n", isolation={"mode": "process", **isolation})
    result = await bench.call(tool)
    assert result.is_error
    if message is not None:
        assert result.content == message
    else:
        assert result.content.startswith("the tool's process ")


async def test_the_next_call_knows_nothing_of_a_crash(bench: Bench) -> None:
    tool = bench.open("import os\ndef tool(crash: bool) -> str:\n    return os._exit(3) if crash else 'well'\n")
    assert (await bench.call(tool, crash=True)).is_error
    assert (await bench.call(tool, crash=False)).content == "well"


HOLDING = {
    "a loop in C": "sum(range(10**12))",
    "a regular expression": "import re; re.match('(a+)+$', 'a' * 60 + 'b')",
    "ignored signals": "import signal, time; [time.sleep(9) for _ in iter(int, 1)]",
}


@pytest.mark.parametrize("body", HOLDING.values(), ids=HOLDING)
async def test_a_tool_that_never_lets_go_is_stopped_at_its_timeout(bench: Bench, tmp_path: Path, body: str) -> None:
    pid = tmp_path / "pid"
    top = "import os, signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" if "signal" in body else "import os\n"
    tool = bench.open(
        f"{top}def tool() -> None:\n    open({str(pid)!r}, 'w').write(f'{{os.getpid()}}\\n')\n    {body}\n"
    )
    started = time.monotonic()
    with pytest.raises(TimeoutError):
        await bench.call(tool, seconds=0.5)
    assert time.monotonic() - started < 5
    assert state(int(written(pid))) == ""  # not even a zombie is left


async def test_a_process_is_asked_to_end_before_it_is_killed(bench: Bench, tmp_path: Path) -> None:
    file = tmp_path / "bye"
    tool = bench.open(
        "import signal, time\n"
        f"def bye(*_):\n    open({str(file)!r}, 'w').write('bye\\n')\n    raise SystemExit\n"
        "signal.signal(signal.SIGTERM, bye)\n"
        "async def tool() -> None:\n    time.sleep(60)\n"
    )
    with pytest.raises(TimeoutError):
        await bench.call(tool, seconds=0.5)
    assert file.read_text() == "bye\n"


CHILD = (
    "import subprocess, sys, os, json, time\n"
    "def tool(wait: float = 0) -> dict:\n"
    "    child = subprocess.Popen(['sleep', '600'])\n"
    "    open({file!r}, 'w').write(json.dumps([os.getpid(), child.pid]) + '\\n')\n"
    "    time.sleep(wait)\n"
    "    return 'done'\n"
)


@pytest.mark.parametrize("wait", [0, 60])
async def test_children_of_a_tool_end_with_the_call(bench: Bench, tmp_path: Path, wait: float) -> None:
    tool = bench.open(CHILD.format(file=str(tmp_path / "pids")))
    try:
        await bench.call(tool, seconds=1, wait=wait)
    except TimeoutError:
        assert wait
    own, child = json.loads(written(tmp_path / "pids"))
    assert state(own) == ""
    assert ends(child)


async def test_a_daemon_that_holds_the_pipes_holds_nobody_up(bench: Bench, tmp_path: Path) -> None:
    file = tmp_path / "pid"
    tool = bench.open(
        "import os, time\n"
        "def tool() -> str:\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        f"        open({str(file)!r}, 'w').write(f'{{os.getpid()}}\\n')\n"
        "        time.sleep(20)\n"
        "        os._exit(0)\n"
        "    os._exit(5)\n"
    )
    result = await bench.call(tool, seconds=10)
    os.kill(int(written(file)), signal.SIGKILL)
    assert result.content == "the tool's process ended without a result (exit code 5)"


async def test_what_a_tool_leaves_running_in_its_process_holds_no_call_up(bench: Bench) -> None:
    tool = bench.open(
        "import threading, time\n"
        "def tool() -> str:\n    threading.Thread(target=time.sleep, args=[600]).start()\n    return 'done'\n"
    )
    assert (await bench.call(tool, seconds=10)).content == "done"


async def test_exit_functions_of_a_tool_get_their_turn(bench: Bench, tmp_path: Path) -> None:
    file = tmp_path / "left"
    tool = bench.open(
        f"import atexit, pathlib\natexit.register(pathlib.Path({str(file)!r}).touch)\n"
        "def tool() -> int:\n    return 1\n"
    )
    await bench.call(tool)
    assert file.exists()


async def test_the_end_of_a_run_ends_the_process_that_waits_for_a_next_call(bench: Bench) -> None:
    tool = bench.open("import os\ndef tool() -> int:\n    return os.getpid()\n")
    before = children()
    await bench.call(tool)
    assert len(children()) == len(before)  # the first one ended, and another waits
    await bench.held.aclose()
    assert len(children()) == len(before) - 1


def test_a_tool_that_is_never_called_leaves_no_process(bench: Bench) -> None:
    before = children()
    tool = bench.open("def tool() -> None: ...\n")
    assert len(children()) == len(before) + 1
    del tool
    assert len(children()) == len(before)


async def test_a_process_that_died_while_it_waited_is_replaced(bench: Bench) -> None:
    before = children()
    tool = bench.open("def tool() -> int:\n    return 1\n")
    (waiting,) = children() - before
    os.kill(waiting, signal.SIGKILL)
    assert ends(waiting)
    assert (await bench.call(tool)).content == "1"


async def test_calls_run_beside_each_other(bench: Bench) -> None:
    tool = bench.open("import os, time\ndef tool() -> int:\n    time.sleep(0.2)\n    return os.getpid()\n")
    results = await asyncio.gather(*(bench.call(tool) for _ in range(3)))
    assert len({result.content for result in results}) == 3


def test_an_import_that_hangs_is_given_up(tmp_path: Path) -> None:
    (tmp_path / "hanging_sample.py").write_text("import time\ntime.sleep(600)\ndef tool() -> None: ...\n")
    spec = ToolSpec(name="x", type="python", settings={"function": "hanging_sample:tool"}, folder=str(tmp_path))
    project = ProjectSpec(root=str(tmp_path), tools_folder=str(tmp_path))
    setup = Setup(spec=spec, project=project, isolation=Isolation(), max_result_chars=10)
    process = ToolProcess(setup, {"PYTHONPATH": module_path()}, Secrets())
    with pytest.raises(ToolLoadError, match=r"^its module was not imported within 0\.5 s$"):
        process.wait_until_ready(0.5)
    assert process.exited()


def children() -> set[int]:
    """The processes started by this one, zombies included."""
    tasks = Path(f"/proc/{os.getpid()}/task").iterdir()
    return {int(pid) for task in tasks for pid in (task / "children").read_text().split()}
