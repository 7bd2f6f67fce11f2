"""Rows of the database as sessions and entries."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime

from runner.engine.journal import Entry
from runner.sessions.chain import Link
from runner.sessions.codec import CodecError, entry_json, entry_of
from runner.sessions.database import Connection
from runner.sessions.ports import SessionInfo, Stored, StoreError

_INFO = "SELECT id, began, changed, agent, file, model, text, runs, entries, status FROM sessions"


def now() -> str:
    """The time as it is kept: ISO, UTC, microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


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
    """All sessions, the one changed last first."""
    return [
        SessionInfo(
            id=row[0],
            began=datetime.fromisoformat(row[1]),
            changed=datetime.fromisoformat(row[2]),
            agent=row[3],
            file=row[4],
            model=row[5],
            text=row[6],
            runs=row[7],
            entries=row[8],
            status=row[9],
        )
        for row in connection.rows(f"{_INFO} ORDER BY changed DESC, id")
    ]


def end_of(connection: Connection, session: str) -> tuple[int, str] | None:
    """How many entries a session has, and the digest of the last; None when there is no such session."""
    rows = connection.rows("SELECT entries, head FROM sessions WHERE id = ?", (session,))
    return (int(rows[0][0]), str(rows[0][1])) if rows else None


def links(connection: Connection, session: str) -> list[Link]:
    """The entries of a session as they are kept, in order."""
    rows = connection.rows(
        "SELECT number, at, kind, json, digest FROM entries WHERE session = ? ORDER BY number", (session,)
    )
    return [Link(number=row[0], at=row[1], kind=row[2], text=row[3], digest=row[4]) for row in rows]


def stored(session: str, link: Link) -> Stored:
    """An entry as it was noted down.

    Raises:
        StoreError: it cannot be read.
    """
    try:
        entry = entry_of(json.loads(link.text))
        return Stored(number=link.number, at=datetime.fromisoformat(link.at), entry=entry, digest=link.digest)
    except (CodecError, ValueError) as error:
        raise StoreError(f"entry {link.number} of session {session} cannot be read: {error}") from error
