"""Opening tools in a process of their own: whatever a module does, it is told, and the others are still opened."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from runner.language.imports import Opened, Opening
from runner.spec import Json, ProjectSpec, ToolSpec
from runner.tools.probe.process import open_apart

Write = Callable[..., Path]

FINE = "def tool(n: int = 1) -> int: 'Give it back.'\n"


def opening(root: Path, function: str, *examples: dict[str, Json], **settings: Json) -> Opening:
    spec = ToolSpec(
        name="t",
        type="python",
        settings={"function": function, **settings},
        folder=str(root),
        origin="tools.d/x.yaml:3",
    )
    return Opening(spec=spec, project=ProjectSpec(root=str(root), tools_folder=str(root)), examples=examples)


def test_a_tool_that_can_be_opened_has_no_problem(write: Write) -> None:
    assert open_apart([opening(write("a", fine=FINE), "fine:tool")]) == [Opened()]


@pytest.mark.parametrize("text", ["def tool(): ...\n", "def tool(): '  '\n"])
def test_a_tool_that_tells_a_model_nothing_is_noticed(write: Write, text: str) -> None:
    assert open_apart([opening(write("a", silent=text), "silent:tool")]) == [Opened(described=False)]


def test_no_tools_need_no_process() -> None:
    assert open_apart([]) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1 / 0\n", "bad.py:1: ZeroDivisionError: division by zero"),
        ("import os\nos._exit(7)\n", "ended without a result (exit code 7) while it was imported"),
        ("import os\nos.kill(os.getpid(), 11)\n", "killed by signal 11 (SIGSEGV) while it was imported"),
        ("raise SystemExit(4)\n", "the module called exit(4) while it was being imported"),
        ("def tool(x: 'Missing'): ...\n#", "parameter 'x' has the annotation 'Missing'"),
        ("class tool:\n    def __init__(self, x: type): ...\n#", "'x' has a type that JSON has no values for"),
    ],
)
def test_what_one_module_does_is_told_and_the_next_is_opened(write: Write, text: str, told: str) -> None:
    root = write("a", bad=text + FINE, fine=FINE)

    bad, again, fine = open_apart([opening(root, name) for name in ("bad:tool", "bad:tool", "fine:tool")])

    assert bad.problem is not None
    assert told in bad.problem
    assert again.problem == bad.problem
    assert fine == Opened()


def test_a_module_that_hangs_is_given_up(write: Write) -> None:
    root = write("a", hangs="import time\ntime.sleep(600)\n" + FINE, fine=FINE)
    started = time.monotonic()

    hangs, again, fine = open_apart([opening(root, f"{name}:tool") for name in ("hangs", "hangs", "fine")], seconds=3)

    assert hangs.problem == again.problem == "its module was not imported within 3 s"
    assert fine == Opened()
    assert time.monotonic() - started < 30


def test_what_a_module_prints_and_reads_disturbs_nobody(write: Write, capfd: pytest.CaptureFixture[str]) -> None:
    noisy = (
        "import os, sys\nprint('out')\nos.write(1, b'out')\nsys.stderr.write('err')\nassert sys.stdin.read() == ''\n"
    )

    assert open_apart([opening(write("a", noisy=noisy + FINE), "noisy:tool")]) == [Opened()]
    assert capfd.readouterr() == ("", "")


def test_a_thread_that_a_module_leaves_does_not_keep_the_process(write: Write) -> None:
    text = "import threading, time\nthreading.Thread(target=time.sleep, args=[600]).start()\n"

    assert open_apart([opening(write("a", threads=text + FINE), "threads:tool")]) == [Opened()]


def test_a_process_that_a_module_starts_is_ended_too(write: Write, tmp_path: Path) -> None:
    text = "import subprocess\nchild = subprocess.Popen(['sleep', '600'])\n"
    told = f"open('{tmp_path}/pid', 'w').write(str(child.pid))\n"

    open_apart([opening(write("a", starts=text + told + FINE), "starts:tool")])

    pid = int((tmp_path / "pid").read_text())
    end = time.monotonic() + 20
    while _runs(pid) and time.monotonic() < end:
        time.sleep(0.01)
    assert not _runs(pid)


def _runs(pid: int) -> bool:
    """Whether it is there, and not only waits to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_projects_with_modules_of_the_same_name_are_kept_apart(write: Write) -> None:
    first, second = write("a", same=FINE), write("b", same="raise ValueError('b')\n" + FINE)

    problems = [each.problem for each in open_apart([opening(root, "same:tool") for root in (first, second)])]

    assert problems == [None, "same.py:1: ValueError: b"]


def test_arguments_of_examples_are_held_against_the_real_signature(write: Write) -> None:
    tool = opening(write("a", fine=FINE), "fine:tool", {"n": 3}, {}, {"n": "many"}, {"m": 1})

    assert open_apart([tool]) == [
        Opened(
            examples={
                2: 'n: expected a valid integer, found "many"',
                3: "m: there is no such argument",
            }
        )
    ]


def test_a_variable_that_is_not_set_is_no_mistake_of_the_tool(write: Write) -> None:
    assert "SURELY_UNSET" not in os.environ
    tool = opening(write("a", fine=FINE), "fine:tool", env={"KEY": "${SURELY_UNSET}"})

    (opened,) = open_apart([tool])

    assert opened.unset
    assert opened.problem is not None
    assert opened.problem.startswith("environment variable SURELY_UNSET is not set")
