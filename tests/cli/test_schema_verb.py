import json
from pathlib import Path

import pytest

from tests.cli.fakes import Invoke


def test_with_project_the_tools_around_the_current_folder_are_in_it(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "agents.d").mkdir()
    monkeypatch.chdir(tmp_path / "agents.d")
    code, out, err = invoke("schema", "agent", "--with-project")
    names = json.loads(out)["properties"]["tools"]["items"]["else"]["enum"]
    assert (code, err, names) == (0, "", ["calculator", "current_time", "search_notes"])


def test_a_file_that_cannot_be_read_is_named_and_nothing_is_printed(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tools.d").mkdir()
    (tmp_path / "agents.d").mkdir()
    (tmp_path / "tools.d" / "mine.yaml").write_text("tools: [a")
    monkeypatch.chdir(tmp_path)
    code, out, err = invoke("schema", "agent", "--with-project")
    assert (code, out) == (1, "")
    assert err.startswith("error: tools.d/mine.yaml:1:")
    assert err.endswith("\n  nothing printed: the tools in this file are not known\n")


@pytest.mark.parametrize("kind", ["toolset", "project", "event", "result"])
def test_only_agents_are_made_for_a_project(invoke: Invoke, kind: str) -> None:
    code, out, err = invoke("schema", kind, "--with-project")
    assert (code, out) == (2, "")
    assert "--with-project is for agents" in err
