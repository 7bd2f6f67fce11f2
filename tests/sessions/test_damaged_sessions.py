"""One session that was damaged or changed is told by itself: it hides no other one, and can always be deleted."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from runner.engine.journal import Entry
from runner.sessions.chain import digest_of
from runner.sessions.ports import ChangedSession, StoreError
from runner.sessions.sqlite import SqliteStore
from tests.sessions.entries import began, call, ended, finished, replied, started

RUN: list[Entry] = [began(), replied(1, call("a")), started("a"), ended("a"), finished(answer="Done.")]


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    """A store with the sessions `good` and `bad`."""
    made = SqliteStore(tmp_path / "state")
    for session in ("good", "bad"):
        with made.open(session, create=True) as opened:
            for entry in RUN:
                opened.note(entry)
    return made


@pytest.fixture
def raw(store: SqliteStore) -> Iterator[sqlite3.Connection]:
    """The database without what protects it."""
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        for (trigger,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {trigger}")
        yield connection


DAMAGES = [
    "UPDATE sessions SET changed = 'garbage' WHERE id = 'bad'",
    "UPDATE sessions SET changed = '2026-11-30' WHERE id = 'bad'",
    "UPDATE sessions SET text = x'ff00' WHERE id = 'bad'",
    "UPDATE sessions SET agent = CAST(x'ff41' AS TEXT) WHERE id = 'bad'",
    "UPDATE sessions SET entries = 'abc' WHERE id = 'bad'",
    "UPDATE sessions SET runs = 'many' WHERE id = 'bad'",
    "UPDATE sessions SET head = x'00' WHERE id = 'bad'",
    "UPDATE entries SET digest = x'00' WHERE session = 'bad' AND number = 2",
    "UPDATE entries SET json = x'ff' WHERE session = 'bad' AND number = 2",
    "UPDATE entries SET json = CAST(x'22ff22' AS TEXT) WHERE session = 'bad' AND number = 2",
    "UPDATE entries SET at = 'never' WHERE session = 'bad' AND number = 1",
    "UPDATE entries SET number = 'two' WHERE session = 'bad' AND number = 2",
    "DELETE FROM sessions WHERE id = 'bad'",
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_session_hides_no_other_and_can_be_deleted(
    store: SqliteStore, raw: sqlite3.Connection, damage: str
) -> None:
    raw.execute(damage)

    assert sorted(info.id for info in store.list()) == ["bad", "good"]
    assert [store.verify(session).ok for session in ("good", "bad")] == [True, False]
    with suppress(StoreError):
        store.entries("bad")
    store.delete("bad")
    assert [info.id for info in store.list()] == ["good"]
    assert raw.execute("SELECT DISTINCT session FROM entries").fetchall() == [("good",)]


@pytest.mark.parametrize("number", [0, 1, 4])
def test_the_list_says_why_a_session_cannot_be_read(store: SqliteStore, raw: sqlite3.Connection, number: int) -> None:
    raw.execute(DAMAGES[number])

    (bad,) = [info for info in store.list() if info.problem is not None]

    assert bad.id == "bad"
    assert (bad.problem or "").startswith("what is kept of it in the list cannot be read: ")


CHANGES = {
    "changed": "'2026-01-01T00:00:00.000000+00:00'",
    "agent": "'other'",
    "file": "'/elsewhere.yaml'",
    "model": "'m/other'",
    "text": "'Something else'",
    "runs": "7",
    "status": "'timeout'",
}


@pytest.mark.parametrize("column", CHANGES)
def test_what_the_list_says_is_held_against_the_entries(
    store: SqliteStore, raw: sqlite3.Connection, column: str
) -> None:
    raw.execute(f"UPDATE sessions SET {column} = {CHANGES[column]} WHERE id = 'bad'")

    found = store.verify("bad")

    assert (found.ok, found.broken) == (False, None)
    assert found.problem == f"the list of sessions has another value of {column} than its entries"


def test_a_session_that_is_on_or_empty_or_has_several_runs_verifies(store: SqliteStore) -> None:
    with store.open("new", create=True) as opened:
        assert store.verify("new").ok
        for entry in (
            began("Hi \ud800", file="/\udcff.yaml"),
            finished("interrupted"),
            began("Go on", text=None),
            replied(1),
        ):
            opened.note(entry)
            assert store.verify("new").ok


def test_a_chain_made_anew_over_what_is_no_entry_is_told(store: SqliteStore, raw: sqlite3.Connection) -> None:
    for text in ("5", "{", '{"type": "Began"}'):
        raw.execute("DELETE FROM entries WHERE session = 'bad'")
        digest = digest_of("bad", text, "2026-11-30T00:00:00+00:00")
        raw.execute(
            "INSERT INTO entries (session, number, at, kind, json, digest) VALUES ('bad', 1, ?, 'Began', ?, ?)",
            ("2026-11-30T00:00:00+00:00", text, digest),
        )
        raw.execute("UPDATE sessions SET entries = 1, head = ? WHERE id = 'bad'", (digest,))

        assert not store.verify("bad").ok
        with pytest.raises(StoreError, match=r"^entry 1 of session bad cannot be read: [^\n]*$"):
            store.entries("bad")


def test_entries_without_their_session_are_told_with_what_to_do(store: SqliteStore, raw: sqlite3.Connection) -> None:
    raw.execute("DELETE FROM sessions WHERE id = 'bad'")

    found = store.verify("bad")
    assert (found.entries, found.problem) == (
        5,
        "only its entries are left, the session itself was taken out of the list",
    )
    with pytest.raises(
        ChangedSession,
        match=r"session bad cannot be gone on with: only its entries.*`runner sessions delete bad` makes",
    ):
        store.open("bad", create=True)
    assert [each.entry for each in store.entries("bad")] == RUN

    store.delete("bad")
    with store.open("bad", create=True) as opened:
        opened.note(began())
    assert store.verify("bad").ok


@pytest.mark.parametrize(
    "cut",
    [
        "DELETE FROM entries WHERE session = 'bad' AND number = 5",
        "UPDATE sessions SET head = 'x' WHERE id = 'bad'",
        "UPDATE sessions SET entries = 'abc' WHERE id = 'bad'",
    ],
)
def test_nothing_follows_an_end_that_was_not_written(store: SqliteStore, raw: sqlite3.Connection, cut: str) -> None:
    raw.execute(cut)

    with pytest.raises(ChangedSession, match="session bad cannot be gone on with: its end is not what was written"):
        store.open("bad", create=False)
