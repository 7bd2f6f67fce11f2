"""`runner list`: show the agents or the tools of a project as a table."""

from collections.abc import Sequence

import click

from runner.cli.arguments import here
from runner.cli.errors import USAGE, complain
from runner.language.listing import ListedAgent, ListedTool, list_project
from runner.language.project import find_root
from runner.report.phrases import cells, shortened

_NOTHING = "-"
_DESCRIPTION_CHARACTERS = 80
_COLUMN_CHARACTERS = 50
_GAP = "  "


@click.command(
    name="list",
    epilog="""\b
Exit codes:
  0 listed, broken agents included (runner validate tells what is wrong) · 2 there are no agents""",
)
@click.option("--tools", is_flag=True, help="Show the tools that agents may name instead.")
def command(*, tools: bool) -> int:
    """Show the agents of the project around the current folder."""
    root = find_root(here())
    listing = list_project(root)
    if tools:
        click.echo(table(["NAME", "TYPE", "RISK", "DECLARED", "DESCRIPTION"], [_tool(tool) for tool in listing.tools]))
        return 0
    if not listing.agents:
        complain(f"there are no agents in {root}", hint="runner init writes a first one")
        return USAGE
    click.echo(table(["NAME", "MODEL", "TOOLS", "FILE", "DESCRIPTION"], [_agent(agent) for agent in listing.agents]))
    return 0


def _agent(agent: ListedAgent) -> list[str]:
    description = agent.description
    if agent.state == "invalid":
        description = f"INVALID: runner validate {agent.file} tells why"
    elif agent.state == "base":
        description = f"(extended by others) {description}"
    return [agent.name, agent.model or "", ", ".join(agent.tools), agent.file, description]


def _tool(tool: ListedTool) -> list[str]:
    declared = "comes with runner" if tool.from_toolkit else tool.declared
    return [tool.name, tool.type, tool.risk, declared, tool.description or ""]


def table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as their widest cell; long cells are cut, empty ones shown as a dash."""
    limits = [_COLUMN_CHARACTERS] * (len(titles) - 1) + [_DESCRIPTION_CHARACTERS]
    shown = [[shortened(cell, limit) or _NOTHING for cell, limit in zip(row, limits, strict=True)] for row in rows]
    lines = [list(titles), *shown]
    widths = [max(map(cells, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        _GAP.join(cell + " " * (width - cells(cell)) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
