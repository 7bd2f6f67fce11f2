"""Patterns that people write, searched in linear time whatever the pattern and the text are.

RE2 does this by having no lookaround and no backreferences; https://github.com/google/re2/wiki/Syntax is its language.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import re2  # type: ignore[import-untyped]  # it has no types

# A search takes text times program at worst; with these it stays below about a second for a megabyte.
MAX_PROGRAM_SIZE = 1500
_MAX_MEMORY = 32 << 20

# What Python has and RE2 has not, by what RE2 says about it.
_MISSING = {
    "(?=": "lookahead",
    "(?!": "lookahead",
    "(?<=": "lookbehind",
    "(?<!": "lookbehind",
    "(?P=": "a backreference",
    "(?>": "an atomic group",
    "(?(": "a condition",
    "(?#": "a comment",
}
_INSTEAD = (
    "patterns are searched in linear time, which rules it out: "
    "match the text itself, and take the part you need as a group"
)


class PatternError(ValueError):
    """A pattern cannot be used. `offset` is the place in it, in characters, if there is one."""

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.offset = offset


@lru_cache(maxsize=256)
def linear_search(text: str) -> Callable[[str], bool] | None:
    """Whether the pattern of a JSON Schema is found in a text; None for one that `not_linear` has an objection to."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MAX_MEMORY
    try:
        search = re2.compile(text, options).search
    except re2.error:
        return None

    def found(text: str) -> bool:
        try:
            return search(text) is not None
        except UnicodeEncodeError:  # half of a surrogate pair, which no pattern means
            return search(text.encode(errors="replace").decode()) is not None

    return found


def not_linear(text: str) -> str | None:
    """Why the pattern of a JSON Schema cannot be searched in linear time; None when it can."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MAX_MEMORY
    try:
        re2.compile(text, options)
    except re2.error as error:
        return str(_explained(error, text))
    return None


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """Where a pattern matched: the whole, and those of its named groups that took part, as (start, end)."""

    start: int
    end: int
    spans: Mapping[str, tuple[int, int]]

    def text(self, group: str, searched: str) -> str:
        """What a group matched in the text that was searched; empty if it took no part."""
        start, end = self.spans.get(group, (0, 0))
        return searched[start:end]


class Pattern:
    """A compiled pattern. `^` and `$` match at every line; `.` matches no line break unless the pattern says `(?s)`.

    Raises:
        PatternError: it is no pattern, or one that cannot be searched in linear time.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        options = re2.Options()
        options.log_errors = False
        options.max_mem = _MAX_MEMORY
        try:
            self._compiled = re2.compile(f"(?m){text}", options)
        except re2.error as error:
            raise _explained(error, text) from None
        if self._compiled.programsize > MAX_PROGRAM_SIZE:
            raise PatternError(
                "the pattern is too large to be searched fast; write * or + instead of large counts such as {0,63}"
            )
        # RE2 would quietly keep the first of two groups with the same name.
        names = re.findall(r"(?<!\\)\(\?P?<(\w+)>", text)
        if twice := {name for name in names if names.count(name) > 1}:
            raise PatternError(f"the group {min(twice)!r} stands in the pattern twice")

    @property
    def groups(self) -> frozenset[str]:
        """The names of its named groups."""
        return frozenset(self._compiled.groupindex)

    def search(self, text: str, begin: int = 0) -> Found | None:
        """The first match at or after `begin`."""
        try:
            match = self._compiled.search(text, begin)
        except UnicodeEncodeError:  # half of a surrogate pair, which no pattern means
            match = self._compiled.search(text.encode(errors="replace").decode(), begin)
        if match is None:
            return None
        spans = {name: match.span(index) for name, index in self._compiled.groupindex.items()}
        taking_part = {name: span for name, span in spans.items() if span != (-1, -1)}
        return Found(start=match.start(), end=match.end(), spans=taking_part)


def _explained(error: Exception, pattern: str) -> PatternError:
    said = error.args[0]
    message = said.decode(errors="replace") if isinstance(said, bytes) else str(said)
    fragment = message.partition(": ")[2]
    if fragment == "(?P" and "(?P=" in pattern:
        fragment = "(?P="
    offset = pattern.find(fragment) if fragment else -1
    place = offset if offset >= 0 else None
    if message.startswith("invalid perl operator") and fragment in _MISSING:
        return PatternError(f"{_MISSING[fragment]} {fragment}…) is not supported: {_INSTEAD}", place)
    if re.fullmatch(r"invalid escape sequence: \\\d", message):
        return PatternError(f"a backreference {fragment} is not supported: {_INSTEAD}", place)
    if message == r"invalid escape sequence: \Z":
        return PatternError(r"\Z is written \z here", place)
    if message.startswith("bad repetition operator") and fragment.endswith("+"):
        return PatternError(f"{fragment} is not supported, and not needed: patterns are searched in linear time", place)
    return PatternError(message.replace("(?m)", "", 1), place)
