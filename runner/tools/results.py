"""Turns whatever a tool returns into text for the model, of a bounded length.

* text stays as it is; None is `(no result)`; everything else is compact JSON.
* Dates are ISO 8601, `Decimal("1.10")` is "1.10", NaN is "NaN" (JSON has no such number), sets (sorted) and
  generators are lists, bytes are their text if they are UTF-8, else base64 or, when long, their size.
* Containers are written piece by piece and reading stops at the cap, so an endless generator costs no more than it.
"""

import base64
import dataclasses
import json
from collections import deque
from collections.abc import AsyncIterator, ItemsView, Iterable, Iterator, KeysView, Mapping, Sized, ValuesView
from enum import Enum

from pydantic_core import PydanticSerializationError, SchemaSerializer, to_json, to_jsonable_python

from runner.disguises import CUT

NOTHING = "(no result)"
# Base64 of a digest or a key says something to a model; of an image it is only noise.
_MAX_BASE64_BYTES = 1024
# No more of a larger set is shown anyway.
_MAX_SORTED = 100_000
_LISTS = (list, tuple, set, frozenset, deque, range, KeysView, ValuesView, ItemsView, Iterator)


class UnwritableResultError(Exception):
    """The value has no text form; the message says why, for the model and the tool's author."""


def as_text(value: object, *, max_chars: int) -> str:
    """The value as text of at most `max_chars` characters, plus a note when more was cut off.

    Raises:
        UnwritableResultError: it contains itself, is nested too deeply, or holds an object with no text form.
    """
    if value is None:
        return NOTHING
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, bytes | bytearray | memoryview):
        value = _bytes_text(bytes(value))
    if isinstance(value, str):
        return cut(value, max_chars=max_chars)
    pieces: list[str] = []
    room = max_chars
    try:
        for piece in _pieces(value, max_chars, ()):
            pieces.append(piece)
            room -= len(piece)
            if room < 0:
                shown = _well_formed("".join(pieces)[:max_chars])
                return f"{shown}{CUT}the first {max_chars:,} characters{_size(value)}]"
    except RecursionError:
        raise UnwritableResultError("the result is nested too deeply to be written as JSON") from None
    return _well_formed("".join(pieces))


def _size(value: object) -> str:
    """What to say of the size of a value that was not read to its end."""
    if isinstance(value, Mapping):
        return f" of an object of {len(value):,} key{'s' if len(value) != 1 else ''} are shown"
    if isinstance(value, Sized):
        return f" of a list of {len(value):,} item{'s' if len(value) != 1 else ''} are shown"
    return " are shown, of a number that is not known"


def cut(text: str, *, max_chars: int) -> str:
    """The text, or its beginning and a note that says how long it was."""
    if len(text) <= max_chars:
        return _well_formed(text)
    return f"{_well_formed(text[:max_chars])}{CUT}{max_chars:,} of {len(text):,} characters shown]"


async def collected(values: AsyncIterator[object], *, max_chars: int) -> list[object]:
    """The first values of an asynchronous iterator, as many as `as_text` can show.

    Raises:
        UnwritableResultError: one of them has no text form.
    """
    taken: list[object] = []
    room = max_chars
    try:
        async for value in values:
            taken.append(value)
            room -= len(as_text(value, max_chars=max_chars)) + 1
            if room < 0:
                break
    finally:
        if close := getattr(values, "aclose", None):  # generators have one; iterators need not
            await close()
    return taken


def _pieces(value: object, max_chars: int, outer: tuple[int, ...]) -> Iterator[str]:
    """JSON text in pieces; no single one is much longer than `max_chars`, whatever the value."""
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, str):
        yield json.dumps(value[: max_chars + 1], ensure_ascii=False)
        return
    if isinstance(value, bytes | bytearray | memoryview):
        yield json.dumps(_bytes_text(bytes(value))[: max_chars + 1], ensure_ascii=False)
        return
    if id(value) in outer:
        raise UnwritableResultError("the result contains itself, so it cannot be written as JSON")
    inside = (*outer, id(value))
    if isinstance(value, Mapping):
        yield from _object_pieces(value.items(), max_chars, inside)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type) and _serializer(value) is None:
        fields = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
        yield from _object_pieces(fields, max_chars, inside)
    elif isinstance(value, _LISTS):
        yield from _list_pieces(_in_order(value), max_chars, inside)
    else:
        yield from _leaf_pieces(value, max_chars, inside)


def _object_pieces(items: Iterable[tuple[object, object]], max_chars: int, outer: tuple[int, ...]) -> Iterator[str]:
    opening = "{"
    for key, value in items:
        yield f"{opening}{json.dumps(_key_text(key)[: max_chars + 1], ensure_ascii=False)}:"
        yield from _pieces(value, max_chars, outer)
        opening = ","
    yield "}" if opening == "," else "{}"


def _list_pieces(values: Iterable[object], max_chars: int, outer: tuple[int, ...]) -> Iterator[str]:
    opening = "["
    for value in values:
        yield opening
        yield from _pieces(value, max_chars, outer)
        opening = ","
    yield "]" if opening == "," else "[]"


def _in_order(values: Iterable[object]) -> Iterable[object]:
    """A set in the order of its values, so that the same result is the same text in every process."""
    if not isinstance(values, set | frozenset) or len(values) > _MAX_SORTED:
        return values
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=lambda value: (type(value).__name__, str(value)))


def _leaf_pieces(value: object, max_chars: int, outer: tuple[int, ...]) -> Iterator[str]:
    """A single object, written by pydantic: models by their own rules, dates, decimals, paths and so on."""
    try:
        yield to_json(value, inf_nan_mode="strings", fallback=_stand_in).decode()
    except PydanticSerializationError:
        serializer = _serializer(value)
        if serializer is None:
            raise UnwritableResultError(_no_text_form(value)) from None
        # A model's own JSON cannot hold binary data or lone surrogates: write its fields one by one.
        yield from _pieces(serializer.to_python(value, by_alias=True), max_chars, outer)


def _serializer(value: object) -> SchemaSerializer | None:
    """What a pydantic model or pydantic dataclass is written with."""
    return getattr(value, "__pydantic_serializer__", None)


def _stand_in(value: object) -> object:
    """What to write for an object that pydantic does not know."""
    if hasattr(value, "tolist"):  # array.array, and numpy's arrays and numbers
        return value.tolist()
    text = str(value)
    if " at 0x" in text:  # an address in memory tells nobody anything (field bug B34)
        raise UnwritableResultError(_no_text_form(value))
    return text


def _no_text_form(value: object) -> str:
    return (
        f"the result holds an object of the type {type(value).__name__}, which cannot be written as JSON: "
        "return text, numbers, lists, dicts, dataclasses or pydantic models"
    )


def _key_text(key: object) -> str:
    if isinstance(key, Enum):
        key = key.value
    return key if isinstance(key, str) else str(next(iter(to_jsonable_python({key: None}, fallback=_stand_in))))


def _bytes_text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        small = len(value) <= _MAX_BASE64_BYTES
        return base64.b64encode(value).decode() if small else f"({len(value):,} bytes of binary data)"


def _well_formed(text: str) -> str:
    """The text with every lone surrogate replaced: no provider takes text that is not valid Unicode."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
