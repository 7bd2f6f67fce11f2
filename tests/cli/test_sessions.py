import asyncio
import json
import re
import sqlite3
import stat
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from runner.cli.run_options import RunCommand, run_options, shown
from runner.engine.journal import Began
from runner.report.json_text import dumped
from tests.cli.fakes import Invoke, Terminal
from tests.cli.mailbox import SEND, Mailbox


@pytest.fixture
def mailbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mailbox:
    """A project with two sessions: `trip` waits for approval, `chat` is over; it is the current folder."""
    (tmp_path / "project").mkdir()
    made = Mailbox(tmp_path / "project")
    monkeypatch.chdir(made.root)

    async def both() -> None:
        await made.carry_out(made.order("Hello 北京", session="chat"), "Hello")
        await made.carry_out(made.order(session="trip", approve="ask"), SEND)

    asyncio.run(both())
    return made


def test_sessions_are_listed_the_last_changed_first(invoke: Invoke, mailbox: Mailbox) -> None:
    code, out, _ = invoke("sessions", "list")
    lines = [re.sub(r" {2,}", "|", line) for line in out.splitlines()]
    assert code == 0
    assert lines[0] == "ID|AGENT|STATUS|CHANGED|RUNS|FIRST INPUT"
    assert [line.split("|")[:3] for line in lines[1:]] == [
        ["trip", "mail", "waiting_for_approval"],
        ["chat", "mail", "completed"],
    ]
    assert lines[2].endswith("|1|Hello 北京")


def test_the_list_is_also_json(invoke: Invoke, mailbox: Mailbox) -> None:
    _, out, _ = invoke("sessions", "list", "--format", "json")
    document = json.loads(out)
    assert document["version"] == 1
    last = document["sessions"][1]
    assert (last["id"], last["file"], last["status"], last["runs"]) == ("chat", str(mailbox.file), "completed", 1)
    assert last["began"] <= last["changed"]


def test_a_project_without_sessions_says_how_to_begin_one(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = invoke("sessions", "list")
    assert (code, out) == (0, "")
    assert "runner run FILE --session ID begins one" in err
    assert json.loads(invoke("sessions", "list", "--format", "json")[1])["sessions"] == []
    assert invoke("sessions", "verify") == (0, "", f"there are no sessions in {tmp_path}/.runner\n")
    assert list(tmp_path.iterdir()) == []


def test_sessions_are_found_from_elsewhere(
    invoke: Invoke, mailbox: Mailbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke("sessions", "show", "trip")[0] == 1
    assert invoke("sessions", "show", "trip", "--project", "project")[0] == 0
    code, _, err = invoke("sessions", "list", "--project", "nowhere")
    assert (code, "--project: there is no folder nowhere" in err) == (2, True)


def test_show_tells_what_happened(invoke: Invoke, mailbox: Mailbox) -> None:
    code, out, _ = invoke("sessions", "show", "trip")
    assert code == 0
    assert 'send(to="anna@example.com")' in out
    assert "\x1b" not in out


def test_show_audit_has_every_call(invoke: Invoke, mailbox: Mailbox) -> None:
    code, out, _ = invoke("sessions", "show", "trip", "--audit")
    assert code == 0
    assert "send" in out
    document = json.loads(invoke("sessions", "show", "trip", "--audit", "--format", "json")[1])
    assert [each["tool"] for each in document["calls"]] == ["send"]


def test_show_writes_a_page(invoke: Invoke, mailbox: Mailbox) -> None:
    code, out, err = invoke("sessions", "show", "trip", "--html", "trip.html")
    assert (code, out, err) == (0, "", "wrote trip.html\n")
    assert "anna@example.com" in (mailbox.root / "trip.html").read_text(encoding="utf-8")
    code, _, err = invoke("sessions", "show", "trip", "--html", "nowhere/trip.html")
    assert (code, err) == (1, "error: cannot write nowhere/trip.html: No such file or directory\n")
    assert invoke("sessions", "show", "trip", "--html", "trip.html", "--audit")[0] == 2


@pytest.mark.parametrize("verb", ["export", "show"])
def test_a_session_is_exported_with_its_chain(invoke: Invoke, mailbox: Mailbox, verb: str) -> None:
    document = json.loads(invoke("sessions", verb, "chat", "--format", "json")[1])
    assert (document["version"], document["session"]) == (1, "chat")
    assert [each["entry"]["type"] for each in document["entries"]] == ["Began", "Finished"]
    assert [each["number"] for each in document["entries"]] == [1, 2]
    assert re.fullmatch("[0-9a-f]{64}", document["entries"][1]["digest"])


def test_an_export_is_also_one_entry_a_line(invoke: Invoke, mailbox: Mailbox) -> None:
    _, out, _ = invoke("sessions", "export", "chat", "--format", "ndjson")
    assert [json.loads(line)["entry"]["type"] for line in out.splitlines()] == ["Began", "Finished"]
    assert "北京" in out


def test_verify_names_what_was_changed(invoke: Invoke, mailbox: Mailbox) -> None:
    code, out, _ = invoke("sessions", "verify")
    assert code == 0
    assert re.fullmatch(r"trip: ok · \d entries · [0-9a-f]{64}\nchat: ok · 2 entries · [0-9a-f]{64}\n", out)
    database = sqlite3.connect(mailbox.store.path)
    for (trigger,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        database.execute(f"DROP TRIGGER {trigger}")
    database.execute("UPDATE entries SET json = replace(json, '北京', '上海') WHERE session = 'chat'")
    database.commit()
    database.close()
    code, out, _ = invoke("sessions", "verify")
    assert code == 1
    assert "trip: ok" in out
    assert "chat: changed: entry 1: " in out
    assert invoke("sessions", "verify", "trip")[0] == 0


def test_delete_asks_and_takes_everything(invoke: Invoke, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch) -> None:
    code, _, err = invoke("sessions", "delete", "trip")
    assert (code, "--yes deletes them" in err) == (2, True)
    for answer, left in (("n\n", 2), ("y\n", 1)):
        monkeypatch.setattr(sys, "stdin", Terminal(answer))
        assert invoke("sessions", "delete", "trip")[0] == 0
        assert len(mailbox.store.list()) == left
    assert invoke("sessions", "delete", "chat", "chat", "--yes") == (0, "", "deleted chat\n")
    assert mailbox.store.list() == ()


def test_nothing_is_deleted_when_one_of_them_is_not_there(invoke: Invoke, mailbox: Mailbox) -> None:
    code, _, err = invoke("sessions", "delete", "chat", "tripp", "--yes")
    assert (code, err) == (1, "error: there is no session 'tripp'; did you mean 'trip'?\n")
    assert len(mailbox.store.list()) == 2


def test_a_session_in_use_is_not_deleted(invoke: Invoke, mailbox: Mailbox) -> None:
    with mailbox.store.open("trip", create=False):
        code, _, err = invoke("sessions", "delete", "trip", "--yes")
    assert (code, "session trip is in use" in err) == (1, True)


@pytest.mark.parametrize("verb", ["show", "export", "delete", "verify", "resume"])
def test_an_id_that_cannot_be_one_is_a_usage_error(invoke: Invoke, mailbox: Mailbox, verb: str) -> None:
    code, _, err = invoke("sessions", verb, "../x")
    assert code == 2
    assert "cannot be the id of a session" in err
    assert len(err.splitlines()) == 2


def test_sessions_that_cannot_be_read_are_one_line(invoke: Invoke, mailbox: Mailbox) -> None:
    mailbox.store.path.write_bytes(b"no database at all, but long enough to look like one" * 400)
    for more in (mailbox.states / "sessions.db-wal", mailbox.states / "sessions.db-shm"):
        more.unlink(missing_ok=True)
    code, out, err = invoke("sessions", "list")
    assert (code, out, len(err.splitlines())) == (3, "", 1)


@pytest.mark.parametrize("verb", ["list", "show", "resume", "delete", "export", "verify"])
def test_every_verb_explains_itself(invoke: Invoke, verb: str) -> None:
    code, out, _ = invoke("sessions", verb, "--help")
    assert (code, out.startswith("Usage: runner sessions")) == (0, True)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (["--approve", "trip"], "the ID of the session comes first: runner sessions resume ID --approve [CALL]"),
        ([], "Missing argument 'ID'"),
        (["trip", "--reject"], "--reject needs a reason, which the model is told"),
        (["trip", "--file", "nowhere.yaml"], "there is no file nowhere.yaml"),
        (["trip", "--quiet", "--verbose"], "--quiet and --verbose exclude each other"),
        (["trip", "--wait=soon"], "Invalid value for '--wait'"),
    ],
)
def test_a_wrong_resume_is_told_in_two_lines(invoke: Invoke, mailbox: Mailbox, line: list[str], problem: str) -> None:
    code, _, err = invoke("sessions", "resume", *line)
    assert code == 2
    assert err.startswith(f"error: {problem}")
    assert err.splitlines()[1:] == ["  try: runner sessions resume --help"]


@click.command(cls=RunCommand)
@click.argument("text", required=False)
@run_options
def ordered(text: str | None, **options: Any) -> tuple[str | None, float | None]:
    return text, shown(**options)["wait"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ([], (None, None)),
        (["--wait"], (None, float("inf"))),
        (["--wait", "Hello"], ("Hello", float("inf"))),
        (["--wait=2m", "Hello"], ("Hello", 120.0)),
        (["--wait=3"], (None, 3.0)),
        (["--", "--wait"], ("--wait", None)),
    ],
)
def test_wait_takes_no_word_that_is_not_its_own(line: list[str], expected: Any) -> None:
    assert ordered.main(line, standalone_mode=False) == expected


def damage(mailbox: Mailbox, statement: str) -> None:
    database = sqlite3.connect(mailbox.store.path, isolation_level=None)
    for (trigger,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        database.execute(f"DROP TRIGGER {trigger}")
    database.execute(statement)
    database.close()


@pytest.mark.parametrize(
    "statement",
    ["UPDATE sessions SET changed = 'garbage' WHERE id = 'trip'", "DELETE FROM sessions WHERE id = 'trip'"],
)
def test_a_damaged_session_is_told_by_itself(invoke: Invoke, mailbox: Mailbox, statement: str) -> None:
    damage(mailbox, statement)

    code, out, _ = invoke("sessions", "list")
    assert code == 0
    assert re.search(r"^trip +- +damaged ", out, re.MULTILINE)
    assert re.search(r"^chat +mail +completed ", out, re.MULTILINE)
    listed = json.loads(invoke("sessions", "list", "--format", "json")[1])["sessions"]
    assert {each["id"]: each["problem"] is None for each in listed} == {"trip": False, "chat": True}
    code, out, _ = invoke("sessions", "verify")
    assert code == 1
    assert re.search(r"^trip: changed: [^\n]*list", out, re.MULTILINE)
    assert re.search(r"^chat: ok", out, re.MULTILINE)
    assert invoke("sessions", "export", "trip")[0] == 0
    assert invoke("sessions", "delete", "trip", "--yes") == (0, "", "deleted trip\n")


def test_an_export_in_pieces_is_what_it_would_be_at_once(invoke: Invoke, mailbox: Mailbox) -> None:
    with mailbox.store.open("odd", create=True) as opened:
        assert json.loads(invoke("sessions", "export", "odd")[1])["entries"] == []
        assert invoke("sessions", "export", "odd")[1].endswith('"entries": []\n}\n')
        opened.note(Began(agent="a", file="f", model="m", text="1\u2028\x85\n2", inputs={"n": [{}]}, prompt="p"))
    for session in ("odd", "trip"):
        _, out, _ = invoke("sessions", "export", session)
        assert out == dumped(json.loads(out), indent=2) + "\n"
        lines = invoke("sessions", "export", session, "--format", "ndjson")[1].splitlines()
        assert [json.loads(line) for line in lines] == json.loads(out)["entries"]
    assert json.loads(invoke("sessions", "export", "odd")[1])["entries"][0]["entry"]["text"] == "1\u2028\x85\n2"


@pytest.mark.skipif(sys.platform == "win32", reason="has other permissions")
def test_a_page_is_for_nobody_else(invoke: Invoke, mailbox: Mailbox) -> None:
    page, shared = mailbox.root / "trip.html", mailbox.root / "shared.html"
    shared.write_text("old and longer " * 100_000, encoding="utf-8")
    shared.chmod(0o644)

    for file in (page, shared):
        assert invoke("sessions", "show", "trip", "--html", file.name)[0] == 0

    assert [stat.S_IMODE(file.stat().st_mode) for file in (page, shared)] == [0o600, 0o644]
    assert shared.read_text(encoding="utf-8") == page.read_text(encoding="utf-8")
