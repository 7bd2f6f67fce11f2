"""Several tools are opened together: in their order, and those in processes of their own at the same time."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from runner.engine.ports import Tool
from runner.spec import ProjectSpec, ToolSpec
from runner.tools import ToolLoadError, open_tools
from tests.tools.isolated.conftest import linux

pytestmark = linux
CODE = """
import pathlib, time

def wait_for_others(place, number):
    (place / str(number)).touch()
    end = time.monotonic() + 20
    while len(list(place.iterdir())) < 2:
        assert time.monotonic() < end, "the other tool was not opened meanwhile"
        time.sleep(0.01)
"""


def opened(root: Path, isolation: Mapping[str, str]) -> dict[str, Tool]:
    """The tools of a folder, `module:tool` each; some of them isolated."""
    specs = [
        ToolSpec(
            name=name,
            type="python",
            settings={"function": f"{name}:tool", "isolation": mode},
            folder=str(root),
            origin=f"x.yaml:{number}",
        )
        for number, (name, mode) in enumerate(isolation.items())
    ]
    return open_tools(specs, ProjectSpec(root=str(root), tools_folder=str(root)), max_result_chars=100, environ={})


def test_tools_in_processes_of_their_own_are_opened_at_the_same_time(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    (tmp_path / "meeting_sample.py").write_text(CODE)
    for number in range(2):
        (tmp_path / f"apart_sample_{number}.py").write_text(
            "import pathlib, meeting_sample\n"
            f"meeting_sample.wait_for_others(pathlib.Path({str(place)!r}), {number})\n"
            f"def tool() -> int: 'Number {number}.'\n"
        )
    (tmp_path / "here_sample.py").write_text("def tool() -> int: 'Here.'\n")

    tools = opened(tmp_path, {"apart_sample_0": "process", "here_sample": "none", "apart_sample_1": "process"})

    assert [tool.definition.description for tool in tools.values()] == ["Number 0.", "Here.", "Number 1."]


def test_the_first_tool_that_cannot_be_opened_is_told(tmp_path: Path) -> None:
    for name in ("one_bad_sample", "two_bad_sample"):
        (tmp_path / f"{name}.py").write_text(f"raise ValueError('{name}')\ndef tool(): ...\n")

    with pytest.raises(ToolLoadError, match=r"^x\.yaml:0: tool 'one_bad_sample': .*ValueError: one_bad_sample"):
        opened(tmp_path, {"one_bad_sample": "process", "two_bad_sample": "process"})


def test_no_tools_are_no_tools(tmp_path: Path) -> None:
    assert opened(tmp_path, {}) == {}
