"""`runner chat`: the command line of a chat."""

from typing import Any

import click

from runner.agent import load_agent
from runner.cli.arguments import typed
from runner.cli.chatting import chat_alone
from runner.cli.orders import Approve, Order
from runner.cli.run_options import RunCommand, SessionId, run_options, shown
from runner.cli.targets import find_agent


@click.command(
    name="chat",
    cls=RunCommand,
    epilog="""\b
Examples:
  runner chat agents.d/assistant.yaml
  runner chat assistant --session trip            kept as a session, and gone on with the next time
  printf 'Hi\\nAnd in Rome?\\n' | runner chat clock   each line is a turn

\b
Commands in a chat:
  /help  /tools  /model [NAME]  /continue  /undo  /reset  /save [ID]  /exit

\b
Keys:
  Enter sends · Alt-Enter, or a backslash at the end, begins a new line · Up, Ctrl-R: what was written before
  Ctrl-C stops the answer, not the chat · Ctrl-D leaves

\b
Exit codes:
  those of runner run, for the last turn

\b
Answers go to stdout, everything else to stderr. The limits of the agent hold for each turn.""",
)
@click.argument("target", metavar="FILE|NAME")
@click.option(
    "-i",
    "--input",
    "inputs",
    multiple=True,
    metavar="KEY=VALUE",
    help="Set one of the agent's inputs; repeatable.",
)
@click.option(
    "--session", type=SessionId(), metavar="ID", help="Go on with this conversation, or begin it; it is kept."
)
@click.option(
    "--approve",
    type=click.Choice(["ask", "all", "none"]),
    help="Who decides about tool calls that need approval: ask a person (without a terminal: the turn is saved and "
    "waits), all are approved, or none is. By default ask on a terminal, else none.",
)
@run_options
def command(
    *,
    target: str,
    inputs: tuple[str, ...],
    session: str | None,
    approve: Approve | None,
    **options: Any,
) -> int:
    """Talk with the agent in FILE, or with the one that runner list calls NAME.

    Where stdin or stderr is no terminal, each line of stdin is a turn.
    """
    order = Order(
        **shown(**options),
        file=find_agent(target),
        assignments=[typed(assignment) for assignment in inputs],
        session=session,
        approve=approve,
    )
    return chat_alone(order, load=load_agent)
