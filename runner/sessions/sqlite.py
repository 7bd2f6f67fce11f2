"""Keeps the sessions of a project in a SQLite database."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from runner.sessions.chain import verified
from runner.sessions.database import NAME, Connection, connect
from runner.sessions.listing import COLUMNS, Listing
from runner.sessions.lock import SessionLock
from runner.sessions.names import check_id, random_id
from runner.sessions.ports import SessionInfo, Stored, StoreError, UnknownSession, Verification
from runner.sessions.rows import ROW_MISSING, end_of, exists, infos, links, now, stored, time_text
from runner.sessions.writing import SqliteSession

_LOCKS = "locks"


class SqliteStore:
    """A `Store` in a folder, which is made when the first session is.

    Attributes:
        folder: the folder.
        path: the database file in it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / NAME

    def new_id(self) -> str:
        """As `Store.new_id`."""
        while self.exists(session := random_id()):
            pass
        return session

    def list(self) -> tuple[SessionInfo, ...]:
        """As `Store.list`."""
        if not self.path.exists():
            return ()
        with connect(self.folder) as connection:
            return tuple(infos(connection))

    def exists(self, session: str) -> bool:
        """As `Store.exists`."""
        check_id(session)
        if not self.path.exists():
            return False
        with connect(self.folder) as connection:
            return exists(connection, session)

    def open(self, session: str, *, create: bool, wait: float | None = None) -> SqliteSession:
        """As `Store.open`."""
        check_id(session)
        if not create:
            self._require(session)
        connection = connect(self.folder)
        lock = self._lock(session)
        try:
            lock.acquire(wait)
            return SqliteSession(session, connection, lock, _begin(connection, session, create=create))
        except BaseException:
            connection.close()
            lock.release()
            raise

    def entries(self, session: str) -> tuple[Stored, ...]:
        """As `Store.entries`."""
        return tuple(self.read(session))

    def read(self, session: str) -> Iterator[Stored]:
        """As `Store.read`."""
        self._require(session)
        return self._read(session)

    def _read(self, session: str) -> Iterator[Stored]:
        with connect(self.folder) as connection:
            for link in links(connection, session):
                yield stored(session, link)

    def delete(self, session: str) -> None:
        """As `Store.delete`."""
        self._require(session)
        lock = self._lock(session)
        lock.acquire(None)
        try:
            with connect(self.folder) as connection, connection.transaction(synced=True):
                found = connection.execute("DELETE FROM sessions WHERE id = ?", (session,))
                if not connection.execute("DELETE FROM entries WHERE session = ?", (session,)) and not found:
                    raise _unknown(session)
        finally:
            lock.release()

    def verify(self, session: str) -> Verification:
        """As `Store.verify`."""
        self._require(session)
        with connect(self.folder) as connection, connection.snapshot():
            rows = connection.rows(
                f"SELECT entries, head, {', '.join(COLUMNS)} FROM sessions WHERE id = ?",  # noqa: S608 - our own names
                (session,),
            )
            if not rows:
                count = sum(1 for _ in links(connection, session))
                return Verification(session=session, entries=count, problem=ROW_MISSING)
            listing = Listing(session=session)
            entries = listing.over(links(connection, session))
            try:
                found = verified(session, entries, count=rows[0][0], head=rows[0][1])
            except StoreError as error:
                return Verification(session=session, entries=0, problem=str(error))
        problem = listing.problem(rows[0][2:]) if found.ok else None
        return found if problem is None else replace(found, problem=problem, head="")

    def _require(self, session: str) -> None:
        if not self.exists(session):
            raise _unknown(session)

    def _lock(self, session: str) -> SessionLock:
        # The prefix keeps an id such as NUL or .. from meaning something else to the system.
        return SessionLock(self.folder / _LOCKS / f"session-{session}", session)


def _unknown(session: str) -> UnknownSession:
    return UnknownSession(f"there is no session {session}; `runner sessions list` shows those there are")


def _begin(connection: Connection, session: str, *, create: bool) -> tuple[int, str]:
    """The end of the session, which is made if it may be."""
    end = end_of(connection, session)
    if end is not None:
        return end
    if not create:  # it was deleted a moment ago
        raise _unknown(session)
    at = time_text(now())
    with connection.transaction():
        connection.execute(
            "INSERT INTO sessions (id, began, changed, head) VALUES (?, ?, ?, ?)", (session, at, at, session)
        )
    return 0, session
