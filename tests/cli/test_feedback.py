"""`runner feedback`: what is kept is shown and forgotten."""

import json
import os
from pathlib import Path

import pytest

from runner.sessions.feedback import Correction, Feedback
from tests.cli.fakes import Invoke


@pytest.fixture
def feedback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Feedback:
    """Two corrections of one agent and one of another, in the project of the current folder."""
    (tmp_path / "runner.yaml").write_text("version: '1'\nstate_dir: state\n", encoding="utf-8")
    (tmp_path / "agents.d").mkdir()
    monkeypatch.chdir(tmp_path / "agents.d")
    feedback = Feedback(tmp_path / "state")
    wanted = {"to": "Zoë", "n": 1}
    feedback.keep(Correction(agent="desk", tool="mail", arguments=wanted, edited={"to": "bo"}, reason=None, by="ana"))
    feedback.keep(Correction(agent="desk", tool="mail", arguments={}, edited=None, reason="no\n\x1b[2J", by="ana"))
    feedback.keep(Correction(agent="clerk", tool="shell", arguments={}, edited=None, reason="never", by="ana"))
    return feedback


@pytest.mark.usefixtures("feedback")
def test_corrections_are_listed_the_newest_first(invoke: Invoke) -> None:
    code, out, err = invoke("feedback", "list")

    titles, *lines = out.splitlines()
    assert (code, err) == (0, "")
    assert titles.split() == ["ID", "AGENT", "WHEN", "TOOL", "ARGUMENTS", "CORRECTION"]
    assert [line.split()[0] for line in lines] == ["3", "2", "1"]
    assert lines[0].endswith("shell  {}                     rejected: never")
    assert lines[1].endswith(r"rejected: no \x1b[2J")
    assert lines[2].endswith('mail   {"n": 1, "to": "Zoë"}  changed to {"to": "bo"}')


@pytest.mark.usefixtures("feedback")
def test_as_json_they_are_complete(invoke: Invoke) -> None:
    code, out, _ = invoke("feedback", "list", "--agent", "desk", "--format", "json")

    data = json.loads(out)
    assert (code, data["version"]) == (0, 1)
    second, first = data["corrections"]
    assert first.pop("at").endswith("+00:00")
    assert first == {
        "id": 1,
        "agent": "desk",
        "tool": "mail",
        "arguments": {"to": "Zoë", "n": 1},
        "edited": {"to": "bo"},
        "reason": None,
        "by": "ana",
    }
    assert (second["edited"], second["reason"]) == (None, "no\n\x1b[2J")
    assert "\x1b" not in out


@pytest.mark.parametrize(("options", "whose"), [((), ""), (("--agent", "nobody"), " of agent nobody")])
def test_that_there_are_none_is_said(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], whose: str
) -> None:
    monkeypatch.chdir(tmp_path)

    code, out, err = invoke("feedback", "list", *options)

    assert (code, out) == (0, "")
    assert err.startswith(f"there are no corrections{whose} in {tmp_path}")
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - nothing was made by looking
    assert json.loads(invoke("feedback", "list", "--format", "json")[1]) == {"version": 1, "corrections": []}


def test_those_that_are_named_are_forgotten(invoke: Invoke, feedback: Feedback) -> None:
    assert invoke("feedback", "forget", "1", "3", "3") == (0, "", "forgot 2 corrections\n")
    assert [kept.id for kept in feedback.list()] == [2]


def test_one_that_does_not_exist_is_told_and_nothing_is_forgotten(invoke: Invoke, feedback: Feedback) -> None:
    code, out, err = invoke("feedback", "forget", "1", "9")

    assert (code, out) == (1, "")
    assert "there is no correction 9; `runner feedback list` shows those there are" in err
    assert len(feedback.list()) == 3


def test_all_of_an_agent_or_all_are_forgotten(invoke: Invoke, feedback: Feedback) -> None:
    assert invoke("feedback", "forget", "--all", "--agent", "desk")[2] == "forgot 2 corrections\n"
    assert [kept.correction.agent for kept in feedback.list()] == ["clerk"]
    assert invoke("feedback", "forget", "--all")[2] == "forgot 1 correction\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "say which"),
        (("1", "--all"), "say which"),
        (("1", "--agent", "desk"), "--agent goes with --all"),
        (("one",), "'one' is not a valid integer"),
        (("0",), "0 is not in the range"),
        (("9" * 30,), "is not in the range"),
    ],
)
def test_what_makes_no_sense_is_refused(
    invoke: Invoke, feedback: Feedback, arguments: tuple[str, ...], said: str
) -> None:
    code, _, err = invoke("feedback", "forget", *arguments)

    assert code == 2
    assert said in err
    assert len(feedback.list()) == 3


@pytest.mark.usefixtures("feedback")
def test_another_project_can_be_named(invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")

    assert len(invoke("feedback", "list", "--project", str(tmp_path))[1].splitlines()) == 4


def test_a_damaged_database_is_an_error_of_its_own(invoke: Invoke, feedback: Feedback, tmp_path: Path) -> None:
    del feedback
    (tmp_path / "state" / "sessions.db").write_bytes(b"no database at all, but long enough to be read as one" * 100)
    for rest in ("-wal", "-shm"):
        (tmp_path / "state" / f"sessions.db{rest}").unlink(missing_ok=True)

    code, _, err = invoke("feedback", "list")

    assert code == 3
    assert "is damaged" in err
