"""Diagnostics -> text for a terminal: the place, the message, and the line with a caret under what is wrong."""

from collections.abc import Iterable

from runner.diagnostics import Diagnostic, Related, Span
from runner.report.phrases import cells, visible

_TAB = "    "
# Longer lines are shown as a window of that many characters around the caret.
_WINDOW = 120
_BEFORE_CARET = 50

_RESET, _BOLD, _RED, _YELLOW, _BLUE = "\x1b[0m", "\x1b[1m", "\x1b[31m", "\x1b[33m", "\x1b[34m"


def render_text(diagnostics: Iterable[Diagnostic], *, colour: bool) -> str:
    """One block for each diagnostic, in the order given; each line ends with a line end.

    ```
    agents.d/weather.yaml:12:5: error[RUN301]: unknown tool 'get_wether'
       |
    12 |   - get_wether
       |     ^^^^^^^^^^ did you mean 'get_weather'? (declared at tools.d/weather.yaml:5:11)
    ```
    """
    paint = _Paint(on=colour)
    return "".join(line + "\n" for diagnostic in diagnostics for line in _block(diagnostic, paint))


class _Paint:
    def __init__(self, *, on: bool) -> None:
        self._on = on

    def __call__(self, text: str, *styles: str) -> str:
        return f"{''.join(styles)}{text}{_RESET}" if self._on and text else text


def _block(diagnostic: Diagnostic, paint: _Paint) -> list[str]:
    tone = _RED if diagnostic.severity == "error" else _YELLOW
    place = paint(visible(str(diagnostic.location)), _BOLD)
    kind = paint(f"{diagnostic.severity}[{diagnostic.code}]", _BOLD, tone)
    header = f"{place}: {kind}: {visible(diagnostic.message)}"
    span = diagnostic.location.span
    notes = [f"({visible(_note(related))})" for related in diagnostic.related]
    advice = " ".join(filter(None, [visible(diagnostic.suggestion or ""), *notes[:1]]))
    if span is None or diagnostic.source is None:
        return [header, *([f"   = {advice}"] if advice else []), *(f"   = {note}" for note in notes[1:])]
    number = str(span.line)
    blank = paint(f"{' ' * len(number)} |", _BLUE)
    shown, indent, width = _snippet(diagnostic.source, span)
    carets = paint("^" * width, _BOLD, tone)
    return [
        header,
        blank,
        f"{paint(f'{number} |', _BLUE)} {shown}".rstrip(),
        f"{blank} {' ' * indent}{carets}{f' {advice}' if advice else ''}",
        *(f"{blank} {' ' * indent}{note}" for note in notes[1:]),
    ]


def _note(related: Related) -> str:
    return f"{related.message} at {related.location}"


def _snippet(line: str, span: Span) -> tuple[str, int, int]:
    """(line as shown, cells before the caret, carets); of a span over several lines only the first counts."""
    start = min(span.column - 1, len(line))
    end = span.end_column - 1 if span.end_line == span.line else len(line.rstrip())
    first = max(0, start - _BEFORE_CARET) if len(line) > _WINDOW else 0
    last = min(len(line), first + _WINDOW)
    left, right = "…" if first else "", "…" if last < len(line) else ""
    before = left + _shown(line[first:start])
    marked = _shown(line[start : min(end, last)])
    return before + _shown(line[start:last]) + right, cells(before), max(1, cells(marked))


def _shown(text: str) -> str:
    return visible(text.replace("\t", _TAB))
