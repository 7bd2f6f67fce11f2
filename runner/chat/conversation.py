"""The turns of a chat, kept in memory or in a session of the store."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from runner.engine.journal import Began, CallStarted, Entry, Finished, JournalError
from runner.sessions.names import random_id
from runner.sessions.ports import OpenSession, SessionError, Store
from runner.sessions.replay import replay
from runner.sessions.session import Session, Unfinished
from runner.sessions.trust import require_unchanged


@dataclass(frozen=True, kw_only=True, slots=True)
class Undone:
    """A turn that was taken back.

    Attributes:
        text: what was said to the agent.
        calls: how many tool calls were begun in it.
        kept_in: the session that still has it; None when nothing has.
    """

    text: str
    calls: int
    kept_in: str | None


class Conversation:
    """What was said so far; the journal of every turn.

    What a store holds is never changed: a conversation that is kept and goes on without its last turn, or begins anew,
    is kept from the next turn on as another session.

    Args:
        store: not written to before there is something to keep.

    Attributes:
        id: the id of the session, or of the one it would become.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._entries: list[Entry] = []
        self._times: list[datetime] = []  # when each of them was noted: what is saved later tells so
        self._opened: OpenSession | None = None
        self._keep_next = False
        self._beginning: tuple[Began, datetime] | None = None  # of a turn in which nothing has happened yet
        self.id = random_id()

    @property
    def kept(self) -> bool:
        """Whether the store has everything that was said."""
        return self._opened is not None

    @property
    def keeping(self) -> bool:
        """Whether the store will have the next turn."""
        return self.kept or self._keep_next

    @property
    def turns(self) -> int:
        """How many turns there are."""
        return sum(isinstance(entry, Began) for entry in self._entries)

    @property
    def agent(self) -> str | None:
        """The name of the agent of the last turn; None when there is none."""
        return next((entry.agent for entry in reversed(self._entries) if isinstance(entry, Began)), None)

    @property
    def unfinished(self) -> Unfinished | None:
        """The last turn, when it can be gone on with."""
        return replay(self._entries).unfinished

    def open(self, session: str, *, wait: float | None = None) -> None:
        """Go on with a session, or begin one of this id.

        Raises:
            SessionError: that is not possible, or the session was changed after it was written.
        """
        opened = self._store.open(session, create=True, wait=wait)
        try:
            require_unchanged(self._store, session)
            stored = self._store.entries(session)
            self._entries = [each.entry for each in stored]
            self._times = [each.at for each in stored]
            self._attach(opened)
        except BaseException:
            opened.close()
            raise

    def next(self) -> Session:
        """The session of the next turn.

        Raises:
            SessionError: it is to be kept, and cannot be.
        """
        if self._keep_next:
            self.save(None)
        replayed = replay(self._entries)
        return Session(id=self.id, journal=self, history=replayed.history, unfinished=replayed.unfinished)

    def note(self, entry: Entry) -> None:
        """Note what happens in a turn; see `Journal.note`.

        A turn that cannot begin, because of how the agent is configured, leaves nothing behind.
        """
        at = datetime.now(UTC)
        if isinstance(entry, Began):
            self._beginning = (entry, at)
        elif self._beginning is not None and isinstance(entry, Finished) and entry.finished.status == "config_invalid":
            self._beginning = None
        else:
            self.confirm()
            self._add(entry, at)

    def confirm(self) -> None:
        """Note that the turn has begun, unless that is noted already.

        Raises:
            JournalError: it cannot be noted.
        """
        if self._beginning is not None:
            began, at = self._beginning
            self._beginning = None
            self._add(began, at)

    def _add(self, entry: Entry, at: datetime) -> None:
        if self._opened is not None:
            self._opened.note(entry, at=at)
        self._entries.append(entry)
        self._times.append(at)

    def save(self, session: str | None) -> None:
        """Keep all turns, and those to come, in a new session (None: under the own id).

        Raises:
            SessionError: there is a session of this id already, or it cannot be written.
        """
        name = session or self.id
        if self._store.exists(name):
            raise SessionError(f"there is a session {name} already; give another id")
        opened = self._store.open(name, create=True)
        try:
            for entry, at in zip(self._entries, self._times, strict=True):
                opened.note(entry, at=at)
        except JournalError as error:
            opened.close()
            with suppress(SessionError):  # half a conversation is of no use; why it is half is said next
                self._store.delete(name)
            raise SessionError(str(error)) from None
        self.close()
        self._attach(opened)

    def keep(self) -> None:
        """Keep everything from the next turn on, as `save` would."""
        self._keep_next = not self.kept

    def undo(self) -> Undone | None:
        """Take the last turn back; None when there is none."""
        begun = [number for number, entry in enumerate(self._entries) if isinstance(entry, Began)]
        if not begun:
            return None
        dropped = self._entries[begun[-1] :]
        began = dropped[0]
        assert isinstance(began, Began)  # noqa: S101 - it was chosen so
        undone = Undone(
            text=began.text or "",
            calls=len({entry.id for entry in dropped if isinstance(entry, CallStarted)}),
            kept_in=self.id if self.kept else None,
        )
        self._entries, self._times = self._entries[: begun[-1]], self._times[: begun[-1]]
        self._leave()
        return undone

    def reset(self) -> None:
        """Begin anew, as another session; one that was named and has nothing yet keeps its name."""
        self._entries, self._times = [], []
        self._leave(anew=not self._keep_next)

    def close(self) -> None:
        """Let others have the session."""
        if self._opened is not None:
            self._opened.close()
        self._opened = None

    def _attach(self, opened: OpenSession) -> None:
        self._opened = opened
        self._keep_next = False
        self.id = opened.id

    def _leave(self, *, anew: bool = False) -> None:
        """Part with the session that is open, if any."""
        if self._opened is not None:
            self._keep_next = True
            anew = True
        self.close()
        if anew:
            self.id = random_id()
