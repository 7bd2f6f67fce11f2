"""Says what is wrong with the syntax of a template, and at which of its words."""

import re
from collections.abc import Iterator

from jinja2 import TemplateSyntaxError

from runner.prompts.rendering import syntax_message
from runner.prompts.sandbox import Sandbox
from runner.prompts.tokens import Mark
from runner.suggest import did_you_mean

_LITERAL_BRACES = re.compile(r"\{\{\{|\{\{\s*[\"'][^\"'\n]*[\"']\s*:")
_UNKNOWN_TAG = re.compile(r"unknown tag '(\w+)'")
_OPEN = re.compile(r"the innermost open block is '(\w+)'")
_BEGINNINGS = (
    "block",
    "call",
    "extends",
    "filter",
    "for",
    "from",
    "if",
    "import",
    "include",
    "macro",
    "raw",
    "set",
    "with",
)
_RAW = "for braces that stay as they are, write {% raw %}{{ … }}{% endraw %}"


def explain(source: str, error: TemplateSyntaxError) -> tuple[str, Mark, str | None]:
    """The message, the word it is about (else the tags of its line), and what to write instead."""
    message = syntax_message(error)
    tag, block = _UNKNOWN_TAG.search(message), _OPEN.search(message)
    if tag is not None:
        known = [f"end{block[1]}", "else", "elif"] if block else _BEGINNINGS
        return message, Mark(role="variable", text=tag[1], line=error.lineno), did_you_mean(tag[1], known)
    opener = _last_open(source, block[1]) if block and message.startswith("unexpected end of template") else None
    if block is not None and opener is not None:
        return f"this '{block[1]}' is never closed", opener, f"write {{% end{block[1]} %}} where it ends"
    lines = source.split("\n")
    braces = _LITERAL_BRACES.search(lines[min(error.lineno, len(lines)) - 1])
    return message, Mark(role="tag", text="", line=error.lineno), _RAW if braces else None


def _last_open(source: str, block: str) -> Mark | None:
    """The word that opens the last block of a kind which has no end."""
    opened: list[Mark] = []
    for mark in _tags(source):
        if mark.text == block:
            opened.append(mark)
        elif mark.text == f"end{block}" and opened:
            opened.pop()
    return opened[-1] if opened else None


def _tags(source: str) -> Iterator[Mark]:
    """The first word of each `{% … %}`."""
    seen: dict[tuple[str, int], int] = {}
    begun = False
    for line, kind, value in Sandbox().lex(source):
        if kind == "name":
            index = seen[value, line] = seen.get((value, line), -1) + 1
            if begun:
                yield Mark(role="variable", text=value, line=line, index=index)
        if kind != "whitespace":
            begun = kind == "block_begin"
