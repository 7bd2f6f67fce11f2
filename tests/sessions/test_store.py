import sqlite3
import stat
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.engine.journal import Entry, JournalError
from runner.engine.messages import AssistantMessage, UserMessage
from runner.sessions.names import check_id
from runner.sessions.ports import BadSessionId, SessionError, SessionInUse, Store, StoreError, UnknownSession
from runner.sessions.sqlite import SqliteStore
from tests.sessions.entries import began, call, ended, finished, replied, started

RUN: list[Entry] = [began(), replied(1, call("a")), started("a"), ended("a"), finished(answer="Done.")]


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return SqliteStore(tmp_path / "state")


@pytest.fixture
def raw(store: SqliteStore) -> Iterator[sqlite3.Connection]:
    """The database as anybody can open it, with a session `s` in it."""
    write(store, "s", RUN)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        yield connection


def write(store: Store, session: str, entries: list[Entry]) -> None:
    with store.open(session, create=True) as opened:
        for entry in entries:
            opened.session.journal.note(entry)


def test_entries_are_kept_in_order_and_read_as_they_were(store: SqliteStore) -> None:
    write(store, "s", RUN)

    entries = store.entries("s")

    assert [each.entry for each in entries] == RUN
    assert [each.number for each in entries] == [1, 2, 3, 4, 5]
    assert [each.at for each in entries] == sorted(each.at for each in entries)
    assert len({each.digest for each in entries}) == len(entries)


def test_a_session_is_gone_on_with_where_it_was_left(store: SqliteStore) -> None:
    write(store, "s", RUN)
    write(store, "s", [began("And now?"), replied(1, call("b"))])

    with store.open("s", create=False) as opened:
        session = opened.session

    assert session.history[0] == UserMessage(text="Hello")
    assert session.unfinished is not None
    assert session.unfinished.began.prompt == "And now?"
    assert store.verify("s").ok


def test_an_open_session_tells_its_history_anew_after_every_run(store: SqliteStore) -> None:
    with store.open("s", create=True) as opened:
        before = opened.session
        before.journal.note(began("Hi"))
        before.journal.note(finished(answer="Hello!"))
        after = opened.session

    assert before.history == ()
    assert after.history == (UserMessage(text="Hi"), AssistantMessage(text="Hello!"))


def test_the_list_tells_what_the_sessions_are_about_newest_first(store: SqliteStore) -> None:
    write(store, "first", RUN)
    write(store, "second", [began("Half\ud800", agent="other", file="/p/\udcff.yaml"), replied(1)])
    write(store, "first", [began("More"), finished("interrupted")])
    with store.open("empty", create=True):
        pass

    empty, first, second = store.list()

    assert (empty.id, empty.agent, empty.runs, empty.entries, empty.status) == ("empty", "", 0, 0, None)
    assert (first.id, first.text, first.runs, first.entries, first.status) == ("first", "Hello", 2, 7, "interrupted")
    assert (second.id, second.text, second.file) == ("second", "Half?", "/p/?.yaml")
    assert (second.agent, second.model, second.status) == ("other", "m/x", None)
    assert first.began < first.changed


def test_a_deleted_session_is_gone_with_its_entries(store: SqliteStore, raw: sqlite3.Connection) -> None:
    write(store, "other", RUN)

    store.delete("s")

    assert not store.exists("s")
    assert raw.execute("SELECT DISTINCT session FROM entries").fetchall() == [("other",)]
    assert len(store.entries("other")) == len(RUN)


def test_a_session_can_be_made_anew_after_it_was_deleted(store: SqliteStore) -> None:
    write(store, "s", RUN)
    store.delete("s")
    write(store, "s", RUN[:1])

    assert len(store.entries("s")) == 1
    assert store.verify("s").ok


def test_unknown_sessions_are_said_to_be_unknown_and_make_no_file(store: SqliteStore) -> None:
    for ask in (store.entries, store.delete, store.verify, lambda id_: store.open(id_, create=False)):
        with pytest.raises(UnknownSession, match="there is no session nothing; `runner sessions list`"):
            ask("nothing")
    assert store.list() == ()
    assert not store.exists("nothing")
    assert not store.folder.exists()

    write(store, "s", RUN)
    with pytest.raises(UnknownSession):
        store.open("nothing", create=False)


@pytest.mark.parametrize("session", ["", "a/b", "..\\x", "é", "a b", "a\n", "x" * 1_000, "a\0"])
def test_bad_ids_are_refused_with_what_is_allowed(store: SqliteStore, session: str) -> None:
    for ask in (store.exists, store.entries, store.delete, store.verify, lambda id_: store.open(id_, create=True)):
        with pytest.raises(BadSessionId, match=r"^.{1,60} cannot be the id of a session: write 1 to 64 of.*$"):
            ask(session)
    assert not store.folder.exists()


@pytest.mark.parametrize("session", ["a", "..", ".", "-", "NUL", "2026-11-30_x.y", "x" * 64])
def test_ids_that_look_odd_stay_in_the_folder(store: SqliteStore, session: str) -> None:
    write(store, session, RUN)

    assert store.verify(session).ok
    assert {path.name for path in store.folder.iterdir()} <= {".gitignore", "locks", "sessions.db"}


@given(session=st.text())
def test_any_text_is_an_id_or_is_refused_in_one_line(session: str) -> None:
    try:
        assert check_id(session) == session
    except BadSessionId as error:
        assert len(str(error).splitlines()) == 1  # noqa: PT017 - either is right


def test_new_ids_are_good_and_new(store: SqliteStore) -> None:
    ids = {store.new_id() for _ in range(20)}

    assert len(ids) == 20
    assert all(check_id(each) for each in ids)


def test_the_state_is_for_nobody_else_and_not_for_git(store: SqliteStore) -> None:
    with store.open("s", create=True) as opened:
        opened.session.journal.note(began())
        files = [path for path in store.folder.rglob("*") if path.is_file() and path.name != ".gitignore"]
        assert len(files) >= 2
        if sys.platform != "win32":
            assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700
            assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert (store.folder / ".gitignore").read_text(encoding="utf-8") == "*\n"


def test_a_folder_that_was_there_is_not_hidden_from_git(tmp_path: Path) -> None:
    write(SqliteStore(tmp_path), "s", RUN)

    assert not (tmp_path / ".gitignore").exists()


def test_no_lock_is_left_behind(store: SqliteStore) -> None:
    write(store, "s", RUN)

    assert list((store.folder / "locks").iterdir()) == []


def test_the_second_to_open_a_session_is_told_who_has_it(store: SqliteStore) -> None:
    with store.open("s", create=True) as opened:
        for again in (
            lambda: store.open("s", create=True),
            lambda: store.open("s", create=False, wait=0.1),
            lambda: store.delete("s"),
        ):
            with pytest.raises(SessionInUse, match=r"^session s is in use by process \d+ since \d{4}-.*$") as caught:
                again()
            assert caught.value.pid is not None
            assert caught.value.since is not None
        opened.session.journal.note(began())
        with store.open("other", create=True):
            pass

    with store.open("s", create=False) as opened:
        assert opened.session.unfinished is not None


def test_a_session_can_be_read_while_it_is_open(store: SqliteStore) -> None:
    with store.open("s", create=True) as opened:
        opened.session.journal.note(began())

        assert len(store.entries("s")) == 1
        assert store.verify("s").ok
        assert store.list()[0].entries == 1


def test_a_closed_session_takes_no_more_notes(store: SqliteStore) -> None:
    opened = store.open("s", create=True)
    session = opened.session
    opened.close()
    opened.close()

    with pytest.raises(JournalError, match="session s is closed"):
        session.journal.note(began())


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entries SET json = '{}'",
        "DELETE FROM entries",
        "DELETE FROM entries WHERE number = 5",
        "INSERT OR REPLACE INTO entries SELECT id, session, number, at, kind, '{}', digest FROM entries",
        "REPLACE INTO entries (session, number, at, kind, json, digest) VALUES ('s', 5, '', '', '', '')",
    ],
)
def test_the_database_refuses_changes_of_entries(store: SqliteStore, raw: sqlite3.Connection, change: str) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="entries are"):
        raw.execute(change)

    assert [each.entry for each in store.entries("s")] == RUN


@pytest.mark.parametrize(
    ("change", "broken", "problem"),
    [
        ("UPDATE entries SET json = replace(json, 'Done', 'Gone')", 5, "entry 5 is not what was written"),
        ("UPDATE entries SET at = '2026-01-01T00:00:00+00:00' WHERE number = 2", 2, "entry 2 is not what was written"),
        ("UPDATE entries SET kind = 'Decided' WHERE number = 3", 3, "entry 3 is said to be Decided"),
        ("DELETE FROM entries WHERE number = 2", 2, "entry 2 is missing"),
        ("DELETE FROM entries WHERE number = 5", 5, "the session ends after entry 4, and 5 were written"),
        ("DELETE FROM entries", 1, "the session ends after entry 0, and 5 were written"),
        ("UPDATE sessions SET head = 'x'", 6, "the session ends after entry 5"),
        ("UPDATE sessions SET id = 't'; UPDATE entries SET session = 't'", 1, "entry 1 is not what was written"),
    ],
)
def test_what_was_changed_behind_the_back_is_found(
    store: SqliteStore, raw: sqlite3.Connection, change: str, broken: int, problem: str
) -> None:
    for (trigger,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        raw.execute(f"DROP TRIGGER {trigger}")
    raw.executescript(change)

    verification = store.verify("t" if "'t'" in change else "s")

    assert not verification.ok
    assert verification.broken == broken
    assert (verification.problem or "").startswith(problem)


def test_verification_gives_the_head_to_keep_elsewhere(store: SqliteStore) -> None:
    write(store, "s", RUN)

    verification = store.verify("s")

    assert (verification.ok, verification.entries, verification.head) == (True, 5, store.entries("s")[-1].digest)


def test_an_entry_of_a_later_version_is_told_in_one_line(store: SqliteStore, raw: sqlite3.Connection) -> None:
    raw.execute("DROP TRIGGER entries_are_not_changed")
    raw.execute("""UPDATE entries SET json = '{"type": "Dreamt"}' WHERE number = 2""")

    with pytest.raises(StoreError, match=r"^entry 2 of session s cannot be read: not an entry .*Dreamt"):
        store.entries("s")


def test_every_error_is_one_of_sessions() -> None:
    assert all(issubclass(each, SessionError) for each in (BadSessionId, UnknownSession, SessionInUse, StoreError))


def test_an_entry_can_be_noted_as_of_its_own_time(store: SqliteStore) -> None:
    write(store, "s", RUN)
    first = store.entries("s")

    with store.open("copy", create=True) as opened:
        for each in first:
            opened.note(each.entry, at=each.at)

    assert [(each.at, each.entry) for each in store.entries("copy")] == [(each.at, each.entry) for each in first]
    assert store.verify("copy").ok
    copy, original = sorted(store.list(), key=lambda info: info.id)
    assert (copy.began, copy.changed) == (original.began, original.changed) == (first[0].at, first[-1].at)


def test_entries_are_read_one_after_the_other(store: SqliteStore, raw: sqlite3.Connection) -> None:
    raw.execute("DROP TRIGGER entries_are_not_changed")
    raw.execute("UPDATE entries SET json = '{}' WHERE number = 3")

    reading = store.read("s")

    assert [next(reading).entry, next(reading).entry] == RUN[:2]
    with pytest.raises(StoreError, match="entry 3 of session s cannot be read"):
        next(reading)
    with pytest.raises(UnknownSession):
        store.read("nothing")


def test_who_stops_reading_early_leaves_nothing_open(store: SqliteStore, raw: sqlite3.Connection) -> None:
    reading = store.read("s")
    next(reading)
    del reading

    write(store, "s", [began("More")])
    assert store.verify("s").ok
