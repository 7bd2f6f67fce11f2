"""Every tool an agent names is declared somewhere."""

from collections.abc import Iterator

from runner.diagnostics import Diagnostic, Related
from runner.language.catalog import Catalog
from runner.language.doubt import is_tool_name
from runner.language.references import MergedAgent, ToolUse
from runner.suggest import closest

CODES = {"RUN301": "an unknown tool"}
_MOST_LISTED = 8


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Complain about names that nothing has."""
    for use in agent.tools:
        if use.tool is None and agent.catalog is not None and is_tool_name(use.name):
            yield _unknown(agent, use, agent.catalog)


def _unknown(agent: MergedAgent, use: ToolUse, catalog: Catalog) -> Diagnostic:
    message = f"unknown tool '{use.name}'"
    unread = [toolset.file for toolset in catalog.toolsets if toolset.document is None]
    if unread:
        message += f" ({', '.join(unread)} cannot be read, so the tools in it are not known)"
    meant = closest(use.name, catalog.tools)
    if meant is None:
        return agent.diagnostic("RUN301", message, use.path, suggestion=_listed(catalog))
    related = (Related(message="declared", location=catalog.tools[meant].location),)
    return agent.diagnostic("RUN301", message, use.path, suggestion=f"did you mean '{meant}'?", related=related)


def _listed(catalog: Catalog) -> str:
    names = sorted(catalog.tools)
    more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    return f"declared are {', '.join(names[:_MOST_LISTED])}{more}" if names else "declare it in tools.d"
