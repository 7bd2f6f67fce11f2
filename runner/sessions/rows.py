"""Rows of the database as sessions and entries."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

from runner.engine.journal import Entry
from runner.sessions.chain import Link
from runner.sessions.codec import CodecError, entry_json, entry_of
from runner.sessions.database import Connection
from runner.sessions.ports import ChangedSession, SessionInfo, Stored, StoreError

# When a session began, its first entry says: the row of one that was saved later is younger.
_INFO = """
    SELECT id, coalesce((SELECT at FROM entries WHERE session = sessions.id AND number = 1), began), changed,
        agent, file, model, text, runs, entries, status
    FROM sessions
    UNION ALL
    SELECT DISTINCT session, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    FROM entries WHERE NOT EXISTS (SELECT 1 FROM sessions WHERE sessions.id = session)
    ORDER BY 3 DESC, 1
"""
_LINKS = "SELECT number, at, kind, json, digest FROM entries WHERE session = ? ORDER BY number"
_NO_TIME = datetime.fromtimestamp(0, UTC)
ROW_MISSING = "only its entries are left, the session itself was taken out of the list"

T = TypeVar("T")


def now() -> datetime:
    """The time as it is kept: UTC."""
    return datetime.now(UTC)


def time_text(at: datetime) -> str:
    """A time as it is kept: ISO, UTC, microseconds."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def text_of(entry: Entry) -> str:
    """An entry as it is kept, and as digests are made of it."""
    data = entry_json(entry)
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=_plain)
    if readable(text) == text:
        return text
    return json.dumps(data, separators=(",", ":"), default=_plain)


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(value)


def readable(text: str) -> str:
    """The text without halves of characters, as models, tools and names of files may have them: they are no UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def infos(connection: Connection) -> list[SessionInfo]:
    """All sessions, the one changed last first; those that cannot be read are among them."""
    return [_info(row) for row in connection.rows(_INFO)]


def _info(row: tuple[Any, ...]) -> SessionInfo:
    name, began, changed, agent, file, model, text, runs, entries, status = row
    problem = ROW_MISSING
    if entries is not None:
        try:
            return SessionInfo(
                id=_is(name, str),
                began=_time(began),
                changed=_time(changed),
                agent=_is(agent, str),
                file=_is(file, str),
                model=_is(model, str),
                text=None if text is None else _is(text, str),
                runs=_is(runs, int),
                entries=_is(entries, int),
                status=None if status is None else _is(status, str),
            )
        except ValueError as error:
            problem = f"what is kept of it in the list cannot be read: {error}"
    return SessionInfo(
        id=str(name),
        began=_NO_TIME,
        changed=_NO_TIME,
        agent="",
        file="",
        model="",
        text=None,
        runs=0,
        entries=0,
        status=None,
        problem=problem,
    )


def _is(value: object, kind: type[T]) -> T:
    if isinstance(value, kind):
        return value
    raise ValueError(f"{str(value)[:40]!r} is no {'number' if kind is int else 'text'}")


def _time(value: object) -> datetime:
    """A time as it is kept.

    Raises:
        ValueError: it is not one.
    """
    at = datetime.fromisoformat(_is(value, str))
    if at.tzinfo is None:
        raise ValueError(f"{value!r} has no time zone")
    return at


def exists(connection: Connection, session: str) -> bool:
    """Whether anything is kept under this id, readable or not."""
    anything = "SELECT 1 FROM sessions WHERE id = ? UNION ALL SELECT 1 FROM entries WHERE session = ? LIMIT 1"
    return bool(connection.rows(anything, (session, session)))


def end_of(connection: Connection, session: str) -> tuple[int, str] | None:
    """How many entries a session has, and the digest of the last; None when there is no such session.

    Raises:
        ChangedSession: the session and its entries do not fit together, so nothing can follow.
    """
    rows = connection.rows("SELECT entries, head FROM sessions WHERE id = ?", (session,))
    last = connection.rows(
        "SELECT number, digest FROM entries WHERE session = ? ORDER BY number DESC LIMIT 1", (session,)
    )
    if not rows and not last:
        return None
    if not rows:
        problem = ROW_MISSING
    elif rows[0] == (last[0] if last else (0, session)):
        return int(rows[0][0]), str(rows[0][1])
    else:
        problem = "its end is not what was written"
    raise ChangedSession(
        f"session {session} cannot be gone on with: {problem}. `runner sessions export {session}` gives what can be "
        f"read of it, `runner sessions delete {session}` makes the id free again"
    )


def links(connection: Connection, session: str) -> Iterator[Link]:
    """The entries of a session as they are kept, in order."""
    for number, at, kind, text, digest in connection.each(_LINKS, (session,)):
        yield Link(number=number, at=at, kind=kind, text=text, digest=digest)


def stored(session: str, link: Link) -> Stored:
    """An entry as it was noted down.

    Raises:
        StoreError: it cannot be read.
    """
    try:
        entry = entry_of(json.loads(_is(link.text, str)))
        return Stored(number=link.number, at=_time(link.at), entry=entry, digest=_is(link.digest, str))
    except (CodecError, ValueError, AttributeError, RecursionError) as error:
        # AttributeError: it is JSON, but no object.
        raise StoreError(f"entry {link.number} of session {session} cannot be read: {error}") from error
