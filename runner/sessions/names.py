"""Ids of sessions: which there can be, and new ones."""

import re
import secrets
from datetime import UTC, datetime

from runner.sessions.ports import BadSessionId

_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_SHOWN = 40


def check_id(session: str) -> str:
    """The id, if it can be one.

    Raises:
        BadSessionId: it cannot.
    """
    if _ID.fullmatch(session):
        return session
    shown = session if len(session) <= _SHOWN else f"{session[:_SHOWN]}…"
    raise BadSessionId(f"{shown!r} cannot be the id of a session: write 1 to 64 of the characters A-Z a-z 0-9 . _ -")


def random_id() -> str:
    """One that tells when it was made, and is hardly ever made twice: `20261130-170512-3fa9c1`."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
