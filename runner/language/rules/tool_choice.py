"""`tool_choice` asks for something the agent can do."""

from collections.abc import Iterator

from runner.diagnostics import Diagnostic
from runner.language.doubt import doubtful_tools, is_tool_name
from runner.language.references import MergedAgent
from runner.suggest import did_you_mean

CODES = {"RUN310": "a tool choice the agent cannot make"}
_FREE = ("auto", "none")
_PATH = ("tool_choice", "mode")


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Complain about a choice without tools, and about one that names another tool."""
    mode = agent.value(*_PATH)
    names = [use.name for use in agent.tools]
    if not isinstance(mode, str) or mode in _FREE or agent.is_base or not is_tool_name(mode):
        return
    if mode not in names and doubtful_tools(agent).may_have(mode):
        return
    if not names:
        message = f"tool_choice '{mode}' needs tools, and this agent has none"
        yield agent.diagnostic("RUN310", message, _PATH, suggestion="add tools, or write auto")
    elif mode != "required" and mode not in names:
        message = f"tool_choice '{mode}' is none of the agent's tools"
        suggestion = did_you_mean(mode, [*names, *_FREE, "required"])
        expected = f"expected auto, none, required, {', '.join(names)}"
        yield agent.diagnostic("RUN310", message, _PATH, suggestion=suggestion or expected)
