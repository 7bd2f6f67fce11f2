"""Decides what a reply in an author's own protocol does: which calls it makes, or else its answer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from runner.parsing.json_span import span_end
from runner.parsing.text_protocol import TextProtocol

# Each search may read the text to its end: this many characters in all take well below a second.
MAX_SEARCHED_CHARS = 16_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """A call as it was found: where it begins and ends, the tool's name, the arguments, and all but the arguments."""

    start: int
    end: int
    name: str
    arguments: str
    frame: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TextMove:
    """What a reply does: the part of it that counts, its calls in order, or else its answer.

    `too_many` says that the call pattern matches more often than can be searched for in good time.
    """

    kept: str
    calls: tuple[Written, ...] = ()
    answer: str | None = None
    too_many: bool = False


class _TooManyCallsError(Exception):
    """There are more calls than can be searched for in good time."""


def text_move(text: str, protocol: TextProtocol) -> TextMove:
    """Read a reply up to the first stop string, whether or not the provider stopped there.

    An answer before the first call is the answer. One behind a call rests on a made-up result, so it goes, with all
    that follows it. An answer pattern that matches a call as well is no mark of an answer: then calls count alone.
    """
    stops = [place for stop in protocol.stop if (place := text.find(stop)) >= 0]
    text = text[: min(stops, default=None)]
    try:
        calls = tuple(_calls(text, protocol))
    except _TooManyCallsError:
        return TextMove(kept=text, too_many=True)
    found = protocol.answer.search(text)
    if not calls:
        return TextMove(kept=text, answer=None if found is None else found.text("answer", text).strip())
    if protocol.answer.search(calls[0].frame) is not None:
        return TextMove(kept=text, calls=calls)
    if found is not None and found.start < calls[0].start:
        return TextMove(kept=text, answer=found.text("answer", text).strip())
    return _without_answer(text, calls, protocol)


def _without_answer(text: str, calls: Sequence[Written], protocol: TextProtocol) -> TextMove:
    """The calls up to the first answer that stands between or behind them."""
    found = protocol.answer.search(text)
    for number, call in enumerate(calls, start=1):
        if found is not None and found.start < call.end:
            found = protocol.answer.search(text, call.end)
        following = calls[number].start if number < len(calls) else len(text)
        if found is not None and found.start < following:
            return TextMove(kept=text[: found.start].rstrip(), calls=tuple(calls[:number]))
    return TextMove(kept=text, calls=tuple(calls))


def _calls(text: str, protocol: TextProtocol) -> Iterator[Written]:
    searched = position = 0
    while (found := protocol.call.search(text, position)) is not None:
        searched += len(text)
        if searched > MAX_SEARCHED_CHARS and position > 0:
            raise _TooManyCallsError
        start, end = found.spans.get("arguments", (found.end, found.end))
        if protocol.arguments == "json" and text.startswith("{", start):
            end = span_end(text, start) or end  # a pattern need not know where JSON ends (field bug B05)
        position = max(found.end, end, position + 1)
        yield Written(
            start=found.start,
            end=position,
            name=found.text("name", text),
            arguments=text[start:end],
            frame=text[found.start : start] + text[end:position],
        )
