"""Importing the code of tools: what is found, what is refused, and how failures are told."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from runner.tools import TOOL_TYPES, ToolLoadError
from tests.tools.conftest import SAMPLES, context, open_in

Write = Callable[..., Path]

TOOL = "def tool() -> str:\n    return {!r}\n"


async def result(root: Path, function: str) -> str:
    return (await open_in(root, function).call({}, context())).content


def error(root: Path, function: str) -> str:
    with pytest.raises(ToolLoadError) as raised:
        open_in(root, function)
    return str(raised.value)


async def test_a_module_can_import_the_files_beside_it(write: Write) -> None:  # field bug B93
    root = write(
        "a",
        beside_tools="from beside_help import answer\n\ndef tool(): return answer()\n",
        beside_help="def answer(): return 'helped'\n",
    )

    assert await result(root, "beside_tools:tool") == "helped"


async def test_a_module_may_lie_in_a_package(write: Write) -> None:
    root = write(
        "a",
        pack____init__="",
        pack__inner="from . import other\n\ndef tool(): return other.x\n",
        pack__other="x = 'inner'\n",
    )

    assert await result(root, "pack.inner:tool") == "inner"


async def test_two_projects_with_modules_of_the_same_names_work_in_one_process(write: Write) -> None:
    uses_help = "import same_help\n\ndef tool(): return same_help.x\n\ndef other(): return same_help.x + '!'\n"
    first = write("a", same_tools=uses_help, same_help="x = 'first'\n")
    second = write("b", same_tools=uses_help, same_help="x = 'second'\n")

    tools = [
        open_in(root, f"same_tools:{name}")
        for root, name in [(first, "tool"), (second, "tool"), (first, "other"), (second, "other")]
    ]

    assert [(await tool.call({}, context())).content for tool in tools] == ["first", "second", "first!", "second!"]


async def test_tools_of_one_module_share_its_state(write: Write) -> None:
    root = write("a", state_tools="seen = []\n\ndef put(): seen.append(1)\n\ndef count(): return len(seen)\n")
    put, count = open_in(root, "state_tools:put"), open_in(root, "state_tools:count")

    await put.call({}, context())

    assert (await count.call({}, context())).content == "1"


async def test_a_file_written_a_moment_ago_is_found(write: Write) -> None:
    root = write("a", fresh_one=TOOL.format("one"))
    await result(root, "fresh_one:tool")
    write("a", fresh_two=TOOL.format("two"))

    assert await result(root, "fresh_two:tool") == "two"


async def test_files_named_like_known_modules_shadow_nothing(write: Write) -> None:
    root = write(
        "a",
        shadow_tools="import json, yaml\n\ndef tool(): return json.dumps([yaml.__name__])\n",
        json="raise RuntimeError('not me')\n",
        yaml="raise RuntimeError('nor me')\n",
    )

    assert await result(root, "shadow_tools:tool") == '["yaml"]'


def test_a_module_that_python_would_import_from_elsewhere_is_refused_and_not_run(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write("a", taken_tools=TOOL.format("right"))
    other = write("elsewhere", taken_tools="raise RuntimeError('must not run')\n")
    monkeypatch.syspath_prepend(str(other))

    message = error(root, "taken_tools:tool")

    assert f"'taken_tools' should be taken_tools.py, but Python imports {other / 'taken_tools.py'}" in message


def test_the_standard_library_and_other_packages_are_refused(write: Write) -> None:
    root = write("a", some=TOOL.format(""))

    assert "standard library" in error(root, "os:getcwd")
    assert "not allowed here" in error(root, "pydantic:BaseModel")


def test_a_module_that_does_not_exist_is_told_with_the_places_looked_at(write: Write) -> None:
    root = write("a", weather_tools=TOOL.format(""))

    message = error(root, "wether_tools:tool")

    assert message.startswith("tools.d/x.yaml:3: tool 'sample': module 'wether_tools' not found: looked for")
    assert message.endswith("did you mean 'weather_tools'?")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("import nowhere_at_all\n", "broken.py:1: ModuleNotFoundError: No module named 'nowhere_at_all'"),
        ("from broken_beside import gone\n", "broken.py:1: ImportError: cannot import name 'gone'"),
        ("\n\n1 / 0\n", "broken.py:3: ZeroDivisionError: division by zero"),
        ("from broken_beside import fail\nfail()\n", "broken_beside.py:2: ValueError: two lines"),
        ("import broken_syntax\n", "broken_syntax.py:2: SyntaxError: "),
        ("import sys\nsys.exit(4)\n", "broken.py:2: the module called exit(4) while it was being imported"),
        ("quit()\n", "broken.py:1: the module called exit() while it was being imported"),
        ("class E(Exception):\n    pass\nraise E\n", "broken.py:3: E"),
        ("exec('raise ValueError(1)')\n", "broken.py:1: ValueError: 1"),
    ],
)  # fmt: skip
def test_what_a_module_raises_is_told_in_one_line_with_its_place(write: Write, text: str, told: str) -> None:
    root = write(
        "a",
        broken=f"{text}\ndef tool(): ...\n",
        broken_beside="def fail():\n    raise ValueError('two\\nlines')\n",
        broken_syntax="def x():\n  return (\n",
    )

    message = error(root, "broken:tool")

    assert f"tool 'sample': {told}" in message
    assert "\n" not in message
    assert str(root) not in message


def test_a_module_that_failed_is_tried_again(write: Write) -> None:
    root = write("a", again="raise ValueError('not yet')\n\ndef tool(): ...\n")
    assert "not yet" in error(root, "again:tool")

    (root / "again.py").write_text("'longer than before'\ndef tool(): return 'now'\n", encoding="utf-8")

    assert open_in(root, "again:tool").definition.name == "sample"


def test_a_name_that_is_gone_after_the_import_is_an_error(write: Write) -> None:
    root = write("a", vanish="def tool(): ...\ndel tool\n", number="tool = 3\n")

    assert "vanish.py has no 'tool' once it is imported" in error(root, "vanish:tool")
    assert "'tool' in number.py is a int, expected a function" in error(root, "number:tool")


def test_a_signature_that_cannot_be_told_to_a_model_is_an_error(write: Write) -> None:
    root = write("a", odd="class Odd: ...\n\ndef tool(x: Odd): ...\n")

    assert "function 'odd:tool': parameter 'x' has a type that JSON has no values for" in error(root, "odd:tool")


def test_opening_a_tool_of_the_toolkit_puts_nothing_on_the_import_path() -> None:
    before = list(sys.path)

    open_in(SAMPLES, "runner.toolkit.calculator:calculator")

    assert [entry for entry in sys.path if entry not in before] == []


def test_looking_for_a_function_does_not_load_pydantic() -> None:
    code = "import sys, runner.language.resolve; sys.exit('pydantic' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_python_is_a_tool_type() -> None:
    assert "python" in TOOL_TYPES
