"""Finds JSON values in the text of a model, in linear time and without guessing."""

import json
import math
import re
from dataclasses import dataclass
from typing import NoReturn

from runner.spec import Json

# Each failure costs the decoder a count of the lines before it; a text with this many is no reply worth reading on.
MAX_FAILURES = 1000
# Reading digits takes quadratic time, and Python itself refuses 4,300.
MAX_DIGITS = 1000
MAX_DEPTH = 100
TOO_DEEP = "invalid JSON: nested too deeply"
_SURROGATE = re.compile("[\ud800-\udfff]")
_SURROGATE_WRITTEN = re.compile(r"[\ud800-\udfff]|\\u[dD][89a-fA-F]")
_START = re.compile(r"[{\[]")


class NotJsonError(ValueError):
    """The text is not strict JSON; the message says where and why, for the model to read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scan:
    """What a text holds: its outermost JSON objects and arrays in order, and why the next could not be read.

    A broken value hides what is inside it and behind it: half an object must never be taken for a whole one.
    """

    values: tuple[Json, ...]
    broken: tuple[str, ...]


def _refuse_constant(name: str) -> NoReturn:
    raise NotJsonError(f"{name} is not a JSON number; write null or a finite number")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise NotJsonError(f"{text} is too large for a JSON number")
    return value


def _whole(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise NotJsonError(f"a number of {len(text)} digits is too long; write at most {MAX_DIGITS}")
    return int(text)


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise NotJsonError(f"the key {twice!r} stands twice in one object; write it once")
    return found


def _may_hold_surrogates(text: str) -> bool:
    return _SURROGATE_WRITTEN.search(text) is not None


def _replaced(value: Json) -> Json:
    """The value without lone surrogates, which JSON can spell and no provider takes back."""
    match value:
        case str():
            return _SURROGATE.sub("\ufffd", value)
        case list():
            return [_replaced(part) for part in value]
        case dict():
            return {_SURROGATE.sub("\ufffd", key): _replaced(part) for key, part in value.items()}
        case _:
            return value


# strict=False: models write real line breaks inside strings, and what they mean is never in doubt.
_DECODER = json.JSONDecoder(
    parse_constant=_refuse_constant,
    parse_float=_finite,
    parse_int=_whole,
    object_pairs_hook=_unique,
    strict=False,
)


def loads(text: str) -> Json:
    """Read one JSON value.

    Raises:
        NotJsonError: it is not JSON, holds NaN or Infinity, or is nested too deeply.
    """
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise NotJsonError(_where(error)) from None
    except RecursionError:
        raise NotJsonError(TOO_DEEP) from None
    if isinstance(value, dict | list):
        _check_depth(value)
    return _replaced(value) if _may_hold_surrogates(text) else value


def scan(text: str) -> Scan:
    """Find every outermost JSON object or array in `text`, up to the first that is broken.

    Where a broken value ends nobody can tell, so that nothing behind its beginning counts.
    """
    values: list[Json] = []
    failures = 0
    replacing = _may_hold_surrogates(text)
    start = _START.search(text)
    while start is not None and failures < MAX_FAILURES:
        position = start.start()
        try:
            value, end = _DECODER.raw_decode(text, position)
            _check_depth(value)
        except json.JSONDecodeError as error:
            if not _is_prose(text, position, error):
                return Scan(values=tuple(values), broken=(_where(error),))
            failures += 1
            end = position + 1
        except (NotJsonError, RecursionError) as error:
            reason = str(error) if isinstance(error, NotJsonError) else TOO_DEEP
            return Scan(values=tuple(values), broken=(reason,))
        else:
            values.append(_replaced(value) if replacing else value)
        start = _START.search(text, end)
    return Scan(values=tuple(values), broken=())


def _is_prose(text: str, position: int, error: json.JSONDecodeError) -> bool:
    """Whether a bracket opens no JSON at all, as in `{name}` and `[see below]`."""
    return not text[position + 1 : error.pos].strip() and not error.msg.startswith("Unterminated")


def _check_depth(value: Json) -> None:
    """Refuse what would exhaust the stack of whoever walks through it later."""
    level: list[Json] = [value]
    depth = 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise NotJsonError(TOO_DEEP)
        level = [
            inner
            for each in level
            for inner in (each.values() if isinstance(each, dict) else each)
            if isinstance(inner, dict | list)
        ]


def _where(error: json.JSONDecodeError) -> str:
    return f"invalid JSON at line {error.lineno} column {error.colno}: {error.msg}"
