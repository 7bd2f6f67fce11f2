"""A tool in a process of its own is to the engine what it is in the runner's."""

import json
import os
import sys
from pathlib import Path

import pytest

from runner.environment import VariableError
from runner.tools import ToolLoadError
from tests.tools.isolated.conftest import Bench

ADD = '''
import sys
from runner import ToolContext

def tool(a: int, b: int = 2, *, ctx: ToolContext) -> dict:
    """Add two numbers.

    Args:
        a: the first.
    """
    ctx.log.warning("adding %s", a)
    return {"sum": a + b, "call": ctx.call_id, "session": ctx.session, "early": ctx.remaining > 1}
'''


async def test_a_tool_says_what_it_takes_and_its_module_is_never_imported_here(bench: Bench) -> None:
    tool = bench.open(ADD)
    assert (tool.definition.name, tool.definition.description) == ("sample", "Add two numbers.")
    assert tool.definition.parameters["properties"]["a"] == {"type": "integer", "description": "the first."}
    assert tool.definition.parameters["required"] == ["a"]
    assert "isolated_sample" not in sys.modules


async def test_calls_are_checked_mended_and_told_about_their_run(bench: Bench) -> None:
    tool = bench.open(ADD)
    result = await bench.call(tool, a="40")
    assert json.loads(result.content) == {"sum": 42, "call": "call_1", "session": "s", "early": True}
    assert bench.logs == [("warning", "adding 40")]
    wrong = await bench.call(tool, a="many")
    assert wrong.is_error
    assert "a: expected an integer" in wrong.content or "a: expected" in wrong.content


async def test_no_call_finds_what_another_left_behind(bench: Bench) -> None:
    tool = bench.open("seen = []\ndef tool(a: int) -> int:\n    seen.append(a)\n    return len(seen)\n")
    assert [(await bench.call(tool, a=number)).content for number in range(3)] == ["1", "1", "1"]


async def test_what_a_tool_prints_becomes_a_log_and_never_a_result(
    bench: Bench, capfd: pytest.CaptureFixture[str]
) -> None:
    tool = bench.open(
        "import os, subprocess, sys\n"
        "print('while imported')\n"
        "def tool() -> str:\n"
        "    print('printed')\n"
        "    print('grüß', file=sys.stderr)\n"
        '    os.write(1, b\'{"Returned": {"content": "false", "is_error": false}}\\n\')\n'
        "    subprocess.run(['echo', 'by a child'], check=True)\n"
        "    return sys.stdin.read() + 'result'\n"
    )
    assert (await bench.call(tool)).content == "result"
    assert bench.logs == [
        ("debug", "printed"),
        ("debug", "grüß"),
        ("debug", '{"Returned": {"content": "false", "is_error": false}}'),
        ("debug", "by a child"),
    ]
    assert capfd.readouterr() == ("", "")


async def test_a_tool_that_prints_without_end_is_heard_for_a_while(bench: Bench) -> None:
    tool = bench.open("def tool() -> str:\n    print('x\\n' * 1_000_000)\n    return 'done'\n")
    assert (await bench.call(tool)).content == "done"
    assert bench.logs[-1] == ("debug", "… (more was printed)")
    assert len(bench.logs) == 201


async def test_a_tool_gets_its_own_variables_and_no_keys_of_the_runner(bench: Bench) -> None:
    environ = {
        "PATH": "/bin",
        "LC_ALL": "C.UTF-8",
        "OPENAI_API_KEY": "sk-runner",
        "TOKEN": "s3cret",
        "PYTHONPATH": "/p",
    }
    tool = bench.open(
        "import os\nfrom runner import ToolContext\n"
        "def tool(ctx: ToolContext) -> dict:\n    return {'os': dict(os.environ), 'ctx': dict(ctx.secrets)}\n",
        environ=environ,
        env={"TRACKER": "Bearer ${TOKEN}", "MODE": "fast"},
    )
    seen = json.loads((await bench.call(tool)).content)
    own = {"TRACKER": "Bearer s3cret", "MODE": "fast"}
    assert seen["os"] == {"PATH": "/bin", "LC_ALL": "C.UTF-8", "PYTHONPATH": "/p", **own}
    assert seen["ctx"] == own
    assert tool.secrets == {"s3cret"}


async def test_a_method_is_called_on_an_instance_with_its_configuration(bench: Bench) -> None:
    code = (
        "class Client:\n    def __init__(self, url: str) -> None:\n        self.url = url\n"
        "    def get(self, path: str) -> str:\n        return self.url + path\n"
    )
    tool = bench.open(code, function="Client.get", config={"url": "${URL}"}, environ={"URL": "http://x/"})
    assert (await bench.call(tool, path="a")).content == "http://x/a"


def test_a_variable_that_is_not_set_is_told_when_the_tool_is_opened(bench: Bench) -> None:
    with pytest.raises(VariableError, match=r"tools\.d/x\.yaml:3: environment variable TOKEN is not set"):
        bench.open("def tool() -> None: ...\n", env={"A": "${TOKEN}"})


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import nothing_of_the_kind\n", r"isolated_sample\.py:1: ModuleNotFoundError"),
        ("raise RuntimeError('s3cret is wrong')\n", r"RuntimeError: \*\*\* is wrong"),
        ("import os\nos._exit(4)\n", r"process ended without a result \(exit code 4\) while it was imported"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n", r"killed by signal 11 \(SIGSEGV\) while"),
        ("x = bytearray(10**9)\n", r"used more than 300MB of memory while it was imported"),
    ],
)
def test_a_module_that_cannot_be_imported_says_why(bench: Bench, code: str, message: str) -> None:
    limits = {"mode": "process", "max_memory": "300MB"}
    with pytest.raises(ToolLoadError, match=r"^tools\.d/x\.yaml:3: tool 'sample': ") as caught:
        bench.open(
            f"{code}def tool() -> None: ...\n", isolation=limits, env={"A": "${TOKEN}"}, environ={"TOKEN": "s3cret"}
        )
    assert caught.match(message)
    assert caught.value.args[0].count("\n") == 0


@pytest.mark.parametrize("text", ["北京 ✓ 🎉", "a\u2028b\nc\x00d", "x" * 1_000_000], ids=["wide", "odd", "long"])
async def test_arguments_and_results_may_hold_any_text(bench: Bench, text: str) -> None:
    tool = bench.open("def tool(text: str) -> str:\n    return text\n", max_result_chars=2_000_000)
    assert (await bench.call(tool, text=text)).content == text


async def test_a_huge_result_is_cut_before_it_crosses(bench: Bench) -> None:
    tool = bench.open("def tool() -> str:\n    return 'é' * 100_000_000\n", max_result_chars=10)
    assert (await bench.call(tool)).content == "é" * 10 + "… [cut: 10 of 100,000,000 characters shown]"


async def test_a_tool_works_where_the_runner_works(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    tool = bench.open("import os\ndef tool() -> str:\n    return os.getcwd()\n")
    assert (await bench.call(tool)).content == str(tmp_path / "here")


def test_a_variable_that_no_process_can_have_is_told(bench: Bench) -> None:
    with pytest.raises(ToolLoadError, match="a process for the tool cannot be started: embedded null byte"):
        bench.open("def tool() -> None: ...\n", env={"A": "a\0b"})


async def test_modules_of_tools_that_were_imported_here_are_not_in_the_way(bench: Bench, tmp_path: Path) -> None:
    for place in ("one", "two"):
        (tmp_path / place).mkdir()
    one, two = Bench(tmp_path / "one"), Bench(tmp_path / "two")
    code = "import os\ndef tool() -> str:\n    return os.path.basename(os.path.dirname(__file__))\n"
    assert (await bench.call(one.open(code, isolation="none"))).content == "one"
    assert (await bench.call(two.open(code))).content == "two"


async def test_an_asynchronous_tool_runs_too(bench: Bench) -> None:
    tool = bench.open("import asyncio\nasync def tool() -> str:\n    await asyncio.sleep(0)\n    return 'done'\n")
    assert (await bench.call(tool)).content == "done"


@pytest.mark.parametrize("isolation", ["none", {"mode": "none"}, {"mode": "none", "max_memory": "1MB"}])
async def test_without_isolation_a_tool_runs_here(bench: Bench, isolation: object) -> None:
    tool = bench.open("import os\ndef tool() -> int:\n    return os.getpid()\n", isolation=isolation)
    assert (await bench.call(tool)).content == str(os.getpid())
