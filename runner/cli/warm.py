"""`runner warm`: a process that makes runs start at once."""

import sys
from typing import TYPE_CHECKING

import click

from runner.cli.errors import complain
from runner.language.durations import seconds
from runner.report.phrases import counted

if TYPE_CHECKING:
    from runner.warm.control import State

_FAILED = 1
_MODULE = "runner.cli.preloaded"


class Duration(click.ParamType[float]):
    """A time such as 30m, as seconds."""

    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read it."""
        try:
            return seconds(value if isinstance(value, float) else str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


@click.group(
    name="warm",
    epilog="""\b
Examples:
  runner warm start                 from now on runner run, chat and sessions resume start at once
  runner warm start --idle 8h       ends when it has had nothing to do for so long
  runner warm status
  RUNNER_WARM=off runner run clock "What time is it in Tokyo?"    this one starts cold

\b
Exit codes:
  0 done · 1 there is none, or it cannot be started · 2 the command is wrong""",
)
def command() -> None:
    """Keep a process that has loaded everything, and forks itself for each run.

    Nothing starts it but `runner warm start`. What a run does and prints is the same as without it.
    """


@command.command()
@click.option(
    "--idle",
    type=Duration(),
    default="30m",
    show_default=True,
    help="End after so long without a run; one that is there already keeps to it, too.",
)
def start(*, idle: float) -> int:
    """Start it, and wait until it is ready."""
    if sys.platform != "linux":
        return _unsupported()
    from runner.warm import control  # noqa: PLC0415 - needs what only Linux has

    try:
        state, is_new = control.start(_MODULE, idle=idle)
    except control.NotStartedError as error:
        complain(f"the warm process did not start: {error}")
        return _FAILED
    click.echo(f"{'started' if is_new else 'it is there already'}: {_described(state)}")
    return 0


@command.command()
def status() -> int:
    """Tell whether it is there, and what it has done."""
    if sys.platform != "linux":
        return _unsupported()
    from runner.warm import control  # noqa: PLC0415 - as above

    state = control.state()
    if state is None and control.is_loading():
        click.echo("it is loading; until then runs start cold")
        return 0
    if state is None:
        return _none()
    click.echo(f"ready: {_described(state)}")
    runs = f"{counted(state.runs, 'run')}, {state.running} of them now"
    click.echo(f"up {_ago(state.seconds)}, {runs}; ends after {_ago(state.idle)} without one")
    if state.refused is not None:
        click.echo(f"the last run that started cold: {state.refused}")
    return 0


@command.command()
def stop() -> int:
    """End it; one that has runs to wait for ends after them."""
    if sys.platform != "linux":
        return _unsupported()
    from runner.warm import control  # noqa: PLC0415 - as above

    state = control.stop()
    if state is None:
        return _none()
    click.echo(f"it ends after {counted(state.running, 'run')}" if state.running else "stopped")
    return 0


def _described(state: "State") -> str:
    memory = "" if state.megabytes is None else f", {state.megabytes:.0f} MB"
    return f"process {state.pid}{memory}, {state.path}"


def _ago(seconds_ago: float) -> str:
    hours, minutes = divmod(int(seconds_ago) // 60, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min" if minutes else f"{seconds_ago:.0f} s"


def _none() -> int:
    complain("there is no warm process for this installation", hint="start one: runner warm start")
    return _FAILED


def _unsupported() -> int:
    complain(f"a warm process needs Linux, this is {sys.platform}; runs start as ever")
    return _FAILED
