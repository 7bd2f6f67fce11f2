"""The chain of digests over the entries of a session: no entry can be changed without changing all after it."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass

from runner.sessions.ports import Verification


@dataclass(frozen=True, kw_only=True, slots=True)
class Link:
    """An entry as it is kept: `text` is its JSON, `at` the time in ISO form."""

    number: int
    at: str
    kind: str
    text: str
    digest: str


def digest_of(previous: str, text: str, at: str) -> str:
    """SHA-256 in hexadecimal over the digest before (at first the id of the session), the time and the entry."""
    return hashlib.sha256(f"{previous}\n{at}\n{text}".encode()).hexdigest()


def verified(session: str, links: Iterable[Link], *, count: object, head: object) -> Verification:
    """The first entry that breaks the chain, if any; `count` and `head` are what was kept of its end besides."""
    previous, number = session, 0
    for number, link in enumerate(links, start=1):
        problem = _problem(previous, number, link)
        if problem is not None:
            return Verification(session=session, entries=number, broken=number, problem=problem)
        previous = link.digest
    if number != count or previous != head:
        problem = f"the session ends after entry {number}, and {count} were written"
        return Verification(session=session, entries=number, broken=number + 1, problem=problem)
    return Verification(session=session, entries=number, head=previous)


def _problem(previous: str, number: int, link: Link) -> str | None:
    if link.number != number:
        return f"entry {number} is missing"
    if link.digest != digest_of(previous, link.text, link.at):
        return f"entry {number} is not what was written, or one before it was taken out"
    try:
        kind = json.loads(link.text).get("type")
    except (ValueError, AttributeError, RecursionError):  # AttributeError: it is JSON, but no object
        return f"entry {number} is none at all"
    return None if kind == link.kind else f"entry {number} is said to be {link.kind}, and is not"
