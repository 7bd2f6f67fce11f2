"""Mode `native` is for models that have tool calls."""

from collections.abc import Iterator

from runner.diagnostics import Diagnostic, Related
from runner.language.known_models import known_model
from runner.language.references import MergedAgent

CODES = {"RUN625": "native tool calls with a model that is said to have none"}
_MODE = ("parsing", "mode")
_OTHERS = "write auto, json or react"
_CAPABILITY = ("model", "capabilities", "function_calling")


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Warn of what contradicts itself, or what is known of the model; without tools there is nothing to call."""
    if agent.value(*_MODE) != "native" or not agent.tools:
        return
    declared = agent.value(*_CAPABILITY)
    if declared is False:
        message = "native mode needs tool calls, which this model is said not to have"
        said = agent.diagnostic("RUN625", message, _CAPABILITY, key=True).location
        yield _warning(agent, message, _OTHERS, (Related(message="said to have none", location=said),))
    elif declared is None and _is_known_to_have_none(agent):
        message = f"native mode needs tool calls, which {agent.value('model', 'name')} is known not to have"
        yield _warning(agent, message, f"{_OTHERS}; or model.capabilities: {{function_calling: true}}", ())


def _is_known_to_have_none(agent: MergedAgent) -> bool:
    name = agent.value("model", "name")
    known = known_model(name) if isinstance(name, str) and not agent.value("model", "api_base") else None
    return known is not None and known.calls_no_tools


def _warning(agent: MergedAgent, message: str, suggestion: str, related: tuple[Related, ...]) -> Diagnostic:
    return agent.diagnostic("RUN625", message, _MODE, severity="warning", suggestion=suggestion, related=related)
