"""An agent has each tool once."""

from collections.abc import Iterator

from runner.diagnostics import Diagnostic, Related
from runner.language.document import Path
from runner.language.references import MergedAgent, ToolUse

CODES = {"RUN302": "a tool given twice to one agent"}


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Complain about the second and later uses of a name."""
    first: dict[str, ToolUse] = {}
    for use in agent.tools:
        known = first.setdefault(use.name, use)
        if known is not use:
            message = f"tool '{use.name}' is given twice"
            place = agent.diagnostic("RUN302", message, _name(agent, known)).location
            related = (Related(message="first given", location=place),)
            suggestion = "remove one of them"
            yield agent.diagnostic("RUN302", message, _name(agent, use), suggestion=suggestion, related=related)


def _name(agent: MergedAgent, use: ToolUse) -> Path:
    return use.path if isinstance(agent.value(*use.path), str) else (*use.path, "name")
