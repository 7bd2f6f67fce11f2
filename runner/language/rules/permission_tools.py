"""A tool that `permissions` name is a tool of the agent: a misspelt `deny` denies nothing."""

import re
from collections.abc import Iterator

from runner.diagnostics import Diagnostic
from runner.language.doubt import doubtful_tools, is_tool_name
from runner.language.references import MergedAgent
from runner.suggest import closest

CODES = {"RUN317": "permissions for a tool the agent does not have"}
_KINDS = ("allow", "ask", "deny")
# The name in `send_email` and `send_email:to=*@example.com`.
_NAME = re.compile(r"[^:]*")


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Warn of names that look like one of the agent's tools. Others may be there to be safe, and so may patterns."""
    names = {use.name for use in agent.tools}
    doubtful = doubtful_tools(agent)
    for kind in _KINDS:
        patterns = agent.value("permissions", kind)
        for index, pattern in enumerate(patterns if isinstance(patterns, list) and not agent.is_base else ()):
            found = _NAME.match(pattern) if isinstance(pattern, str) else None
            if found is None or not is_tool_name(found[0]) or found[0] in names or doubtful.may_have(found[0]):
                continue
            if (meant := closest(found[0], names)) is not None:
                message = f"'{found[0]}' is none of the agent's tools, so that this {kind} is about nothing"
                path = ("permissions", kind, index)
                yield agent.diagnostic(
                    "RUN317", message, path, suggestion=f"did you mean '{meant}'?", severity="warning"
                )
