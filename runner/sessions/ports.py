"""What keeps sessions: the port that commands and agents use, its values, and how it fails."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from runner.engine.journal import Entry
from runner.sessions.session import Session


class SessionError(Exception):
    """Something about a session is not possible; the message is one line for a person."""


class BadSessionId(SessionError):  # noqa: N818 - what is wrong, in a word
    """The id cannot be one of a session."""


class UnknownSession(SessionError):  # noqa: N818 - as above
    """There is no such session."""


class SessionInUse(SessionError):  # noqa: N818 - as above
    """Another run has the session open.

    Attributes:
        pid: the process of that run, None when it is not known.
        since: when it opened the session, None when it is not known.
    """

    def __init__(self, message: str, *, pid: int | None, since: datetime | None) -> None:
        super().__init__(message)
        self.pid = pid
        self.since = since


class ChangedSession(SessionError):  # noqa: N818 - as above
    """The session is not what was written, so no run goes on with it."""


class StoreError(SessionError):
    """The store cannot be read or written: no permission, a full disk, a damaged file, one of a newer version."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionInfo:
    """A session in a list.

    Attributes:
        id: its name.
        agent: the name of the agent of the last run, empty when nothing has begun yet.
        file: the path of that agent.
        model: the model of the last run, as asked for.
        text: the text of the first run, None when it had none.
        began: when it was made (UTC).
        changed: when the last entry was written (UTC).
        runs: how many have begun.
        entries: how many were written.
        status: how the last run ended; None while it is on, or when it broke off.
        problem: why it cannot be read, in one line: of the rest only `id` means something then; None when it can.
    """

    id: str
    agent: str
    file: str
    model: str
    text: str | None
    began: datetime
    changed: datetime
    runs: int
    entries: int
    status: str | None
    problem: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Stored:
    """An entry as it is kept.

    Attributes:
        number: its place in the session, from 1.
        at: when it was written (UTC).
        entry: what was noted down.
        digest: SHA-256 in hexadecimal over the digest before, the entry and the time: one link of the chain.
    """

    number: int
    at: datetime
    entry: Entry
    digest: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Verification:
    """Whether the entries of a session are what was written.

    Attributes:
        session: its id.
        entries: how many were read.
        broken: the number of the first entry that is not what was written, or that is missing; None when there is none.
        problem: what is wrong with it or with the session, in one line; None when all is well.
        head: the digest of the last entry, to be kept elsewhere by who wants to be sure; its id when there is none.
    """

    session: str
    entries: int
    broken: int | None = None
    problem: str | None = None
    head: str = ""

    @property
    def ok(self) -> bool:
        """Whether all is well."""
        return self.problem is None


class OpenSession(AbstractContextManager["OpenSession"], Protocol):
    """A session that belongs to this process until it is closed, at the end of the `with` block."""

    @property
    def id(self) -> str:
        """Its name."""

    @property
    def session(self) -> Session:
        """The session as it stands now, read again each time: after a run it has another history.

        Raises:
            StoreError: it cannot be read.
        """

    def note(self, entry: Entry, *, at: datetime | None = None) -> None:
        """Write an entry down as the journal of the session does, as of a time; None means now.

        Raises:
            JournalError: it cannot be written.
        """

    def close(self) -> None:
        """Let others have it; closing twice does no harm."""


class Store(Protocol):
    """Keeps sessions. Every method raises `StoreError` when the store cannot be used."""

    def new_id(self) -> str:
        """An id that no session has."""

    def list(self) -> tuple[SessionInfo, ...]:
        """All sessions, the one changed last first; those that cannot be read are among them, see `problem`."""

    def exists(self, session: str) -> bool:
        """Whether there is such a session, readable or not.

        Raises:
            BadSessionId: no session can have this id.
        """

    def open(self, session: str, *, create: bool, wait: float | None = None) -> OpenSession:
        """Open a session for runs, one after the other; its journal raises `JournalError` when it cannot write.

        Args:
            session: its id.
            create: whether it is made when there is none.
            wait: seconds to wait while another run has it open; None means not at all.

        Raises:
            BadSessionId: no session can have this id.
            UnknownSession: there is none, and `create` is false.
            SessionInUse: another run has it open.
            ChangedSession: its end is not what was written, so nothing can follow.
        """

    def entries(self, session: str) -> "tuple[Stored, ...]":
        """Everything noted down in a session, in order; also while a run has it open.

        Raises:
            BadSessionId: no session can have this id.
            UnknownSession: there is none.
        """

    def read(self, session: str) -> Iterator[Stored]:
        """The same, one after the other: a long session need not fit into memory.

        Raises:
            BadSessionId: no session can have this id.
            UnknownSession: there is none.
            StoreError: an entry cannot be read; those before it were given.
        """

    def delete(self, session: str) -> None:
        """Delete a session with all its entries.

        Raises:
            BadSessionId: no session can have this id.
            UnknownSession: there is none.
            SessionInUse: a run has it open.
        """

    def verify(self, session: str) -> Verification:
        """Check the chain of digests of a session.

        Raises:
            BadSessionId: no session can have this id.
            UnknownSession: there is none.
        """
