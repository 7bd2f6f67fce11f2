"""Whoever uses a session that was changed after it was written is told."""

import asyncio
import json
import sqlite3
from pathlib import Path

import pytest

from runner.chat.conversation import Conversation
from runner.sessions.ports import ChangedSession, SessionError
from runner.sessions.sqlite import SqliteStore
from runner.sessions.trust import change_in, require_unchanged
from tests.cli.fakes import Invoke
from tests.cli.mailbox import SEND, Mailbox

CHANGED = "session chat was changed after it was written: entry 1 "


@pytest.fixture
def mailbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mailbox:
    """The current folder: a project whose sessions `chat`, which is over, and `trip`, which waits, were changed."""
    monkeypatch.chdir(tmp_path)
    made = Mailbox(tmp_path)

    async def both() -> None:
        await made.carry_out(made.order("Hello", session="chat"), "Hello")
        await made.carry_out(made.order(session="trip", approve="ask"), SEND)

    asyncio.run(both())
    with sqlite3.connect(made.store.path) as database:
        for (trigger,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            database.execute(f"DROP TRIGGER {trigger}")
        database.execute("""UPDATE entries SET json = replace(json, 'Hello', 'Pay me') WHERE session = 'chat'""")
        database.execute("""UPDATE entries SET json = replace(json, 'anna@', 'eve@') WHERE session = 'trip'""")
    database.close()
    return made


@pytest.mark.parametrize(
    "arguments",
    [
        ("show",),
        ("show", "--audit"),
        ("show", "--format", "json"),
        ("show", "--html", "page.html"),
        ("export",),
        ("export", "--format", "ndjson"),
    ],
)
def test_who_reads_it_is_warned_in_one_line(invoke: Invoke, mailbox: Mailbox, arguments: tuple[str, ...]) -> None:
    code, out, err = invoke("sessions", *arguments, "chat")
    assert code == 0
    assert err.startswith(f"warning: {CHANGED}")
    assert err.count("warning") == 1
    assert "warning" not in out
    if out.startswith("{") and "ndjson" not in arguments:
        json.loads(out)


def test_no_run_goes_on_with_it(mailbox: Mailbox) -> None:
    done = asyncio.run(mailbox.carry_out(mailbox.order("Again", session="chat")))
    assert (done.code, done.document["status"]) == (1, "config_invalid")
    assert CHANGED in done.err
    assert "begin another one" in done.err


def test_a_call_in_it_cannot_be_approved(mailbox: Mailbox) -> None:
    done = asyncio.run(mailbox.carry_out(mailbox.resumption("trip")))
    assert (done.code, mailbox.sent) == (1, [])
    assert "session trip was changed after it was written" in done.err


def test_no_chat_goes_on_with_it_and_others_can_have_it(mailbox: Mailbox) -> None:
    conversation = Conversation(mailbox.store)
    with pytest.raises(SessionError, match="session chat was changed"):
        conversation.open("chat")
    assert not conversation.kept
    mailbox.store.open("chat", create=False).close()


def test_a_session_that_is_what_was_written_is_taken_without_a_word(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    store.open("new", create=True).close()
    assert change_in(store, "new") is None
    require_unchanged(store, "new")


def test_the_way_out_is_told_with_what_is_wrong(mailbox: Mailbox) -> None:
    with pytest.raises(ChangedSession, match="runner sessions show chat"):
        require_unchanged(mailbox.store, "chat")
