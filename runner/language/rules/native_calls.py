"""Mode `native` is for models that have tool calls."""

from collections.abc import Iterator

from runner.diagnostics import Diagnostic, Related
from runner.language.references import MergedAgent

CODES = {"RUN625": "native tool calls with a model that is said to have none"}
_MODE = ("parsing", "mode")
_CAPABILITY = ("model", "capabilities", "function_calling")


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Warn of what contradicts itself; without tools there is nothing to call."""
    if agent.value(*_MODE) != "native" or agent.value(*_CAPABILITY) is not False or not agent.tools:
        return
    message = "native mode needs tool calls, which this model is said not to have"
    said = agent.diagnostic("RUN625", message, _CAPABILITY, key=True).location
    yield agent.diagnostic(
        "RUN625",
        message,
        _MODE,
        severity="warning",
        suggestion="write auto, json or react",
        related=(Related(message="said to have none", location=said),),
    )
