"""A mapping of a foreign file, taken apart key by key: what nobody takes is told at the end."""

from collections.abc import Iterator
from dataclasses import dataclass

from runner.diagnostics import Location
from runner.importing.source import ForeignFile
from runner.language.schema.findings import label
from runner.language.source import Path
from runner.spec import Json, JsonObject

NO_COUNTERPART = "there is no counterpart here"


@dataclass(frozen=True, kw_only=True, slots=True)
class Note:
    """Something of the source that the result does not have, or has in another way.

    Attributes:
        location: where it stands in the source.
        message: what it is and why: `toolsets[0]: mcp servers are not supported`.
    """

    location: Location
    message: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Origin:
    """Where something was taken from: a key of the source, or the mapping that holds it, and the line."""

    place: str
    line: int


class Notes:
    """Gathers the notes of one import."""

    def __init__(self, file: ForeignFile) -> None:
        self._file = file
        self.all: list[Note] = []

    def add(self, path: Path, why: str) -> None:
        """Note something about a key of the source; of an item of a list, about the item."""
        key = bool(path) and isinstance(path[-1], str)
        span = self._file.document.span(path, key=key)
        message = f"{label(path)}: {why}" if path else why
        self.all.append(Note(location=Location(file=self._file.name, span=span), message=message))

    def line(self, path: Path) -> int:
        """The line of a key."""
        return self._file.document.span(path, key=True).line


class Part:
    """One mapping. Each key is taken once, by the type it must have; a value of another type counts as not carried."""

    def __init__(self, value: JsonObject, path: Path, notes: Notes) -> None:
        self.path = path
        self.notes = notes
        self._value = value
        self._left = dict.fromkeys(value)

    def has(self, key: str) -> bool:
        """Whether the key is there and not taken yet."""
        return key in self._left

    def peek(self, key: str) -> Json:
        """Look at a value without taking it."""
        return self._value.get(key)

    def keys(self) -> list[str]:
        """The keys that nobody has taken."""
        return list(self._left)

    def text(self, key: str) -> str | None:
        """Take a text; a number or a boolean is the text it is written as."""
        value = self._take(key)
        if isinstance(value, str) or value is None:
            return value
        if isinstance(value, bool) or not isinstance(value, int | float):
            self._wrong(key, "a text")
            return None
        return str(value)

    def number(self, key: str) -> int | float | None:
        """Take a number."""
        value = self._take(key)
        if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
            return value
        self._wrong(key, "a number")
        return None

    def flag(self, key: str) -> bool | None:
        """Take true or false."""
        value = self._take(key)
        if value is None or isinstance(value, bool):
            return value
        self._wrong(key, "true or false")
        return None

    def part(self, key: str) -> "Part | None":
        """Take a mapping."""
        value = self._take(key)
        if isinstance(value, dict):
            return Part(value, (*self.path, key), self.notes)
        if value is not None:
            self._wrong(key, "a mapping")
        return None

    def items(self, key: str) -> Iterator[tuple[Path, Json]]:
        """Take a list: the paths and values of its items."""
        value = self._take(key)
        if isinstance(value, list):
            yield from (((*self.path, key, index), item) for index, item in enumerate(value))
        elif value is not None:
            self._wrong(key, "a list")

    def json(self, key: str) -> Json:
        """Take a value of any type."""
        return self._take(key)

    def mapping(self, key: str) -> JsonObject | None:
        """Take a mapping as a whole."""
        value = self._take(key)
        if value is None or isinstance(value, dict):
            return value
        self._wrong(key, "a mapping")
        return None

    def drop(self, *keys: str) -> None:
        """Take keys that mean nothing here, such as the version of the foreign format."""
        for key in keys:
            self._left.pop(key, None)

    def leave(self, key: str, why: str = NO_COUNTERPART) -> None:
        """Say that a key is not carried, if it is there."""
        if key in self._left:
            del self._left[key]
            if self._value[key] not in (None, [], {}, False, ""):
                self.notes.add((*self.path, key), why)

    def finish(self) -> None:
        """Say of everything that nobody has taken that it is not carried."""
        for key in list(self._left):
            self.leave(key)

    def origin(self, key: str) -> Origin:
        """Where a key stands, for a comment."""
        path = (*self.path, key)
        return Origin(place=label(self.path or path), line=self.notes.line(path))

    def _take(self, key: str) -> Json:
        if key not in self._left:
            return None
        del self._left[key]
        return self._value[key]

    def _wrong(self, key: str, expected: str) -> None:
        self.notes.add((*self.path, key), f"expected {expected}")
