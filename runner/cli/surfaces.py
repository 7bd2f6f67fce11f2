"""Where progress appears on the command line, and how it shares a terminal with the answer."""

import os
from typing import TextIO

from runner.cli.outputs import Paper
from runner.cli.streams import colours
from runner.report.progress import PlainSurface, Progress, SilentSurface, Surface


def surface_on(err: TextIO, *, quiet: bool) -> Surface:
    """The surface for `err`: moving on a terminal, plain lines elsewhere, nothing when `quiet`."""
    if quiet:
        return SilentSurface()
    if err.isatty() and os.environ.get("TERM") != "dumb":
        from runner.report.live import LiveSurface  # noqa: PLC0415 - rich is slow to import and only for terminals

        return LiveSurface(err, colour=colours(err))
    return PlainSurface(err)


class Shared:
    """Paper on the terminal where progress is, which has to make room first."""

    def __init__(self, out: Paper, progress: Progress) -> None:
        self._out = out
        self._progress = progress

    def write(self, text: str) -> None:
        """Write `text` at once, on a line of its own."""
        self._progress.make_room()
        self._out.write(text)

    def isatty(self) -> bool:
        """Whether a person sees it: on a terminal they do."""
        return True
