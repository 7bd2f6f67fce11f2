"""Tools in processes of their own that break out, flood or forge: nothing of it reaches the run."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from runner.engine.ports import Tool
from runner.tools.isolated.protocol import Logged, Returned, read_reply
from tests.tools.isolated.conftest import Bench, ends, linux, state, written

pytestmark = linux
SECRET = "s3cret-token"


@pytest.mark.parametrize("wait", [0, 60], ids=["after a result", "at the timeout"])
async def test_a_child_that_leaves_the_process_group_ends_with_the_call(
    bench: Bench, tmp_path: Path, wait: float
) -> None:
    file = tmp_path / "pid"
    tool = bench.open(
        "import os, time\n"
        "def tool(wait: float) -> str:\n"
        "    if os.fork() == 0:\n"
        "        os.setpgid(0, 0)\n"
        f"        open({str(file)!r}, 'w').write(f'{{os.getpid()}}\\n')\n"
        "        time.sleep(600)\n"
        f"    while not os.path.exists({str(file)!r}): time.sleep(0.01)\n"
        "    time.sleep(wait)\n"
        "    return 'done'\n"
    )
    try:
        await bench.call(tool, seconds=2, wait=wait)
    except TimeoutError:
        assert wait

    assert ends(int(written(file)))


async def test_a_child_that_forks_again_and_again_is_outrun(bench: Bench, tmp_path: Path) -> None:
    file = tmp_path / "pids"
    tool = bench.open(
        "import os, time\n"
        "def tool() -> str:\n"
        "    for _ in range(20):\n"
        "        if os.fork() == 0:\n"
        "            os.setpgid(0, 0)\n"
        f"            with open({str(file)!r}, 'a') as out: out.write(f'{{os.getpid()}} ')\n"
        "            time.sleep(600)\n"
        "    time.sleep(0.5)\n"
        f"    with open({str(file)!r}, 'a') as out: out.write('\\n')\n"
        "    return 'done'\n"
    )
    assert (await bench.call(tool)).content == "done"

    assert all(ends(int(pid)) for pid in written(file).split())


def test_a_runner_whose_parent_ignores_ended_children_works(tmp_path: Path) -> None:
    code = (
        "import asyncio, pathlib, sys\n"
        "from tests.tools.isolated.conftest import Bench\n"
        "async def main():\n"
        "    bench = Bench(pathlib.Path(sys.argv[1]))\n"
        "    tool = bench.open('def tool(crash: bool) -> str:\\n"
        "    import os\\n    return os._exit(3) if crash else 1\\n')\n"
        "    print((await bench.call(tool, crash=False)).content)\n"
        "    print((await bench.call(tool, crash=True)).is_error)\n"
        "    await bench.held.aclose()\n"
        "asyncio.run(main())\n"
    )

    ended = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN),
    )

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "1\nTrue\n", "")


async def test_a_synchronous_tool_runs_in_the_main_thread(bench: Bench) -> None:
    tool = bench.open(
        "import signal, threading\n"
        "def tool() -> str:\n"
        "    signal.signal(signal.SIGALRM, signal.SIG_DFL)\n"
        "    return threading.current_thread().name\n"
    )

    assert (await bench.call(tool)).content == "MainThread"


async def test_a_synchronous_tool_that_gives_a_coroutine_works(bench: Bench) -> None:
    tool = bench.open("async def inner() -> int:\n    return 7\ndef tool() -> object:\n    return inner()\n")

    assert (await bench.call(tool)).content == "7"


def printing(bench: Bench, line: str) -> Tool:
    return bench.open(
        f"from runner import ToolContext\ndef tool(ctx: ToolContext) -> str:\n    {line}\n    return 'done'\n",
        env={"KEY": "${KEY}"},
        environ={"KEY": SECRET},
    )


@pytest.mark.parametrize("before", [0, 1990, 1995, 1999, 65_530, 65_536, 70_000])
async def test_no_part_of_a_secret_is_shown_where_a_printed_line_is_cut(bench: Bench, before: int) -> None:
    tool = printing(bench, f"print('p' * {before} + ctx.secrets['KEY'])")
    await bench.call(tool)

    shown = "".join(text for _, text in bench.logs)
    assert "s3" not in shown
    assert "to" not in shown.replace("bytes or more", "")


@pytest.mark.parametrize("before", [0, 9_990, 9_995, 9_999])
async def test_no_part_of_a_secret_is_shown_where_a_message_is_cut(bench: Bench, before: int) -> None:
    tool = printing(bench, f"ctx.log.info('p' * {before} + ctx.secrets['KEY'])")
    await bench.call(tool)

    assert "s3" not in "".join(text for _, text in bench.logs)


async def test_a_long_printed_line_is_shown_by_its_beginning(bench: Bench) -> None:
    await bench.call(bench.open("def tool() -> None:\n    print('x' * 3000)\n    print('next')\n"))

    assert bench.logs == [("debug", "x" * 2000 + "…"), ("debug", "next")]


async def test_a_line_without_end_does_not_fill_the_memory_and_the_next_one_is_shown(bench: Bench) -> None:
    await bench.call(bench.open("def tool() -> None:\n    print('x' * 1_000_000)\n    print('next')\n"))

    assert bench.logs == [("debug", "… (a line of 65,536 bytes or more was printed)"), ("debug", "next")]


async def test_a_flood_of_messages_is_not_kept(bench: Bench) -> None:
    tool = bench.open(
        "from runner import ToolContext\n"
        "def tool(ctx: ToolContext) -> str:\n"
        "    for number in range(5000): ctx.log.info(str(number))\n"
        "    return 'done'\n"
    )

    assert (await bench.call(tool)).content == "done"
    assert len(bench.logs) == 1001


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        ({"Logged": {"level": "\x1b[31mEVIL", "message": "a\ud800b"}}, Logged(level="info", message="a?b")),
        ({"Returned": {"content": "\ud800", "is_error": False}}, Returned(content="?", is_error=False)),
    ],
)
def test_a_forged_line_holds_nothing_that_cannot_be_shown(line: object, reply: object) -> None:
    assert read_reply(json.dumps(line).encode()) == reply


async def test_what_a_tool_writes_into_our_pipe_ends_with_its_process(bench: Bench, tmp_path: Path) -> None:
    tool = bench.open(
        "import os\n"
        f"def tool() -> str:\n    open({str(tmp_path / 'pid')!r}, 'w').write(f'{{os.getpid()}}\\n')\n"
        "    for fd in range(3, 30):\n"
        '        try: os.write(fd, b\'{"Logged": {"level": "\\\\u001b[31m", "message": "forged"}}\\n\')\n'
        "        except OSError: pass\n"
        "    return 'real'\n"
    )
    result = await bench.call(tool)

    assert result.content == "real"
    assert set(bench.logs) == {("info", "forged")}
    assert state(int(written(tmp_path / "pid"))) == ""
