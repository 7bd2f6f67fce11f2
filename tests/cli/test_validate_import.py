"""`runner validate --import`: the full check, for those who ask for it."""

from pathlib import Path

import pytest

from tests.cli.fakes import Invoke

TOOLSET = """\
version: "1"
kind: toolset
tools:
  - {name: fine, type: python, function: "good:fine"}
  - {name: odd, type: python, function: "good:odd"}
  - {name: gone, type: python, function: "good:gone"}
  - {name: unset, type: python, function: "good:told", env: {KEY: "${SURELY_UNSET}"}}
"""
AGENT = """\
name: a
model: local/smollm2
instructions: Hi.
tools: [fine, {name: own, type: python, function: "bad:tool"}]
examples:
  - user: How cold is it?
    calls: [{tool: fine, arguments: {n: many}, result: ok}]
    answer: Very.
"""

GOOD = """\
print('imported')
def fine(n: int = 1): 'Say how cold it is.'
def odd(x: 'Nowhere'): ...
def told(ctx: 'ToolContext'): ...
"""
NOWHERE = (
    "parameter 'x' has the annotation 'Nowhere', which cannot be evaluated (NameError: name 'Nowhere' is not defined): "
    "are its names imported only under 'if TYPE_CHECKING'? If the function is not yours, declare 'parameters'"
)
UNSET = "environment variable SURELY_UNSET is not set; set it, or give a default: ${SURELY_UNSET:-…}"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {
        "agents.d/a.yaml": AGENT,
        "tools.d/tools.yaml": TOOLSET,
        "tools.d/good.py": GOOD,
        "agents.d/bad.py": "raise SystemExit('no')\ndef tool(): ...\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def problems(out: str) -> list[str]:
    return [line for line in out.splitlines() if "[RUN" in line]


def test_importing_tells_more_than_reading(invoke: Invoke, project: Path) -> None:
    code, out, err = invoke("validate", "--import")

    assert (code, err) == (1, "")
    assert [line.partition("]: ")[::2] for line in problems(out)] == [
        (
            "agents.d/a.yaml:4:51: error[RUN540",
            "agents.d/bad.py:1: the module called exit(no) while it was being imported",
        ),
        (
            "agents.d/a.yaml:7:37: error[RUN509",
            "the arguments of this example do not fit 'fine': n: expected a valid integer, found \"many\"",
        ),
        ("tools.d/tools.yaml:5:41: error[RUN540", f"function 'good:odd': {NOWHERE}"),
        ("tools.d/tools.yaml:6:48: error[RUN502", "module 'good' (tools.d/good.py) has no function 'gone'"),
        ("tools.d/tools.yaml:7:43: warning[RUN541", f"'unset' was not opened: {UNSET}"),
    ]


def test_only_those_who_ask_run_code(invoke: Invoke, project: Path) -> None:
    (project / "tools.d" / "good.py").write_text(f"open('{project}/ran', 'w').close()\ndef fine(n: int = 1): ...\n")

    invoke("validate")
    assert not (project / "ran").exists()

    invoke("validate", "--import")
    assert (project / "ran").exists()


def test_the_tools_of_one_agent_can_be_asked_for(invoke: Invoke, project: Path) -> None:
    out = invoke("validate", "--import", "agents.d/a.yaml")[1]

    assert [line.partition(": ")[0] for line in problems(out)] == ["agents.d/a.yaml:4:51", "agents.d/a.yaml:7:37"]


def test_a_tool_without_a_description_is_a_warning(invoke: Invoke, project: Path) -> None:
    (project / "tools.d" / "good.py").write_text("def fine(n: int = 1): ...\n")

    (told,) = [line for line in problems(invoke("validate", "--import")[1]) if "'fine' has neither" in line]

    assert told == (
        "tools.d/tools.yaml:4:42: warning[RUN542]: "
        "'fine' has neither a description nor a docstring, so a model is not told what it does"
    )
