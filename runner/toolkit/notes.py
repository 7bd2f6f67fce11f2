"""The tool `search_notes`: ranked full-text search in a folder of notes."""

import re
import sqlite3
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path

from runner.toolkit.notebook.files import MAX_FILE_BYTES, SUFFIXES, Listing, list_notes, read, within
from runner.toolkit.notebook.passages import Passage, passages

MAX_LIMIT = 20
MAX_PASSAGES = 50_000
MAX_RESULT = 10_000  # characters
_MAX_QUERY = 1_000
_MAX_TERMS = 40

# Scripts written without spaces, or in which words grow endings: searched by pairs of neighbouring characters.
_CJK = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U0003ffff"
_CJK_CHARACTER = re.compile(f"([{_CJK}])")
_RUN = re.compile(f"[{_CJK}]+|[^{_CJK}]+")


@dataclass(frozen=True, kw_only=True)
class _Located:
    name: str
    passage: Passage


def search_notes(query: str, folder: str = "notes", limit: int = 5) -> str:
    """Search Markdown and text files and return the best matching passages.

    Args:
        query: A few words to look for, for example "database backup schedule".
        folder: Folder below the working directory, for example "notes" or "docs/guides".
        limit: How many passages to return, from 1 to 20.

    Returns:
        The passages, best first, each with its file, line and headings.

    Raises:
        ValueError: The folder is missing, hidden, or outside the working directory.
    """
    root = Path.cwd().resolve()
    listing = list_notes(within(folder, root), root)
    if not listing.files:
        return f"There are no notes ({', '.join(SUFFIXES)} files) in {folder[:80]!r}.{_left_out(listing)}"
    found = list(islice(_load(listing), MAX_PASSAGES + 1))
    if len(found) > MAX_PASSAGES:
        found.pop()
        listing.complete = False
    best, total = _search(found, _terms(query), max(1, min(limit, MAX_LIMIT)))
    if not best:
        searched = f"{len(listing.files)} {'file' if len(listing.files) == 1 else 'files'} searched"
        return f"No passage in {folder[:80]!r} matches {query[:100]!r} ({searched}).{_left_out(listing)}"
    return _report(best, total) + _left_out(listing)


def _load(listing: Listing) -> Iterator[_Located]:
    for file in listing.files:
        try:
            text = read(file)
        except OSError:
            listing.unreadable += 1
            continue
        for passage in passages(text):
            yield _Located(name=file.name, passage=passage)


def _terms(query: str) -> list[str]:
    """The words of a query, quoted so that no character of them is search syntax."""
    terms: dict[str, None] = {}
    for word in unicodedata.normalize("NFKC", query[:_MAX_QUERY]).replace("\0", " ").split():
        for run in _RUN.findall(word.encode(errors="replace").decode()):
            if _CJK_CHARACTER.match(run):
                pairs = [f"{first} {second}" for first, second in pairwise(run)]
                terms |= dict.fromkeys(pairs or [run])
            elif any(character.isalnum() for character in run):
                terms[run] = None
    return ['"' + term.replace('"', '""') + '"' for term in list(terms)[:_MAX_TERMS]]


def _searchable(text: str) -> str:
    """The text with a space around every CJK character, which makes each a word of its own."""
    return text if text.isascii() else _CJK_CHARACTER.sub(r" \1 ", unicodedata.normalize("NFKC", text))


def _search(found: Sequence[_Located], terms: Sequence[str], limit: int) -> tuple[list[_Located], int]:
    """The best passages, those with all terms first, and how many have any term."""
    if not terms:
        return [], 0
    with closing(sqlite3.connect(":memory:")) as database, fts5_required():
        # contentless: the passages are in memory already
        database.execute(
            "CREATE VIRTUAL TABLE notes USING fts5"
            "(name, heading, body, content='', tokenize='porter unicode61 remove_diacritics 2')"
        )
        database.executemany(
            "INSERT INTO notes (rowid, name, heading, body) VALUES (?, ?, ?, ?)",
            (
                (row, _searchable(one.name), _searchable(one.passage.heading), _searchable(one.passage.text))
                for row, one in enumerate(found)
            ),
        )
        ranked = "SELECT rowid FROM notes WHERE notes MATCH ? ORDER BY bm25(notes, 0.5, 2.0, 1.0), rowid LIMIT ?"
        rows: dict[int, None] = {}
        for operator in (" AND ", " OR "):
            rows |= dict.fromkeys(row for (row,) in database.execute(ranked, (operator.join(terms), limit)))
        (total,) = database.execute("SELECT count(*) FROM notes WHERE notes MATCH ?", (" OR ".join(terms),)).fetchone()
    return [found[row] for row in list(rows)[:limit]], total


@contextmanager
def fts5_required() -> Iterator[None]:
    """Say what is missing when SQLite was built without full-text search."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "no such module" not in str(error):
            raise
        raise ValueError("notes cannot be searched: the SQLite of this Python was built without FTS5") from error


def _report(best: Sequence[_Located], total: int) -> str:
    blocks, size = list[str](), 0
    for one in best:
        heading = f" ({one.passage.heading[:300]})" if one.passage.heading else ""
        block = f"{one.name}:{one.passage.line}{heading}\n{one.passage.text.strip()}"
        size += len(block)
        if blocks and size > MAX_RESULT:
            break
        blocks.append(block)
    count = f"{total} matching passages" if total != 1 else "1 matching passage"
    first = f"{count}, the best {len(blocks)}:" if len(blocks) < total else f"{count}:"
    return "\n\n".join([first, *blocks])


def _left_out(listing: Listing) -> str:
    reasons = [
        *([f"{listing.too_large} larger than {MAX_FILE_BYTES // 1_000_000} MB"] if listing.too_large else []),
        *([f"{listing.unreadable} unreadable"] if listing.unreadable else []),
        *([] if listing.complete else ["more notes than can be searched at once; choose a smaller folder"]),
    ]
    return f"\n\nNot searched: {', '.join(reasons)}." if reasons else ""
