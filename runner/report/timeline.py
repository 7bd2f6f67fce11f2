"""A session as a timeline for a terminal: what was said and done, how long it took, and what it cost."""

from collections.abc import Iterator, Sequence

from runner.report import session_phrases as words
from runner.report.noted import NotedCall, NotedEnd, NotedRun, NotedStep
from runner.report.phrases import ELLIPSIS, cells, counted, duration, shortened, visible
from runner.report.reading import runs_of, total_of
from runner.report.run_phrases import call, spent, summary
from runner.sessions.ports import Stored

# A duration at the far edge of a very wide terminal is hard to connect to its line.
_WIDEST = 120
_NARROWEST = 40
_ARGUMENT_CHARACTERS = 60
_LONGEST_LINE = 1000

_RESET, _BOLD, _DIM, _RED, _YELLOW = "\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[33m"
_STYLES = {"ok": "", "error": _RED, "not made": _YELLOW, "waiting": _YELLOW, "unknown": _RED}


def timeline_text(stored: Sequence[Stored], *, colour: bool, width: int) -> str:
    """The runs of a session, one after the other; each line ends with a line end.

    Lines fit into `width` columns, but for the ids of calls that wait.

    ```
    run 1 · refunds · openai/gpt-4o-mini                        2026-11-30 09:00:00 UTC
      asked: refund order 1182
      1 · openai/gpt-4o-mini                                                      1.2 s
          380 tokens in, 32 out · $0.0012
          refund(order=1182, amount=30) → refunded                                0.2 s
            changed and approved by anna after 12.0 s; the model asked for refund(order=1182, amount=40)
      2 · answer                                                                  0.8 s
          410 tokens in, 12 out · $0.0011
          Order 1182 was refunded.
      completed · 2 steps · 1 tool call · 834 tokens · $0.0023 · 2.2 s
    ```
    """
    page = _Page(width=max(_NARROWEST, min(width, _WIDEST)), colour=colour)
    runs = runs_of(stored)
    blocks = ["".join(page.run(run)) for run in runs]
    if len(runs) > 1:
        blocks.append(page.line("", f"{counted(len(runs), 'run')} · {summary(total_of(runs))}", style=_BOLD))
    return "\n".join(blocks)


class _Page:
    def __init__(self, *, width: int, colour: bool) -> None:
        self._width = width
        self._colour = colour

    def line(self, indent: str, text: str, *, note: str = "", style: str = "") -> str:
        """One line, cut to the width; `note` stands at the right."""
        room = self._width - len(indent) - (len(note) + 2 if note else 0)
        shown = _cut(text, room)
        gap = " " * (room - cells(shown) + 2) if note else ""
        return f"{indent}{self._paint(shown, style)}{gap}{self._paint(note, _DIM)}\n"

    def _paint(self, text: str, style: str) -> str:
        return f"{style}{text}{_RESET}" if self._colour and style and text else text

    def run(self, run: NotedRun) -> Iterator[str]:
        """The lines of a run."""
        yield self.line("", words.heading(run), note=words.when(run.at), style=_BOLD)
        if run.began is not None:
            yield self.line("  ", f"asked: {_one_line(run.began.prompt if run.began.text is None else run.began.text)}")
        for part in run.parts:
            yield from self._step(part) if isinstance(part, NotedStep) else self._end(part)
        if run.end is None:
            style = _YELLOW
            yield self.line(
                "  ", f"no end was noted: it is running, or it broke off · {summary(run.total)}", style=style
            )

    def _step(self, step: NotedStep) -> Iterator[str]:
        yield self.line("  ", f"{step.number} · {words.speaker(step)}", note=duration(step.span.seconds))
        if step.usage.total_tokens:
            yield self.line("      ", spent(step.usage, step.cost), style=_DIM)
        if step.text.strip():
            yield self.line("      ", _one_line(step.text))
        if step.correction is not None:
            yield self.line("      ", f"could not be used: {_one_line(step.correction)}", style=_YELLOW)
        for each in step.calls:
            yield from self._call(each)

    def _call(self, noted: NotedCall) -> Iterator[str]:
        made = call(noted.call.name, noted.arguments, limit=_ARGUMENT_CHARACTERS)
        told = "" if noted.result is None else _one_line(noted.result.content)
        result = " → ".join(filter(None, [made, _label(noted) + told]))
        taken = duration(noted.seconds) if noted.ended and noted.started else ""
        yield self.line("      ", result, note=taken, style=_STYLES[noted.outcome])
        for decision in noted.decisions:
            asked = call(noted.call.name, noted.call.arguments, limit=_ARGUMENT_CHARACTERS)
            original = f"; the model asked for {asked}" if decision.resolution.decision == "edited" else ""
            yield self.line("        ", words.decided(decision) + original, style=_DIM)
        if noted.waiting:  # whoever decides has to write the id, so it is never cut
            yield f"        {self._paint(f'the call is {visible(noted.call.id)}', _DIM)}\n"
        if noted.starts > 1:
            yield self.line("        ", f"started {noted.starts} times", style=_DIM)

    def _end(self, end: NotedEnd) -> Iterator[str]:
        style = "" if end.finished.status == "completed" else _YELLOW
        yield self.line("  ", words.ended(end.finished), style=style)
        if end.resumed is not None:
            pause = words.lasting(max(0.0, (end.resumed - end.at).total_seconds()))
            yield self.line("  ", f"went on after {pause}", note=words.when(end.resumed))
            return
        yield self.line("  ", summary(end.finished), style=_DIM)


def _label(noted: NotedCall) -> str:
    if noted.outcome == "ok":
        return ""
    waits = f", {words.OUTCOMES['waiting']}" if noted.waiting and noted.outcome != "waiting" else ""
    return words.OUTCOMES[noted.outcome] + waits + (": " if noted.result is not None else "")


def _one_line(text: str) -> str:
    return shortened(text, _LONGEST_LINE)


def _cut(text: str, columns: int) -> str:
    """The text in at most that many columns of a terminal."""
    if cells(text) <= columns:
        return text
    taken, room = 0, columns - 1
    for position, character in enumerate(text):
        taken += cells(character)
        if taken > room:
            return text[:position].rstrip() + ELLIPSIS
    return text
