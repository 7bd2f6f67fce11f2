"""`runner schema`: print a JSON Schema, for editors and for programs that read the output of a run."""

import click

from runner.language.schema_files import schema_text

_KINDS = ("agent", "toolset", "project", "event", "result")


@click.command(
    name="schema",
    epilog="""\b
Example, for completion in an editor that reads the first line of the agents `runner init` writes:
  runner schema agent > schemas/agent.schema.json""",
)
@click.argument("kind", type=click.Choice(_KINDS), metavar="agent|toolset|project|event|result")
def command(*, kind: str) -> int:
    """Print the JSON Schema of agents, toolsets or runner.yaml, or of what `runner run --output` prints."""
    click.echo(schema_text(kind), nl=False)
    return 0
