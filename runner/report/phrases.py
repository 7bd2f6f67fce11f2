"""How the values of a run read on one line of a terminal."""

import json
import math
import re
import unicodedata

from runner.engine.events import RunFinished
from runner.spec import JsonObject

# Control characters, line separators and what reorders a line (the bidirectional overrides) can drive a terminal or
# make it show what is not there; lone surrogates cannot be encoded.
UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

ELLIPSIS = "…"


def visible(text: str, *, keep: str = "") -> str:
    """The text with every character that could drive a terminal written as an escape, except those in `keep`."""

    def escape(match: re.Match[str]) -> str:
        character = match.group()
        return character if character in keep else character.encode("unicode_escape").decode("ascii")

    return UNSAFE.sub(escape, text)


def shortened(text: str, limit: int) -> str:
    """The text on one line of at most `limit` characters; runs of white space become one space."""
    # Only the beginning is looked at: a tool result may be megabytes.
    line = visible(" ".join(text[: 4 * limit].split()))
    if len(line) <= limit and len(text) <= 4 * limit:
        return line
    return line[: limit - 1].rstrip() + ELLIPSIS


def cells(text: str) -> int:
    """How many columns of a terminal the text takes (UAX 11): CJK characters take two, combining marks none."""
    return sum(map(_character_cells, text))


def _character_cells(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def call(name: str, arguments: JsonObject | None, *, limit: int | None) -> str:
    """A tool call as `name(key=value, …)`.

    Each value is cut to `limit` characters and the whole to three times that; None cuts nothing. Arguments that could
    not be read are None.
    """
    if arguments is None:
        return f"{visible(name)}(?)"
    written = {key: json.dumps(value, ensure_ascii=False, default=str) for key, value in arguments.items()}
    if limit is None:
        return visible(f"{name}({', '.join(f'{key}={value}' for key, value in written.items())})")
    inside = ", ".join(f"{key}={shortened(value, limit)}" for key, value in written.items())
    return f"{shortened(name, limit)}({shortened(inside, 3 * limit)})"


def duration(seconds: float) -> str:
    """Seconds for people: `2 ms`, `0.6 s`, `2 min 5 s`."""
    if seconds < 0.1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def money(dollars: float | None) -> str:
    """Dollars with two digits that say something: `$0.42`, `$0.00031`; None is an unknown price."""
    if dollars is None:
        return "cost unknown"
    if dollars == 0:
        return "$0"
    decimals = 2 if dollars >= 0.01 else 1 - math.floor(math.log10(dollars))
    return f"${dollars:,.{decimals}f}"


def counted(number: int, noun: str) -> str:
    """A number and its noun: `1 step`, `2 steps`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def summary(finished: RunFinished) -> str:
    """What a run took: `2 steps · 1 tool call · 412 tokens · $0 · 1.1 s`."""
    tokens = counted(finished.usage.total_tokens, "token")
    return " · ".join(
        [
            counted(finished.steps, "step"),
            counted(finished.tool_calls, "tool call"),
            f"~{tokens}" if finished.usage.estimated else tokens,
            money(finished.cost),
            duration(finished.seconds),
        ]
    )
