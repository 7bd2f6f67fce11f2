"""`runner run`: the command line of one run."""

import click

from runner.agent import load_agent
from runner.cli.arguments import input_text, typed
from runner.cli.outputs import OUTPUTS
from runner.cli.overrides import Dollars, Duration, overrides
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
  runner run clock "And in Rome?" --max-steps 3 --timeout 30s --set model.temperature=0

\b
--set takes the keys of an agent's file, with dots between them. The value is a YAML scalar or JSON.
No option goes beyond the limits that the project's runner.yaml allows.

\b
Exit codes:
  0 completed · 1 the agent or its configuration is wrong · 2 the command is wrong · 3 internal error
  4 the model failed · 5 a limit was reached · 6 no usable reply
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
@click.option("--model", metavar="MODEL", help="Answer with this model instead of the agent's, as provider/model.")
@click.option("--max-steps", type=click.IntRange(min=1), metavar="N", help="Ask the model at most N times.")
@click.option("--timeout", type=Duration(), metavar="TIME", help="End the run after this time: 30, 30s, 2m.")
@click.option("--max-cost", type=Dollars(), metavar="DOLLARS", help="Spend at most this much on the model.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="PATH=VALUE",
    help="Set any key of the agent, such as limits.max_tool_calls=5; repeatable.",
)
@click.option(
    "--output", type=click.Choice(list(OUTPUTS)), default="text", show_default=True, help="What stdout carries."
)
@click.option("-q", "--quiet", is_flag=True, help="No progress on stderr, only errors.")
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Show arguments, results, rejected replies and what tools log in full, and the tokens of each step.",
)
def command(  # noqa: PLR0913 - one parameter per argument of the command line
    *,
    target: str,
    text: str | None,
    inputs: tuple[str, ...],
    model: str | None,
    max_steps: int | None,
    timeout: str | float | None,
    max_cost: float | None,
    settings: tuple[str, ...],
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
        file=find_agent(target),
        text=input_text(text),
        assignments=[typed(assignment) for assignment in inputs],
        overrides=overrides(assignments=settings, model=model, max_steps=max_steps, timeout=timeout, max_cost=max_cost),
        output=output,
        quiet=quiet,
        verbose=verbose,
    )
    return run_alone(order, load=load_agent)
