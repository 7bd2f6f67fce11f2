"""What the runner sends with every request is not among a model's own `params`."""

from collections.abc import Iterator

from runner.diagnostics import Diagnostic
from runner.language.agent_models import all_models
from runner.language.references import MergedAgent

CODES = {"RUN605": "a parameter that the runner decides itself"}
# The model adapter refuses them, before anything is sent; a test holds the two equal.
RESERVED = frozenset(("fallbacks", "messages", "model", "n", "stream", "stream_options"))


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Look at the model, its fallbacks, and the model that sums up."""
    for path in all_models(agent):
        params = agent.value(*path, "params")
        for name in params if isinstance(params, dict) else ():
            if name in RESERVED:
                message = f"params: '{name}' is decided by the runner itself"
                yield agent.diagnostic("RUN605", message, (*path, "params", name), key=True, suggestion="take it out")
