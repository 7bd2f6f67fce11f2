"""`runner render`: show what a run would send to the model first."""

import sys
from collections.abc import Callable

import click

from runner.agent import InvalidAgent, load_agent
from runner.cli.arguments import input_text, typed
from runner.cli.errors import complain
from runner.cli.overrides import overrides
from runner.cli.streamed import readable
from runner.cli.streams import claim_stdout, colours
from runner.cli.targets import find_agent
from runner.engine.ports import ConfigurationError
from runner.inputs import InputError, parse_assignments
from runner.preview import Preview
from runner.prompts import PromptError
from runner.report.preview import preview_json, preview_text
from runner.report.text import render_text
from runner.spec import AgentSpec
from runner.tools import ToolLoadError

INVALID = 1

FORMATS: dict[str, Callable[[AgentSpec, Preview], str]] = {"text": preview_text, "json": preview_json}


@click.command(
    name="render",
    epilog="""\b
Examples:
  runner render clock "What time is it in Tokyo?"
  runner render clock "Hi" --model openai/gpt-5-mini       as another model would get it
  runner render clock "Hi" --format json | jq .request     what goes over the wire

\b
Exit codes:
  0 shown · 1 the agent, a tool or an input is wrong · 2 the command is wrong · 3 internal error""",
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
@click.option("--model", metavar="MODEL", help="Render for this model instead of the agent's, as provider/model.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="PATH=VALUE",
    help="Set any key of the agent, as runner run does; repeatable.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    default="text",
    show_default=True,
    help="For people, or one JSON document.",
)
def command(  # noqa: PLR0913 - one parameter per argument of the command line
    *,
    target: str,
    text: str | None,
    inputs: tuple[str, ...],
    model: str | None,
    settings: tuple[str, ...],
    form: str,
) -> int:
    """Show exactly what a run would send first: messages, tools, response format and stop, as LiteLLM gets them.

    Nothing is sent, and no model, key, network or environment variable is needed. The modules of the agent's Python
    tools are imported, which runs their code; none of the tools is called. Token counts are estimates.
    """
    file, given = find_agent(target), input_text(text)
    changes = overrides(assignments=settings, model=model)
    # A tool's module may print while it is imported.
    out = claim_stdout()
    try:
        agent = load_agent(file, overrides=changes)
        assignments = parse_assignments(agent.spec, map(typed, inputs))
        preview = agent.preview(given, inputs=assignments)
    except InvalidAgent as invalid:
        sys.stderr.write(render_text(invalid.diagnostics, colour=colours(sys.stderr)))
        return INVALID
    except InputError as error:
        if not error.refused:
            raise click.UsageError(str(error)) from None
        complain(str(error))
        return INVALID
    except (PromptError, ConfigurationError, ToolLoadError) as error:
        complain(str(error))
        return INVALID
    shown = FORMATS[form](agent.spec, preview)
    out.write(readable(shown) if out.isatty() else shown)
    return 0
