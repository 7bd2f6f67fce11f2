"""`runner run`: the command line of one run."""

from pathlib import Path

import click

from runner.agent import load_agent
from runner.cli.arguments import input_text, typed
from runner.cli.outputs import OUTPUTS
from runner.cli.running import Order, run_alone
from runner.cli.targets import find_agent


@click.command(
    name="run",
    epilog="""\b
Examples:
  runner run agents.d/clock.yaml "What time is it in Tokyo?"
  runner run clock "What time is it in Tokyo?"           the same, by its name in runner list
  echo "What is 17% of 240?" | runner run calculator -   INPUT from standard input
  runner run clock "Is it late in Oslo?" --output json   one result document
  runner run assistant "Hello" -i language=German --model local/smollm2

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
@click.option("--model", metavar="MODEL", help="Answer with this model instead of the agent's, as provider/model.")
@click.option(
    "--output", type=click.Choice(list(OUTPUTS)), default="text", show_default=True, help="What stdout carries."
)
@click.option("-q", "--quiet", is_flag=True, help="No progress on stderr, only errors.")
@click.option(
    "-v", "--verbose", is_flag=True, help="Show arguments, results and what was wrong with rejected replies, in full."
)
def command(  # noqa: PLR0913 - one parameter per argument of the command line
    *,
    target: str,
    text: str | None,
    inputs: tuple[str, ...],
    model: str | None,
    output: str,
    quiet: bool,
    verbose: bool,
) -> int:
    """Run the agent in FILE, or the one that runner list calls NAME, and print its answer.

    INPUT is the text its prompt uses; - reads it from standard input.
    """
    if quiet and verbose:
        raise click.UsageError("--quiet and --verbose exclude each other")
    order = Order(
        file=find_agent(target, folder=Path.cwd()),
        text=input_text(text),
        assignments=[typed(assignment) for assignment in inputs],
        model=model,
        output=output,
        quiet=quiet,
        verbose=verbose,
    )
    return run_alone(order, load=load_agent)
