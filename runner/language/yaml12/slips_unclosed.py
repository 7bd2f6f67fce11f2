"""Syntax errors that show lines below the mistake: quotes, brackets and keys that the lines after them run into."""

import re

from runner.diagnostics import Diagnostic
from runner.language.wording import clip
from runner.language.yaml12.nodes import last_quoted
from runner.language.yaml12.slip import Slip

# A line that begins an entry: `key: …` or `- …`.
_ENTRY = re.compile(r"(?:-[ ]|[^\s#\"'{}\[\],][^:#]*:(?:[ ]|$))")
# What stands before the first key or value of a line.
_BEFORE_KEY = re.compile(r" *(?:- +)*")
_HAS_COLON = re.compile(r":(?:\s|$)")


def unclosed_quote_before(slip: Slip) -> Diagnostic | None:
    """A quote that only the next one closed, entries further down."""
    if not re.match(r"did not find expected|expected <block end>|expected ','|mapping values", slip.says):
        return None
    found = last_quoted(slip.source.text, slip.offset)
    return None if found is None else _run_into(slip, *found)


def unclosed_bracket_before(slip: Slip) -> Diagnostic | None:
    """A bracket that is still open where the next entry begins."""
    if not re.search(r"expected ',' or '[\]}]'", slip.says) or slip.at_end:
        return None
    return _run_into(slip, slip.start, slip.offset)


def _run_into(slip: Slip, opened: int, end: int) -> Diagnostic | None:
    """What was opened has to be closed before a line that is not indented further begins an entry; it was at `end`."""
    source = slip.source
    first, last = source.place(opened)[0], source.place(end)[0]
    indentation = len(_BEFORE_KEY.match(source.line(first))[0])  # type: ignore[index]  # it matches any line
    for number in range(first + 1, last + 1):
        line = source.line(number)
        if _indentation(line) <= indentation and _ENTRY.match(line.strip()):
            start = _start_of(slip, number)
            entry = source.related("the next entry", source.span(start + _indentation(line), start + len(line)))
            sign = source.text[opened]
            message = f"this {sign} is never closed" if sign in "'\"" else f"this '{sign}' is never closed"
            span = source.span(opened, opened + 1)
            return source.diagnostic("RUN107", message, span, related=(entry,))
    return None


def no_colon_above(slip: Slip) -> Diagnostic | None:
    """`name weather` or `name:weather`, which the next line's key runs into."""
    if "mapping values are not allowed" not in slip.says:
        return None
    number, _ = slip.source.place(slip.offset)
    above = _written_above(slip, number)
    line = slip.source.line(above)
    if not above or _HAS_COLON.search(line) or _indentation(line) > _indentation(slip.source.line(number)):
        return None
    is_item = line.lstrip().startswith("- ") and _indentation(line) < _indentation(slip.source.line(number))
    if is_item or _continues(slip, above):
        return None
    start = _start_of(slip, above) + _indentation(line)
    text = line.strip()
    return slip.report("RUN107", f"expected 'key: value', found no ': ' in '{clip(text)}'", start, len(text))


def _continues(slip: Slip, number: int) -> bool:
    """Whether a line goes on with the value of one above it, instead of beginning an entry."""
    above = number
    while above := _written_above(slip, above):
        line = slip.source.line(above)
        if _indentation(line) < _indentation(slip.source.line(number)):
            return not line.split(" #", 1)[0].rstrip().endswith(":")
    return False


def _written_above(slip: Slip, number: int) -> int:
    """The nearest line above that holds more than white space and a comment; 0 when there is none."""
    return next((each for each in range(number - 1, 0, -1) if slip.source.line(each).strip()[:1] not in ("", "#")), 0)


def _start_of(slip: Slip, number: int) -> int:
    """The offset of a line."""
    start, _ = slip.line
    for _ in range(slip.source.place(slip.offset)[0] - number):
        start, _ = slip.source.line_bounds(start - 1)
    return start


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
