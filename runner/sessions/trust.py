"""Tells whether a session is still what was written, before anybody relies on it."""

from runner.sessions.ports import ChangedSession, Store


def change_in(store: Store, session: str) -> str | None:
    """What was changed in the session after it was written, in one line; None when nothing was.

    Raises:
        SessionError: it cannot be read, or there is none.
    """
    found = store.verify(session)
    return None if found.ok else f"session {session} was changed after it was written: {found.problem}"


def require_unchanged(store: Store, session: str) -> None:
    """Make sure that a run that goes on with the session is told what was really said.

    Raises:
        ChangedSession: it would not be; the message says what to do instead.
        SessionError: the session cannot be read, or there is none.
    """
    change = change_in(store, session)
    if change is not None:
        raise ChangedSession(
            f"{change}; it can be read (runner sessions show {session}), but no run goes on with it: begin another one"
        )
