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
TOO_DEEP = "invalid JSON: nested too deeply"
_START = re.compile(r"[{\[]")


class NotJsonError(ValueError):
    """The text is not strict JSON; the message says where and why, for the model to read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scan:
    """What a text holds: the outermost JSON objects and arrays in order, and why others could not be read.

    A broken value hides what is inside it: half an object must never be taken for a whole one.
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


# strict=False: models write real line breaks inside strings, and what they mean is never in doubt.
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite, parse_int=_whole, strict=False)


def loads(text: str) -> Json:
    """Read one JSON value.

    Raises:
        NotJsonError: it is not JSON, holds NaN or Infinity, or is nested too deeply.
    """
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise NotJsonError(_where(error)) from None
    except RecursionError:
        raise NotJsonError(TOO_DEEP) from None


def scan(text: str) -> Scan:
    """Find every outermost JSON object or array in `text`."""
    values: list[Json] = []
    broken: list[str] = []
    failures = 0
    start = _START.search(text)
    while start is not None and failures < MAX_FAILURES:
        position = start.start()
        try:
            value, end = _DECODER.raw_decode(text, position)
        except json.JSONDecodeError as error:
            # Going on behind the failure keeps this linear, and never looks inside the broken value.
            failures += 1
            end = max(error.pos, position + 1)
            if end > position + 1:  # `{name}` in prose is no attempt at JSON
                broken.append(_where(error))
        except (NotJsonError, RecursionError) as error:
            broken.append(str(error) if isinstance(error, NotJsonError) else TOO_DEEP)
            break
        else:
            values.append(value)
        start = _START.search(text, end)
    return Scan(values=tuple(values), broken=tuple(broken))


def _where(error: json.JSONDecodeError) -> str:
    return f"invalid JSON at line {error.lineno} column {error.colno}: {error.msg}"
