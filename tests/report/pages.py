"""The page of a session in one piece."""

from collections.abc import Sequence

from runner.report import session_html as pieces
from runner.sessions.ports import Stored


def session_html(stored: Sequence[Stored], title: str) -> str:
    """All of it."""
    return "".join(pieces.session_html(stored, title))
