"""What the list of sessions says of one, held against its entries: the chain of digests does not cover it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from runner.engine.journal import Began, Finished
from runner.sessions.chain import Link
from runner.sessions.rows import readable, stored

# The columns of a row that its entries tell as well, in the order of `Listing.problem`.
COLUMNS = ("changed", "agent", "file", "model", "text", "runs", "status")


@dataclass(kw_only=True, slots=True)
class Listing:
    """What the row of a session has to say, by its entries so far."""

    session: str
    _told: dict[str, Any] = field(
        default_factory=lambda: {"agent": "", "file": "", "model": "", "text": None, "runs": 0, "status": None}
    )

    def over(self, links: Iterable[Link]) -> Iterator[Link]:
        """The links, each of them looked at once whoever asks for the next is done with it.

        Raises:
            StoreError: the beginning or the end of a run cannot be read.
        """
        for link in links:
            yield link
            self._take(link)

    def _take(self, link: Link) -> None:
        told = self._told
        told["changed"], told["status"] = link.at, None
        if link.kind not in (Began.__name__, Finished.__name__):
            return
        entry = stored(self.session, link).entry
        if isinstance(entry, Finished):
            told["status"] = entry.finished.status
        elif isinstance(entry, Began):
            first = entry.text and readable(entry.text)
            told |= {"agent": readable(entry.agent), "file": readable(entry.file), "model": readable(entry.model)}
            told |= {"text": told["text"] if told["runs"] else first, "runs": told["runs"] + 1}

    def problem(self, row: Iterable[object]) -> str | None:
        """What is wrong with the values of `COLUMNS`, in one line; None when all is well."""
        for column, value in zip(COLUMNS, row, strict=True):
            told = self._told.get(column, value)  # nothing has changed a session without entries
            if value != told:
                return f"the list of sessions has another value of {column} than its entries"
        return None
