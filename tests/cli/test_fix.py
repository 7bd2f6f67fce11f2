"""`runner fix`: shows a diff, or writes."""

import stat
from pathlib import Path

import pytest

from tests.cli.fakes import Invoke

WRONG = "name: a\nmodel: openai/gpt-5-mini\r\ninstruction: Grüß Gott # 北京\n"
RIGHT = WRONG.replace("instruction:", "instructions:")
DIFF = """\
--- a/agents.d/a.yaml
+++ b/agents.d/a.yaml
@@ -1,3 +1,3 @@
 name: a
 model: openai/gpt-5-mini
-instruction: Grüß Gott # 北京
+instructions: Grüß Gott # 北京
"""


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "agents.d" / "a.yaml"
    path.parent.mkdir()
    path.write_bytes(WRONG.encode())
    return path


def test_without_write_the_change_is_shown_and_nothing_is_written(agent: Path, invoke: Invoke) -> None:
    assert invoke("fix") == (1, DIFF, "1 mistake in 1 file can be repaired; --write does it\n")
    assert agent.read_bytes() == WRONG.encode()


def test_with_write_the_file_is_repaired_and_keeps_all_else(agent: Path, invoke: Invoke) -> None:
    agent.write_bytes(b"\xef\xbb\xbf" + WRONG.encode())
    agent.chmod(0o640)

    code, out, err = invoke("fix", "--write")

    assert (code, out) == (0, "")
    assert err == "agents.d/a.yaml: 'instruction' is now 'instructions'\n1 mistake in 1 file repaired\n"
    assert agent.read_bytes() == b"\xef\xbb\xbf" + RIGHT.encode()
    assert stat.S_IMODE(agent.stat().st_mode) == 0o640
    assert [path.name for path in agent.parent.iterdir()] == ["a.yaml"]
    assert invoke("fix") == (0, "", "nothing to repair\n")


def test_with_both_the_change_is_shown_and_written(agent: Path, invoke: Invoke) -> None:
    assert invoke("fix", "--write", "--diff", "agents.d/a.yaml")[:2] == (0, DIFF)
    assert agent.read_bytes() == RIGHT.encode()


def test_a_link_stays_a_link(agent: Path, invoke: Invoke) -> None:
    link = agent.with_name("b.yaml")
    target = agent.parent.parent / "elsewhere.txt"
    agent.rename(target)
    link.symlink_to(target)

    assert invoke("fix", "--write")[0] == 0
    assert link.is_symlink()
    assert target.read_bytes() == RIGHT.encode()


@pytest.mark.parametrize(("arguments", "message"), [(["nowhere"], "there is no file"), ([], "nothing to check")])
def test_nothing_to_check_is_a_wrong_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, invoke: Invoke, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)

    code, _, err = invoke("fix", *arguments)

    assert code == 2
    assert message in err
