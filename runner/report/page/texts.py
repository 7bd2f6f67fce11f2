"""Texts of any length on a page: the beginning is shown, the rest can be folded out."""

import json

from runner.report.page.markup import Markup, element, together
from runner.spec import Json

_SHOWN_CHARACTERS = 2000
_LONGEST_UNFOLDED = 2200
_SHOWN_LINES = 40


def folded(text: str, *, kind: str) -> Markup:
    """The text, all of it; what is beyond a screenful is folded away. `kind` is `prose` or `code`."""
    shown = _beginning(text)
    rest = text[len(shown) :]
    return together(
        [
            _block(shown, kind),
            rest and element("details", element("summary", _more(rest)), _block(rest, kind), class_="more"),
        ]
    )


def json_block(value: Json) -> Markup:
    """A value as JSON, one key a line."""
    return folded(json.dumps(value, ensure_ascii=False, indent=2, default=str), kind="code")


def _block(text: str, kind: str) -> Markup:
    # The line end that a parser drops after <pre> is not one of the text.
    return element("pre", "\n" + text, class_=kind, dir="auto")


def _beginning(text: str) -> str:
    lines = text[:_SHOWN_CHARACTERS].splitlines(keepends=True)
    # A fold for a line or two is more work to open than to read.
    if len(text) <= _LONGEST_UNFOLDED and len(lines) <= _SHOWN_LINES:
        return text
    whole = "".join(lines[: min(_SHOWN_LINES, len(lines) - 1)])
    return whole or text[:_SHOWN_CHARACTERS]


def _more(rest: str) -> str:
    return f"{len(rest):,} more characters"
