"""What `runner run` writes to stdout, one function per `--output`."""

from collections.abc import Callable
from typing import Protocol

from runner.cli.streamed import StreamedAnswer
from runner.engine.events import Event, RunFinished
from runner.report.json_text import dumped
from runner.report.run_json import event_json, result_json

Watcher = Callable[[Event], None]


class Paper(Protocol):
    """What is written on; `Output` is our stdout."""

    def write(self, text: str) -> None:
        """Write `text` at once."""

    def isatty(self) -> bool:
        """Whether a person sees it."""


def _text(out: Paper) -> Watcher:
    """The answer alone, or nothing; on a terminal as it comes."""
    if out.isatty():
        return StreamedAnswer(out.write)

    def watch(event: Event) -> None:
        if isinstance(event, RunFinished) and event.answer is not None:
            out.write(event.answer if event.answer.endswith("\n") else f"{event.answer}\n")

    return watch


def _json(out: Paper) -> Watcher:
    """One result document."""

    def watch(event: Event) -> None:
        if isinstance(event, RunFinished):
            out.write(dumped(result_json(event), indent=2) + "\n")

    return watch


def _events(out: Paper) -> Watcher:
    """Each event as a line, as it happens."""

    def watch(event: Event) -> None:
        out.write(dumped(event_json(event)) + "\n")

    return watch


OUTPUTS: dict[str, Callable[[Paper], Watcher]] = {"text": _text, "json": _json, "events": _events}
