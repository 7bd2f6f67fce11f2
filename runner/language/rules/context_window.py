"""A conversation is kept inside the window of its model, if that is known."""

from collections.abc import Iterator

from runner.diagnostics import Diagnostic
from runner.language.known_models import known_model
from runner.language.references import MergedAgent

CODES = {"RUN603": "a context larger than the model's window"}
_PATH = ("context", "max_tokens")


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Warn of a limit that the provider would refuse before it is reached."""
    most, name = agent.value(*_PATH), agent.value("model", "name")
    if not isinstance(most, int) or not isinstance(name, str) or agent.value("model", "api_base"):
        return
    known = known_model(name)
    if known is not None and known.window is not None and most > known.window:
        message = f"context.max_tokens: {most} is more than the {known.window} tokens that {name} takes"
        suggestion = f"write {known.window} or less, or leave it out"
        yield agent.diagnostic("RUN603", message, _PATH, severity="warning", suggestion=suggestion)
