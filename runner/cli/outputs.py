"""What `runner run` writes to stdout, one function per `--output`."""

from collections.abc import Callable

from runner.cli.streams import Output
from runner.engine.events import Event, RunFinished
from runner.report.phrases import visible
from runner.report.run_json import dumped, event_json, result_json

Watcher = Callable[[Event], None]


def _text(out: Output) -> Watcher:
    """The answer alone, or nothing."""

    def watch(event: Event) -> None:
        if not isinstance(event, RunFinished) or event.answer is None:
            return
        answer = event.answer
        if out.isatty():
            # The text came from outside and must not drive the terminal; a program gets it as it is.
            answer = visible(answer.replace("\r\n", "\n"), keep="\n\t")
        out.write(answer if answer.endswith("\n") else f"{answer}\n")

    return watch


def _json(out: Output) -> Watcher:
    """One result document."""

    def watch(event: Event) -> None:
        if isinstance(event, RunFinished):
            out.write(dumped(result_json(event), indent=2) + "\n")

    return watch


def _events(out: Output) -> Watcher:
    """Each event as a line, as it happens."""

    def watch(event: Event) -> None:
        out.write(dumped(event_json(event)) + "\n")

    return watch


OUTPUTS: dict[str, Callable[[Output], Watcher]] = {"text": _text, "json": _json, "events": _events}
