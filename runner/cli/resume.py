"""`runner sessions resume`: the command line of a run that goes on."""

from typing import Any

import click

from runner.cli.arguments import typed
from runner.cli.orders import Resumption
from runner.cli.run_options import RunCommand, SessionId, run_options, shown
from runner.cli.stores import state_folder
from runner.cli.targets import find_agent
from runner.cli.verdicts import read_verdicts

_VERDICTS = "runner.cli.verdicts"


class ResumeCommand(RunCommand):
    """A command with decisions about calls among its arguments, whose order matters."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the decisions out, and parse the rest."""
        try:
            left, ctx.meta[_VERDICTS] = read_verdicts(args)
            return super().parse_args(ctx, left)
        except click.MissingParameter as error:
            if not ctx.meta[_VERDICTS]:
                raise
            raise click.UsageError(
                "the ID of the session comes first: runner sessions resume ID --approve [CALL]", ctx
            ) from error
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise


@click.command(
    name="resume",
    cls=ResumeCommand,
    short_help="Go on with the last run of a session.",
    epilog="""\b
Examples:
  runner sessions resume trip                            asks on a terminal; else goes on, or shows what waits
  runner sessions resume trip --approve                  the only call that waits
  runner sessions resume trip --approve call_1 --reject call_2 --reason "not on Sundays"
  runner sessions resume trip --edit '{"to": "anna@example.com"}'
  runner sessions resume trip --max-steps 40             a run that a limit has ended

\b
Exit codes are those of runner run; 7 means that calls still wait for approval.""",
)
@click.argument("session", metavar="ID", type=SessionId())
@click.option("--approve", metavar="[CALL]", expose_value=False, help="Make the call; without CALL the only one.")
@click.option("--reject", metavar="[CALL]", expose_value=False, help="Do not make it; needs --reason.")
@click.option("--reason", metavar="TEXT", expose_value=False, help="What the model is told about a --reject.")
@click.option("--edit", metavar="[CALL] JSON", expose_value=False, help="Make the call with these arguments instead.")
@click.option(
    "-i",
    "--input",
    "inputs",
    multiple=True,
    metavar="KEY=VALUE",
    help="Set an input anew, such as one that the agent takes only now; repeatable.",
)
@click.option("--file", metavar="FILE", help="Where the agent is now, if its file was moved.")
@click.option("--project", metavar="DIR", help="The project of the session; by default that of the current folder.")
@run_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    *,
    session: str,
    inputs: tuple[str, ...],
    file: str | None,
    project: str | None,
    **options: Any,
) -> int:
    """Go on with the last run of the session ID: one that waits for approval, was interrupted, failed or broke off.

    What it has done is not done again. --approve, --reject and --edit decide about calls that wait; they may be
    repeated.
    """
    from runner.agent import load_agent  # noqa: PLC0415 - the other commands about sessions need no agent
    from runner.cli.running import run_alone  # noqa: PLC0415 - as above

    order = Resumption(
        **shown(**options),
        session=session,
        states=state_folder(project),
        file=None if file is None else find_agent(file),
        verdicts=ctx.meta[_VERDICTS],
        assignments=[typed(assignment) for assignment in inputs],
    )
    return run_alone(order, load=load_agent)
