"""The tools that examples call are tools of the agent."""

from collections.abc import Iterator

from runner.diagnostics import Diagnostic
from runner.language.doubt import doubtful_tools, is_tool_name
from runner.language.references import MergedAgent
from runner.suggest import did_you_mean

CODES = {"RUN309": "an example that calls a tool the agent does not have"}


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Complain about other names. A base's tools may come from those that extend it."""
    names = {use.name for use in agent.tools}
    doubtful = doubtful_tools(agent)
    examples = agent.value("examples")
    for index in range(len(examples) if isinstance(examples, list) and not agent.is_base else 0):
        calls = agent.value("examples", index, "calls")
        for number in range(len(calls) if isinstance(calls, list) else 0):
            path = ("examples", index, "calls", number, "tool")
            name = agent.value(*path)
            if isinstance(name, str) and is_tool_name(name) and name not in names and not doubtful.may_have(name):
                suggestion = _suggestion(agent, name, names)
                message = f"this example calls '{name}', which is not among the agent's tools"
                yield agent.diagnostic("RUN309", message, path, suggestion=suggestion)


def _suggestion(agent: MergedAgent, name: str, names: set[str]) -> str | None:
    """One of the agent's tools; or to add the one that is meant, if it is declared somewhere."""
    if (meant := did_you_mean(name, names)) is not None or agent.catalog is None:
        return meant
    if name in agent.catalog.tools:
        return f"add '{name}' to tools"
    return did_you_mean(name, agent.catalog.tools)
