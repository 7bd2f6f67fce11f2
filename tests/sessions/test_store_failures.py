"""What goes wrong with files and disks is told in one line, and what was kept before stays."""

import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from runner.engine.journal import JournalError
from runner.sessions.database import connect
from runner.sessions.ports import StoreError
from runner.sessions.schema import MIGRATIONS
from runner.sessions.sqlite import SqliteStore
from tests.sessions.entries import began, finished, replied

NOBODY = 65534
VERSION_1 = Path(__file__).parent / "version_1.sql"


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return SqliteStore(tmp_path / "state")


def keep_one(store: SqliteStore, session: str = "s") -> None:
    with store.open(session, create=True) as opened:
        opened.session.journal.note(began())


@pytest.mark.parametrize(
    "content", [b"no database" * 100, b"SQLite format 3\0" + b"\xff" * 4_000], ids=["text", "torn"]
)
def test_a_damaged_file_is_told_and_left_as_it_is(store: SqliteStore, content: bytes) -> None:
    store.folder.mkdir()
    store.path.write_bytes(content)

    for ask in (store.list, lambda: store.entries("s"), lambda: store.open("s", create=True), store.new_id):
        with pytest.raises(StoreError, match=r"^.*sessions\.db is damaged \([^\n]*\): put a copy in its place[^\n]*$"):
            ask()
    assert store.path.read_bytes() == content


def test_damage_inside_of_the_file_is_told(store: SqliteStore) -> None:
    with store.open("s", create=True) as opened:
        for number in range(40):
            opened.session.journal.note(replied(number, text="x" * 2_000) if number else began())
    content = bytearray(store.path.read_bytes())
    content[3 * 4096 :] = b"\xa5" * len(content[3 * 4096 :])
    store.path.write_bytes(content)

    with pytest.raises(StoreError, match="damaged"):
        store.entries("s")


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(StoreError, match=r"^sessions cannot be kept in .*: Not a directory$"):
        SqliteStore(tmp_path / "file" / "state").open("s", create=True)


def test_a_folder_in_the_place_of_the_file_is_told(store: SqliteStore) -> None:
    store.path.mkdir(parents=True)

    with pytest.raises(StoreError, match=r"sessions\.db cannot be opened: it is no file, or "):
        store.open("s", create=True)


@pytest.fixture
def read_only() -> Iterator[SqliteStore]:
    """A store with a session in a folder that this process may only read; it is no longer root until the end."""
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteStore(Path(folder) / "state")
        keep_one(store)
        Path(folder).chmod(0o755)
        store.folder.chmod(0o555)
        store.path.chmod(0o444)
        user = os.geteuid()
        os.seteuid(NOBODY if user == 0 else user)
        try:
            yield store
        finally:
            os.seteuid(user)
            store.folder.chmod(0o700)


@pytest.mark.skipif(sys.platform == "win32", reason="has other permissions")
def test_a_read_only_folder_is_told(read_only: SqliteStore) -> None:
    with pytest.raises(StoreError, match=r"^.*sessions\.db cannot be written: the file or its folder is read-only$"):
        read_only.open("t", create=True)


def test_entries_that_are_no_runs_are_told(store: SqliteStore) -> None:
    with store.open("s", create=True) as opened:
        opened.session.journal.note(replied(1))

        with pytest.raises(StoreError, match=r"^session s cannot be read: the first entry is Replied"):
            _ = opened.session


@pytest.mark.parametrize("again", [False, True], ids=["deleted", "replaced"])
def test_a_file_deleted_under_an_open_session_ends_the_run(store: SqliteStore, *, again: bool) -> None:
    with store.open("s", create=True) as opened:
        opened.session.journal.note(began())
        store.path.unlink()
        if again:
            store.path.touch()

        with pytest.raises(JournalError, match="was deleted or replaced while it was in use"):
            opened.session.journal.note(replied(1))


def test_a_session_deleted_behind_the_back_ends_the_run(store: SqliteStore) -> None:
    with store.open("s", create=True) as opened, connect(store.folder) as other:
        with other.transaction():
            other.execute("DELETE FROM sessions")

        with pytest.raises(JournalError, match="session s was changed or deleted by another program"):
            opened.session.journal.note(began())
    assert store.list() == ()


@pytest.mark.skipif(sys.platform == "win32", reason="has no such limit")
def test_what_was_kept_before_the_disk_was_full_stays(store: SqliteStore) -> None:
    keep_one(store)
    # A limit on the size of files fails as a full disk does: in the middle of a write.
    child = subprocess.run(
        [sys.executable, __file__, str(store.folder)], capture_output=True, text=True, check=False, timeout=60
    )

    assert (child.returncode, child.stderr) == (0, "")
    written, _, problem = child.stdout.strip().partition(" ")
    assert problem.startswith(f"{store.path} cannot be ")
    assert len(store.entries("s")) == 1 + int(written)
    assert store.verify("s").ok


def test_a_full_disk_is_called_so(store: SqliteStore) -> None:
    keep_one(store)
    with connect(store.folder) as connection:
        connection.rows("PRAGMA max_page_count = 1")  # SQLite sets it to what there is

        with pytest.raises(StoreError, match=r"cannot be written: the disk is full$"), connection.transaction():
            connection.execute("INSERT INTO sessions (id, began, changed) VALUES ('x', ?, '')", ("x" * 100_000,))
        assert connection.rows("SELECT id FROM sessions") == [("s",)]


def test_a_database_of_version_1_is_brought_up_to_date(store: SqliteStore) -> None:
    store.folder.mkdir()
    with closing(sqlite3.connect(store.path)) as connection:
        connection.executescript(VERSION_1.read_text(encoding="utf-8"))

    assert [info.id for info in store.list()] == ["old"]
    assert [type(each.entry).__name__ for each in store.entries("old")] == ["Began", "Finished"]
    assert store.verify("old").ok
    with store.open("old", create=False) as opened:
        opened.session.journal.note(began("And now?"))
        opened.session.journal.note(finished(answer="Now as well."))
    assert len(store.entries("old")) == 4
    assert version_of(store) == len(MIGRATIONS)


def test_a_database_brought_up_to_date_is_like_a_new_one(store: SqliteStore, tmp_path: Path) -> None:
    new = SqliteStore(tmp_path / "new")
    keep_one(new)
    store.folder.mkdir()
    with closing(sqlite3.connect(store.path)) as connection:
        connection.executescript(VERSION_1.read_text(encoding="utf-8"))
    store.list()

    assert schema_of(store) == schema_of(new)


def test_a_database_of_a_newer_version_is_left_alone(store: SqliteStore) -> None:
    keep_one(store)
    with closing(sqlite3.connect(store.path)) as connection:
        connection.execute("PRAGMA user_version = 99")

    for ask in (store.list, lambda: store.open("s", create=True)):
        with pytest.raises(StoreError, match=r"was written by a newer version .*schema is 99.*: update the program$"):
            ask()
    assert version_of(store) == 99


def schema_of(store: SqliteStore) -> set[str]:
    with closing(sqlite3.connect(store.path)) as connection:
        return {" ".join(sql.split()) for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql <> ''")}


def version_of(store: SqliteStore) -> int:
    with closing(sqlite3.connect(store.path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def fill(folder: Path) -> None:
    """Note things down until the system refuses to write, and tell how many it took and what was said."""
    import resource  # noqa: PLC0415 - there is none on Windows

    store, written = SqliteStore(folder), 0
    with store.open("s", create=False) as opened:
        resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000))
        try:
            for number in range(1, 1_000):
                opened.session.journal.note(replied(number, text="x" * 5_000))
                written = number
        except JournalError as error:
            print(written, error)  # noqa: T201 - what the parent reads


if __name__ == "__main__":
    fill(Path(sys.argv[1]))
