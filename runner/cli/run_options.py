"""The options that every command with a run has: what wins over the agent's file, and how the run is shown."""

import math
from collections.abc import Callable
from typing import Any, TypedDict, TypeVar

import click

from runner.cli.outputs import OUTPUTS
from runner.cli.overrides import Dollars, Duration, overrides
from runner.language.durations import seconds
from runner.language.overrides import Override
from runner.sessions.names import check_id
from runner.sessions.ports import BadSessionId

C = TypeVar("C", bound=Callable[..., Any])
_WAIT = "--wait"
_FOREVER = "forever"


class SessionId(click.ParamType[str]):
    """The id of a session."""

    name = "id"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse what cannot be one."""
        try:
            return check_id(value)
        except BadSessionId as error:
            self.fail(str(error), param, ctx)


class Wait(click.ParamType[float]):
    """How long to wait, in seconds."""

    name = "seconds"

    def convert(self, value: str | float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Refuse what is no time."""
        if value == _FOREVER or isinstance(value, float):
            return math.inf if value == _FOREVER else float(value)
        return seconds(Duration().convert(str(value), param, ctx))


class RunCommand(click.Command):
    """A command with `--wait[=SECONDS]`: without `=` the word behind it is the next argument, not the time."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give a bare `--wait` its value."""
        end = args.index("--") if "--" in args else len(args)
        given = [f"{_WAIT}={_FOREVER}" if arg == _WAIT else arg for arg in args[:end]]
        return super().parse_args(ctx, given + args[end:])


class Shown(TypedDict):
    """The values of these options as `Manner` takes them."""

    overrides: list[Override]
    output: str
    quiet: bool
    verbose: bool
    wait: float | None


_OPTIONS = (
    click.option("--model", metavar="MODEL", help="Answer with this model instead of the agent's, as provider/model."),
    click.option("--max-steps", type=click.IntRange(min=1), metavar="N", help="Ask the model at most N times."),
    click.option("--timeout", type=Duration(), metavar="TIME", help="End the run after this time: 30, 30s, 2m."),
    click.option("--max-cost", type=Dollars(), metavar="DOLLARS", help="Spend at most this much on the model."),
    click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="PATH=VALUE",
        help="Set any key of the agent, such as limits.max_tool_calls=5; repeatable.",
    ),
    click.option(
        _WAIT,
        type=Wait(),
        metavar="[=TIME]",
        help="Wait while another run has the session, for ever or for this time (--wait=30s).",
    ),
    click.option(
        "--output", type=click.Choice(list(OUTPUTS)), default="text", show_default=True, help="What stdout carries."
    ),
    click.option("-q", "--quiet", is_flag=True, help="No progress on stderr, only errors."),
    click.option(
        "-v",
        "--verbose",
        is_flag=True,
        help="Show arguments, results, rejected replies and what tools log in full, and the tokens of each step.",
    ),
)


def run_options(command: C) -> C:
    """Give a command these options; it takes them by keyword and hands them to `shown`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def shown(  # noqa: PLR0913 - one parameter per option
    *,
    model: str | None,
    max_steps: int | None,
    timeout: str | float | None,
    max_cost: float | None,
    settings: tuple[str, ...],
    wait: float | None,
    output: str,
    quiet: bool,
    verbose: bool,
) -> Shown:
    """What the options say.

    Raises:
        click.UsageError: they contradict each other, or a `--set` is none.
    """
    if quiet and verbose:
        raise click.UsageError("--quiet and --verbose exclude each other")
    return {
        "overrides": overrides(
            assignments=settings, model=model, max_steps=max_steps, timeout=timeout, max_cost=max_cost
        ),
        "output": output,
        "quiet": quiet,
        "verbose": verbose,
        "wait": wait,
    }
