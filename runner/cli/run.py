"""`runner run`: the command line of one run."""

from typing import Any

import click

from runner.agent import load_agent
from runner.cli.arguments import input_text, typed
from runner.cli.orders import Approve, Order
from runner.cli.run_options import RunCommand, SessionId, run_options, shown
from runner.cli.running import run_alone
from runner.cli.targets import find_agent


@click.command(
    name="run",
    cls=RunCommand,
    epilog="""\b
Examples:
  runner run agents.d/clock.yaml "What time is it in Tokyo?"
  runner run clock "What time is it in Tokyo?"           the same, by its name in runner list
  echo "What is 17% of 240?" | runner run calculator -   INPUT from standard input
  runner run clock "Is it late in Oslo?" --output json   one result document
  runner run assistant "Hello" -i language=German --model local/smollm2
  runner run clock "And in Rome?" --max-steps 3 --timeout 30s --set model.temperature=0
  runner run clock "And in Rome?" --session trip         go on with a conversation, or begin it

\b
--set takes the keys of an agent's file, with dots between them. The value is a YAML scalar or JSON.
No option goes beyond the limits that the project's runner.yaml allows.

\b
Exit codes:
  0 completed · 1 the agent or its configuration is wrong · 2 the command is wrong · 3 internal error
  4 the model failed · 5 a limit was reached · 6 no usable reply · 7 saved, waits for approval
  130/143 interrupted · 141 nobody reads the output

\b
Progress and errors go to stderr; stdout carries only the answer, the result document or the events.
Once interrupted (Ctrl-C) a run ends cleanly; the second Ctrl-C ends the process at once.""",
)
@click.argument("target", metavar="FILE|NAME")
@click.argument("text", metavar="[INPUT|-]", required=False)
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
    help="Who decides about tool calls that need approval: ask a person (without a terminal: save the run and end it), "
    "all are approved, or none is. By default ask on a terminal, else none.",
)
@run_options
def command(
    *,
    target: str,
    text: str | None,
    inputs: tuple[str, ...],
    session: str | None,
    approve: Approve | None,
    **options: Any,
) -> int:
    """Run the agent in FILE, or the one that runner list calls NAME, and print its answer.

    INPUT is the text its prompt uses; - reads it from standard input.
    """
    order = Order(
        **shown(**options),
        file=find_agent(target),
        text=input_text(text),
        assignments=[typed(assignment) for assignment in inputs],
        session=session,
        approve=approve,
    )
    return run_alone(order, load=load_agent)
