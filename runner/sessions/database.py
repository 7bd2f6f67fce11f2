"""The SQLite database of a project: opened, brought up to date, and its failures said in one line."""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any, Self, TypeVar

from runner.sessions.folder import prepare
from runner.sessions.ports import StoreError
from runner.sessions.schema import MIGRATIONS

NAME = "sessions.db"
# Seconds that a write may wait for those of other processes, each of which takes well under a millisecond.
_BUSY = 60.0
_POLL = 0.01

Value = str | int | float | bytes | None
T = TypeVar("T")


class Connection:
    """A connection to the database, for one thread at a time; close it, or use it as a context manager.

    All methods raise `StoreError`.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path = path
        self._connection = connection
        self._opened = path.stat()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Let go of the file; doing so twice does no harm."""
        with suppress(sqlite3.Error):  # what was committed is safe, and nothing else matters here
            self._connection.close()

    def rows(self, statement: str, values: Sequence[Value] = ()) -> list[tuple[Any, ...]]:
        """The rows that a query gives."""
        with _said(self._path):
            return self._connection.execute(statement, values).fetchall()

    def each(self, statement: str, values: Sequence[Value] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows that a query gives, one after the other; all are of the state at the first."""
        with _said(self._path):
            # `yield from` would close the cursor of whoever stops early, which fails once the connection is closed.
            for row in self._connection.execute(statement, values):  # noqa: UP028
                yield row

    def execute(self, statement: str, values: Sequence[Value] = ()) -> int:
        """Carry out a change inside `transaction`; how many rows it was about."""
        with _said(self._path):
            return self._connection.execute(statement, values).rowcount

    @contextmanager
    def transaction(self, *, synced: bool = False) -> Iterator[None]:
        """All changes of the block, or none when it raises; they are committed at its end.

        What is committed survives the end of this process, however it ends. With `synced` it has reached the disk, with
        everything before it, so it survives a power cut as well.
        """
        self._check_in_place()
        with _said(self._path):
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if synced else 'NORMAL'}")
            self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            with _said(self._path):
                self._connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # SQLite has rolled back by itself
                self._connection.execute("ROLLBACK")
            raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All queries of the block see the same state."""
        with _said(self._path):
            self._connection.execute("BEGIN")
        try:
            yield
        finally:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")

    def _check_in_place(self) -> None:
        # Whoever deletes the file leaves this process writing into nothing.
        try:
            in_place = os.path.samestat(self._path.stat(), self._opened)
        except OSError:
            in_place = False
        if not in_place:
            raise StoreError(f"{self._path} was deleted or replaced while it was in use: nothing can be kept in it now")


def connect(folder: Path) -> Connection:
    """Open the database in `folder`; both are made when there are none.

    Raises:
        StoreError: it cannot be used.
    """
    prepare(folder)
    path = folder / NAME
    with _said(path):
        _create(path)
        # Runs are iterated in whatever thread the caller likes, but never in two at once.
        plain = sqlite3.connect(path, timeout=_BUSY, isolation_level=None, check_same_thread=False)
        plain.text_factory = _text
    connection = Connection(path, plain)
    try:
        with _said(path):
            _patiently(lambda: plain.execute("PRAGMA journal_mode = WAL").fetchall())
            _patiently(lambda: _bring_up_to_date(path, plain))
    except BaseException:
        connection.close()
        raise
    return connection


def _create(path: Path) -> None:
    """Make the file, which SQLite would let others read. One that is there is not opened.

    To close any descriptor of a file drops all locks that this process has on it, those of another connection too; the
    next process would then take the log in use for a left-over, and delete it ("How To Corrupt An SQLite Database
    File", section 2.2, sqlite.org).
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def _text(data: bytes) -> str:
    # What another program wrote need not be UTF-8; that it was changed, the chain of digests tells.
    return data.decode("utf-8", "replace")


def _patiently(act: Callable[[], T]) -> T:
    """Some of what is done when a database is opened, SQLite refuses to wait for."""
    until = time.monotonic() + _BUSY
    while True:
        try:
            return act()
        except sqlite3.OperationalError as error:
            if not _is_busy(error) or time.monotonic() >= until:
                raise
        time.sleep(_POLL)


def _bring_up_to_date(path: Path, connection: sqlite3.Connection) -> None:
    if _version(path, connection) == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in chain.from_iterable(MIGRATIONS[_version(path, connection) :]):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _version(path: Path, connection: sqlite3.Connection) -> int:
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version > len(MIGRATIONS):
        raise StoreError(
            f"{path} was written by a newer version of this program (its schema is {version}, this one knows "
            f"{len(MIGRATIONS)}): update the program"
        )
    return version


@contextmanager
def _said(path: Path) -> Iterator[None]:
    """Say what SQLite and the system have to say as `StoreError`."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(_problem(path, error)) from error
    except OSError as error:
        raise StoreError(f"{path} cannot be opened: {error.strerror or error}") from error


def _is_busy(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _problem(path: Path, error: sqlite3.Error) -> str:
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:  # the rest of it tells details
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return f"{path} is kept busy by another program, for more than {_BUSY:g} s"
        case sqlite3.SQLITE_FULL:
            return f"{path} cannot be written: the disk is full"
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return f"{path} is damaged ({error}): put a copy in its place, or move it away to begin with an empty one"
        case sqlite3.SQLITE_CANTOPEN:
            return f"{path} cannot be opened: it is no file, or the file or its folder may not be written"
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return f"{path} cannot be written: the file or its folder is read-only"
        case _:
            return f"{path} cannot be used: {error}"
