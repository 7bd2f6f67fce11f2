"""What people corrected about the calls of agents: kept in the database of sessions, and found again by its words."""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from runner.sessions.database import NAME, Connection, Value, connect
from runner.sessions.ports import SessionError
from runner.sessions.rows import now, readable, time_text
from runner.spec import JsonObject

MOST_TOLD = 5
_MOST_WORDS = 100
_COLUMNS = "id, agent, tool, arguments, edited, reason, made_by, at"
# Scripts written without spaces: found by pairs of neighbouring characters.
_UNSPACED = re.compile("[\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]")
_RUN = re.compile(f"{_UNSPACED.pattern}+|(?:(?!{_UNSPACED.pattern})\\w)+")


class UnknownCorrection(SessionError):  # noqa: N818 - what is wrong, in a word
    """There is no such correction."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Correction:
    """What a person said to a call that an agent wanted to make.

    Attributes:
        arguments: those that the model gave.
        edited: those that the person gave instead, None when they rejected the call.
        reason: why they rejected it, None when they changed it.
        by: who they are.
    """

    agent: str
    tool: str
    arguments: JsonObject
    edited: JsonObject | None
    reason: str | None
    by: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Kept:
    """A correction as it is kept; `at` is when it was made last (UTC)."""

    id: int
    at: datetime
    correction: Correction


class Feedback:
    """The corrections in the database of a folder, which is made when the first one is kept.

    All methods raise `StoreError` when the database cannot be used.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, correction: Correction) -> None:
        """Keep a correction; one that was made before is the newest again."""
        texts = (_text(correction.arguments), _text(correction.edited), readable(correction.reason or ""))
        with connect(self._folder) as connection, connection.transaction():
            ((number,),) = connection.rows(
                "INSERT INTO feedback (agent, tool, arguments, edited, reason, made_by, at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET at = excluded.at, made_by = excluded.made_by RETURNING id",
                (correction.agent, correction.tool, *texts, readable(correction.by), time_text(now())),
            )
            arguments, edited, reason = (_spaced(text) for text in texts)
            connection.execute("DELETE FROM feedback_words WHERE rowid = ?", (number,))
            connection.execute(
                "INSERT INTO feedback_words (rowid, tool, arguments, reason) VALUES (?, ?, ?, ?)",
                (number, correction.tool, f"{arguments} {edited}", reason),
            )

    def list(self, agent: str | None = None) -> tuple[Kept, ...]:
        """All corrections, or those of one agent, the newest first."""
        if not self._exists():
            return ()
        where, values = _of(agent)
        with connect(self._folder) as connection:
            rows = connection.rows(f"SELECT {_COLUMNS} FROM feedback{where} ORDER BY at DESC, id DESC", values)  # noqa: S608 - no text from outside is in it
        return tuple(map(_kept, rows))

    def relevant(self, agent: str, *, text: str, tools: Collection[str]) -> tuple[Kept, ...]:
        """The corrections about tools of an agent that fit a text best, the newest first; at most `MOST_TOLD`.

        Where fewer have words of the text, the newest others are among them: the same wish may be put in other words.
        """
        if not tools or not self._exists():
            return ()
        question = " OR ".join(f'"{term}"' for term in (*tools, *_terms(text)))
        places = ", ".join("?" * len(tools))
        with connect(self._folder) as connection:
            rows = connection.rows(
                f"SELECT {_COLUMNS} FROM feedback JOIN"  # noqa: S608 - as above
                " (SELECT rowid AS number, rank AS fit FROM feedback_words WHERE feedback_words MATCH ?)"
                f" ON number = id WHERE agent = ? AND tool IN ({places}) ORDER BY fit, at DESC, id DESC LIMIT ?",
                (question, agent, *tools, MOST_TOLD),
            )
        return tuple(sorted(map(_kept, rows), key=lambda kept: (kept.at, kept.id), reverse=True))

    def forget(self, numbers: Iterable[int]) -> None:
        """Delete these corrections; all of them or, when there is one that does not exist, none.

        Raises:
            UnknownCorrection: there is one.
        """
        wanted = dict.fromkeys(numbers)
        if not self._exists():
            raise _unknown(next(iter(wanted), 0))
        with connect(self._folder) as connection, connection.transaction():
            for number in wanted:
                if not _delete(connection, "id = ?", (number,)):
                    raise _unknown(number)

    def forget_all(self, agent: str | None = None) -> int:
        """Delete all corrections, or those of one agent; how many there were."""
        if not self._exists():
            return 0
        with connect(self._folder) as connection, connection.transaction():
            return _delete(connection, "1" if agent is None else "agent = ?", () if agent is None else (agent,))

    def _exists(self) -> bool:
        return (self._folder / NAME).exists()


def _delete(connection: Connection, where: str, values: tuple[Value, ...]) -> int:
    connection.execute(
        f"DELETE FROM feedback_words WHERE rowid IN (SELECT id FROM feedback WHERE {where})",  # noqa: S608 - as above
        values,
    )
    return connection.execute(f"DELETE FROM feedback WHERE {where}", values)  # noqa: S608 - as above


def _of(agent: str | None) -> tuple[str, tuple[Value, ...]]:
    return ("", ()) if agent is None else (" WHERE agent = ?", (agent,))


def _unknown(number: int) -> UnknownCorrection:
    return UnknownCorrection(f"there is no correction {number}; `runner feedback list` shows those there are")


def _text(arguments: JsonObject | None) -> str:
    if arguments is None:
        return ""
    return readable(json.dumps(arguments, ensure_ascii=False, sort_keys=True, default=str))


def _kept(row: tuple[int, str, str, str, str, str, str, str]) -> Kept:
    number, agent, tool, arguments, edited, reason, by, at = row
    correction = Correction(
        agent=agent,
        tool=tool,
        arguments=json.loads(arguments),
        edited=json.loads(edited) if edited else None,
        reason=None if edited else reason,
        by=by,
    )
    return Kept(id=number, at=datetime.fromisoformat(at), correction=correction)


def _spaced(text: str) -> str:
    return _UNSPACED.sub(r" \g<0> ", text)


def _terms(text: str) -> Iterator[str]:
    """What to look for; no character of it is search syntax."""
    words = dict.fromkeys(_RUN.findall(text.casefold()))
    for word in list(words)[:_MOST_WORDS]:
        if _UNSPACED.match(word):
            yield from (" ".join(pair) for pair in pairwise(word))
        else:
            yield word
