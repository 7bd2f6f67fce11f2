"""A session of the database, open for writing: every entry is one commit."""

from datetime import datetime
from typing import Self

from runner.engine.journal import Began, CallStarted, Entry, Finished, JournalError
from runner.sessions.chain import digest_of
from runner.sessions.database import Connection
from runner.sessions.lock import SessionLock
from runner.sessions.ports import StoreError
from runner.sessions.replay import replay
from runner.sessions.rows import links, now, readable, stored, text_of, time_text
from runner.sessions.session import Session


class SqliteSession:
    """An `OpenSession`; the journal of its session is itself."""

    def __init__(self, session: str, connection: Connection, lock: SessionLock, end: tuple[int, str]) -> None:
        self.id = session
        self._connection = connection
        self._lock = lock
        self._count, self._head = end
        self._closed = False

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """As `OpenSession.close`."""
        self._closed = True
        self._connection.close()
        self._lock.release()

    @property
    def session(self) -> Session:
        """As `OpenSession.session`."""
        try:
            replayed = replay(stored(self.id, link).entry for link in links(self._connection, self.id))
        except ValueError as error:
            raise StoreError(f"session {self.id} cannot be read: {error}") from error
        return Session(id=self.id, journal=self, history=replayed.history, unfinished=replayed.unfinished)

    def note(self, entry: Entry, *, at: datetime | None = None) -> None:
        """Write an entry down, as `Journal.note` and `OpenSession.note` say.

        The start of a tool call and the end of a run survive a power cut. Of what came after them, a power cut may lose
        the latest part, of which the model is then asked once more, or nobody knows what a call did.
        """
        if self._closed:
            raise JournalError(f"session {self.id} is closed: nothing can be noted down in it")
        text, when, number = text_of(entry), time_text(at or now()), self._count + 1
        digest = digest_of(self._head, text, when)
        kind = type(entry).__name__
        try:
            with self._connection.transaction(synced=isinstance(entry, CallStarted | Finished)):
                self._connection.execute(
                    "INSERT INTO entries (session, number, at, kind, json, digest) VALUES (?, ?, ?, ?, ?, ?)",
                    (self.id, number, when, kind, text, digest),
                )
                self._move_end(entry, when, digest)
        except StoreError as error:
            raise JournalError(str(error)) from error
        self._count, self._head = number, digest

    def _move_end(self, entry: Entry, at: str, digest: str) -> None:
        status = entry.finished.status if isinstance(entry, Finished) else None
        here = (self.id, self._count)
        moved = self._connection.execute(
            "UPDATE sessions SET changed = ?, head = ?, entries = entries + 1, status = ? WHERE id = ? AND entries = ?",
            (at, digest, status, *here),
        )
        if not moved:
            raise StoreError(f"session {self.id} was changed or deleted by another program while it was open")
        if isinstance(entry, Began):
            self._connection.execute(
                "UPDATE sessions SET agent = ?, file = ?, model = ?, runs = runs + 1,"
                " text = CASE runs WHEN 0 THEN ? ELSE text END WHERE id = ?",
                (
                    readable(entry.agent),
                    readable(entry.file),
                    readable(entry.model),
                    entry.text and readable(entry.text),
                    self.id,
                ),
            )
