"""Progress on a terminal: a moving line for what is being waited for, dimmed lines for what is done."""

import time
from typing import TextIO

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from runner.report.phrases import duration
from runner.report.progress import Tone

_STYLES: dict[Tone, str] = {"quiet": "dim", "alarm": "red"}
_WIDEST = 100  # a duration at the far edge of a very wide terminal is hard to connect to its line
_FRAMES_PER_SECOND = 8


class LiveSurface:
    """Draws on a terminal; `colour` off also means no dimming."""

    live = True

    def __init__(self, stream: TextIO, *, colour: bool) -> None:
        self._console = Console(
            file=stream,
            force_terminal=True,
            color_system="auto" if colour else None,
            highlight=False,
            markup=False,
            emoji=False,
        )
        self._spinner = Spinner("dots")
        self._live: Live | None = None
        self._waiting = ""
        self._since = 0.0
        self._word = ""

    def line(self, text: str, *, note: str = "", tone: Tone = "quiet") -> None:
        """Print one line, above the moving one; only a line with a note is cut to the width of the terminal."""
        if not note:
            self._console.print(Text(text, style=_STYLES[tone]), soft_wrap=True)
            return
        line = Text(text, style=_STYLES[tone])
        line.truncate(self._width - len(note) - 2, overflow="ellipsis", pad=True)
        self._console.print(line.append(f"  {note}"), soft_wrap=True)

    def wait(self, text: str) -> None:
        """Start the moving line, or let the one that moves tell something else."""
        if text != self._waiting:
            self._waiting, self._since, self._word = text, time.monotonic(), ""
        if self._live is None:
            self._live = Live(
                get_renderable=self._moving_line,
                console=self._console,
                transient=True,
                refresh_per_second=_FRAMES_PER_SECOND,
            )
            self._live.start()

    def mention(self, text: str) -> None:
        """Let the newest words pass by behind the elapsed time."""
        self._word = text

    def rest(self) -> None:
        """Take the moving line away."""
        if self._live is not None:
            self._live.stop()
            self._live = None
        self._waiting = ""

    @property
    def _width(self) -> int:
        return min(self._console.width, _WIDEST)

    def _moving_line(self) -> Text:
        now = time.monotonic()
        head = Text(f"{self._waiting} · {duration(max(now - self._since, 0.1))} ", style="dim")
        frame = self._spinner.render(now)
        line = Text.assemble(head, frame if isinstance(frame, Text) else "")
        room = self._width - line.cell_len - 2
        if self._word and room > 0:
            line.append(" " + self._word[-room:], style="dim")
        line.truncate(self._console.width - 1)
        return line
