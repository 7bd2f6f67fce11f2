"""`runner schema`: print a JSON Schema, for editors and for programs that read the output of a run."""

import click

from runner.cli.arguments import here
from runner.cli.errors import complain
from runner.language.schema_files import schema_text

_KINDS = ("agent", "toolset", "project", "event", "result", "validation")
_UNREADABLE = 1


@click.command(
    name="schema",
    epilog="""\b
Examples, for completion in an editor that reads the first line of the agents `runner init` writes:
  runner schema agent > schemas/agent.schema.json
  runner schema agent --with-project > schemas/agent.schema.json    offers the tools of this project, and no others
\b
Exit codes:
  0 printed · 1 a file of the project cannot be read · 2 usage""",
)
@click.argument("kind", type=click.Choice(_KINDS), metavar="agent|toolset|project|event|result|validation")
@click.option(
    "--with-project", is_flag=True, help="Of agents: with the tools and models of the project around this folder."
)
def command(*, kind: str, with_project: bool) -> int:
    """Print the JSON Schema of agents, toolsets or runner.yaml, or of what `run` and `validate` print as JSON."""
    if with_project and kind != "agent":
        raise click.UsageError(f"--with-project is for agents: runner schema agent --with-project (found '{kind}')")
    if with_project:
        return _print_made_for_project()
    click.echo(schema_text(kind), nl=False)
    return 0


def _print_made_for_project() -> int:
    from runner.language.project import find_root  # noqa: PLC0415 - only this needs all that reads a project
    from runner.language.project_schema import UnreadableProject, project_schema  # noqa: PLC0415 - as above

    try:
        click.echo(project_schema(find_root(here())), nl=False)
    except UnreadableProject as error:
        for each in error.diagnostics:
            complain(f"{each.location}: {each.message}", hint="nothing printed: the tools in this file are not known")
        return _UNREADABLE
    return 0
