"""One tool is found by its name, and only what is wrong with it stands in its way."""

from pathlib import Path

import pytest

from runner.language.tool_lookup import FoundTool, NoTool, find_tool

TOOLSET = """\
kind: toolset
tools:
  - name: first
    type: python
    function: things:first
    timeout: 2s
  - name: broken
    type: python
    function: things:nothing
    tiemout: 3s
  - name: worse
    type: python
  - name: twice
    type: python
    function: things:first
  - name: twice
    type: python
    function: things:first
"""
AGENT = """\
name: desk
model: openai/gpt-5-mini
prompt: "{{ input }}"
limits: {tool_timeout: 7s}
tools:
  - first
  - name: inline
    type: python
    function: things:first
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in {
        "tools.d/things.py": "def first(city: str) -> str:\n    return city\n",
        "tools.d/things.yaml": TOOLSET,
        "tools.d/unreadable.yaml": "kind: toolset\ntools: [\n",
        "agents.d/desk.yaml": AGENT,
    }.items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path


def found(name: str, root: Path, file: str | None = None) -> FoundTool:
    result = find_tool(name, root=root, file=None if file is None else root / file)
    assert isinstance(result, FoundTool)
    return result


def test_a_tool_is_compiled_though_its_neighbours_are_broken(root: Path) -> None:
    tool = found("first", root)
    assert tool.spec is not None
    assert (tool.spec.name, tool.spec.timeout, tool.spec.settings) == ("first", 2.0, {"function": "things:first"})
    assert tool.spec.folder == str(root / "tools.d")
    assert tool.diagnostics == ()


@pytest.mark.parametrize(
    ("name", "codes"), [("broken", ["RUN502", "RUN201"]), ("worse", ["RUN202"]), ("twice", ["RUN303"])]
)
def test_what_is_wrong_with_a_tool_stops_it(root: Path, name: str, codes: list[str]) -> None:
    tool = found(name, root)
    assert tool.spec is None
    assert [each.code for each in tool.diagnostics] == codes


def test_an_agent_lends_its_inline_tools_and_its_limits(root: Path) -> None:
    tool = found("inline", root, "agents.d/desk.yaml")
    assert tool.spec is not None
    assert tool.limits.tool_timeout == 7.0
    assert found("first", root, "agents.d/desk.yaml").limits.tool_timeout == 7.0
    assert found("first", root).limits.tool_timeout == 30.0


def test_an_agent_that_cannot_run_still_lends_its_tools(root: Path) -> None:
    (root / "agents.d/desk.yaml").write_text(AGENT.replace("limits:", "limit:"), encoding="utf-8")
    tool = found("inline", root, "agents.d/desk.yaml")
    assert tool.spec is not None
    assert tool.diagnostics == ()


def test_a_toolset_is_looked_into_alone(root: Path) -> None:
    assert found("first", root, "tools.d/things.yaml").spec is not None
    assert find_tool("calculator", root=root, file=root / "tools.d/things.yaml") == NoTool(
        names=("broken", "first", "twice", "worse")
    )


def test_a_name_that_nothing_has_is_told_with_the_files_that_cannot_be_read(root: Path) -> None:
    nothing = find_tool("frist", root=root)
    assert isinstance(nothing, NoTool)
    assert {"first", "calculator"} <= set(nothing.names)
    assert {Path(each.location.file).name for each in nothing.diagnostics} == {"unreadable.yaml"}


def test_an_agent_that_cannot_be_read_says_why(root: Path) -> None:
    (root / "agents.d/desk.yaml").write_text("tools: [\n", encoding="utf-8")
    nothing = find_tool("inline", root=root, file=root / "agents.d/desk.yaml")
    assert isinstance(nothing, NoTool)
    assert nothing.names == ()
    assert nothing.diagnostics
