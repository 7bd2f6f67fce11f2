import io
import os
import signal

import pytest

from runner.cli.signals import interruptible
from runner.cli.streams import Output, ReaderGone, UnwritableError, colours
from runner.engine.scope import RunControl
from tests.cli.fakes import Broken, Terminal


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_interrupts_the_run_and_nothing_else(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    control = RunControl()
    with interruptible(control):
        os.kill(os.getpid(), number)
        assert control.signal == number.name
    assert signal.getsignal(number) == before


def test_signals_are_given_back_when_the_run_fails() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ZeroDivisionError), interruptible(RunControl()):
        raise ZeroDivisionError
    assert signal.getsignal(signal.SIGINT) == before


class Trickle(io.BytesIO):
    """Takes three bytes at a time, as a pipe that is nearly full does."""

    def write(self, data: object, /) -> int:
        """Take the first three bytes."""
        return super().write(memoryview(data)[:3])  # type: ignore[arg-type] # bytes-like is all that is ever written


def test_everything_is_written_also_in_small_bites() -> None:
    stream = Trickle()
    Output(stream).write("北京 and more")
    assert stream.getvalue().decode() == "北京 and more"


def test_failing_to_write_tells_a_gone_reader_from_other_reasons() -> None:
    with pytest.raises(ReaderGone):
        Output(Broken(BrokenPipeError())).write("x")
    with pytest.raises(UnwritableError, match="No space"):
        Output(Broken(OSError(28, "No space left on device"))).write("x")


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_colours_are_for_terminals_and_for_those_who_want_them(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], *, wanted: bool
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert colours(Terminal()) is wanted
    assert colours(io.StringIO()) is False
