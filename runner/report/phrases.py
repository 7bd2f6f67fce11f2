"""How texts and amounts read on one line of a terminal."""

# Every command needs this to start: nothing slow may be imported here.

import math
import re
import unicodedata

# What can drive a terminal, make it show what is not there, or hide what is; lone surrogates cannot be encoded.
_CONTROLS = r"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"
_DIRECTIONS = r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
# No width, fillers, and the tags in which whole texts can be hidden.
_UNSEEN = r"\xad\u115f\u1160\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
# These have their place in honest texts: between such letters and in such emoji, and behind what they vary.
_JOINERS, _JOINED = r"[\u200c\u200d]", r"[\u0590-\u1cff\u2190-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]"
_BRAILLE_BLANK, _BRAILLE = r"\u2800", r"[\u2801-\u28ff]"
_VARIANTS, _VARIED = r"[\ufe00-\ufe0f]", r"[^\s\ufe00-\ufe0f]"
_IDEOGRAPHIC_VARIANTS, _IDEOGRAPHS = r"[\U000e0100-\U000e01ef]", r"[\u3400-\u9fff\U00020000-\U0003ffff]"
UNSAFE = re.compile(
    # One class comes first and looks behind itself: alternatives are thirty times slower.
    rf"[{_CONTROLS}{_DIRECTIONS}{_UNSEEN}\u200c\u200d\u2800\ufe00-\ufe0f]"
    rf"(?<!{_JOINED}{_JOINERS})(?<!{_JOINED}\ufe0f{_JOINERS})(?<!{_BRAILLE}{_BRAILLE_BLANK})"
    rf"(?<!{_VARIED}{_VARIANTS})(?<!{_IDEOGRAPHS}{_IDEOGRAPHIC_VARIANTS})"
)

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


def tokens(number: int, *, estimated: bool) -> str:
    """A number of tokens: `1 token`, `412 tokens`; `~412 tokens` when they were estimated."""
    return f"{'~' if estimated else ''}{counted(number, 'token')}"
