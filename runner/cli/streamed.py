"""The answer on a terminal, written while the model is still writing it."""

from collections.abc import Callable

from runner.engine.events import Event, ModelDelta, ModelReplied, RunFinished
from runner.report.phrases import visible


def readable(text: str) -> str:
    """Text from outside as a terminal may show it: it must not drive the terminal."""
    return visible(text.replace("\r\n", "\n"), keep="\n\t")


class StreamedAnswer:
    """Shows what is certain of an answer at once, and at the end what is still missing.

    What was shown may turn out to be no answer: text beside tool calls, or a reply that is refused. It then gets a line
    end, and the answer is written whole.
    """

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._shown: list[str] = []
        # White space waits for the word behind it: models end replies with it, and `\r\n` may come in two pieces.
        self._held: list[str] = []

    def __call__(self, event: Event) -> None:
        """Show what there is to show of one event."""
        match event:
            case ModelDelta():
                self._show(event.answer)
            case ModelReplied():  # what the reply was, the next event tells
                pass
            case RunFinished(answer=str(answer)):
                self._finish(answer)
            case _:
                self._abandon()

    def _show(self, piece: str) -> None:
        certain = piece.rstrip()
        if certain:
            text = "".join((*self._held, certain))
            self._write(readable(text))
            self._shown.append(text)
            self._held.clear()
        self._held.append(piece[len(certain) :])

    def _finish(self, answer: str) -> None:
        shown = "".join(self._shown)
        if answer.startswith(shown):
            missing = readable(answer[len(shown) :])
        elif shown.strip() == answer.strip():
            missing = ""
        else:
            self._abandon()
            missing = readable(answer)
        self._write(missing if missing.endswith("\n") else f"{missing}\n")

    def _abandon(self) -> None:
        if self._shown:
            self._write("\n")
        self._shown.clear()
        self._held.clear()
