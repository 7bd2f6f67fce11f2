import io
import re

import pytest

from runner.engine.events import Event
from runner.report.live import LiveSurface
from runner.report.progress import Progress

CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm-256color")
    return Terminal()


def test_done_lines_are_dimmed_with_their_duration_at_the_edge(terminal: Terminal, clock_run: list[Event]) -> None:
    progress = Progress(LiveSurface(terminal, colour=True))
    for event in clock_run:
        progress(event)
    shown = terminal.getvalue()
    assert "\x1b[2m" in shown
    (line,) = [line for line in CODES.sub("", shown).splitlines() if "→" in line]
    assert line.endswith("  2 ms")
    assert len(line) == 80


def test_without_colour_no_line_carries_a_style(terminal: Terminal, clock_run: list[Event]) -> None:
    progress = Progress(LiveSurface(terminal, colour=False))
    for event in clock_run:
        progress(event)
    assert not re.search(r"\x1b\[[0-9;]*m", terminal.getvalue())


def test_a_wide_result_is_cut_to_the_terminal(terminal: Terminal) -> None:
    surface = LiveSurface(terminal, colour=False)
    surface.line("      f() → " + "北" * 200, note="3 ms")
    (line,) = terminal.getvalue().splitlines()
    assert line.endswith(("…  3 ms", "…   3 ms"))
    assert len(line) < 60


def test_a_line_without_a_note_is_kept_whole(terminal: Terminal) -> None:
    LiveSurface(terminal, colour=False).line("x" * 500)
    assert terminal.getvalue() == "x" * 500 + "\n"


def test_an_error_stands_out(terminal: Terminal) -> None:
    LiveSurface(terminal, colour=True).line("broken", tone="alarm")
    assert "\x1b[31mbroken" in terminal.getvalue()


def test_brackets_are_text_not_markup(terminal: Terminal) -> None:
    LiveSurface(terminal, colour=False).line("[red]x[/red] :smile:")
    assert terminal.getvalue() == "[red]x[/red] :smile:\n"


def test_the_moving_line_tells_what_runs_how_long_and_the_newest_words_then_goes_away(terminal: Terminal) -> None:
    surface = LiveSurface(terminal, colour=False)
    surface.wait("  1 · local/smollm2")
    surface.mention("It is 17:05")
    surface.rest()
    shown = terminal.getvalue()
    assert re.search(r"  1 · local/smollm2 · 0\.\d s .* It is 17:05", shown)
    assert shown.count("\x1b[?25l") == shown.count("\x1b[?25h") == 1  # the cursor is back
    assert shown.endswith("\x1b[2K")  # and the line is erased


def test_resting_twice_and_without_waiting_is_fine(terminal: Terminal) -> None:
    surface = LiveSurface(terminal, colour=False)
    surface.rest()
    surface.wait("a")
    surface.wait("b")
    surface.rest()
    surface.rest()
    assert terminal.getvalue().count("\x1b[?25h") == 1
