"""Where the words of a template stand in its text; Jinja's syntax tree knows lines only."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Role = Literal["variable", "attribute", "filter", "test", "string", "tag"]
_SPACE = ("whitespace", "comment", "comment_begin", "comment_end")


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """A word of a template, or (`tag`) all the tags of a line.

    Attributes:
        line: of the template's text, from 1.
        index: which of the same words in that line, from 0.
    """

    role: Role
    text: str
    line: int
    index: int = 0

    def place(self, source: str) -> tuple[int, int]:
        """Start and end in the text, in characters from 0; looked up only when there is something to say about it."""
        found = _words(source).get((self.role, self.text, self.line), ())
        return found[self.index] if self.index < len(found) else _tags(source, self.line)


def _tags(source: str, line: int) -> tuple[int, int]:
    """From the first opening brace of a line to its last closing one; without any, the whole line."""
    lines = source.split("\n")
    text = lines[min(line, len(lines)) - 1]
    offset = sum(len(each) + 1 for each in lines[: line - 1])
    opened = [place for place in (text.find("{{"), text.find("{%"), text.find("{#")) if place >= 0]
    start = min(opened) if opened else len(text) - len(text.lstrip())
    end = text.rfind("}") + 1 if opened else 0
    return offset + start, offset + max(end if end > start else len(text.rstrip()), start)


@lru_cache(maxsize=16)
def _words(source: str) -> dict[tuple[Role, str, int], list[tuple[int, int]]]:
    """The places of all names and strings, by what they are, their text and their line."""
    # A mark comes from reading a template, which has Jinja loaded by then.
    from jinja2 import TemplateSyntaxError  # noqa: PLC0415 - see above

    from runner.prompts.sandbox import Sandbox  # noqa: PLC0415 - see above

    words: dict[tuple[Role, str, int], list[tuple[int, int]]] = {}
    position = 0
    before, two_before = "", ""
    try:
        tokens = list(Sandbox().lex(source))
    except TemplateSyntaxError:
        return words
    for line, kind, value in tokens:
        found = source.find(value, position)
        start = found if found >= 0 else position
        position = start + len(value)
        if kind in _SPACE:
            continue
        if kind == "name":
            words.setdefault((_role(before, two_before), value, line), []).append((start, position))
        elif kind == "string":
            words.setdefault(("string", value[1:-1], line), []).append((start, position))
        before, two_before = value, before
    return words


def _role(before: str, two_before: str) -> Role:
    if before == ".":
        return "attribute"
    if before in ("|", "filter"):
        return "filter"
    return "test" if before == "is" or (before == "not" and two_before == "is") else "variable"
