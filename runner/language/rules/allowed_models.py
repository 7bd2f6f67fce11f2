"""An agent asks only models that its project allows: its own, the fallbacks, and the one that sums up."""

from collections.abc import Iterator

from runner.diagnostics import Diagnostic
from runner.language.document import Path
from runner.language.policy import refused_models
from runner.language.project import MODEL_NOT_ALLOWED
from runner.language.references import MergedAgent

CODES = {MODEL_NOT_ALLOWED: "a model that the project does not allow"}
_MODELS: tuple[Path, ...] = (("model",), ("context", "model"))


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Complain about the models in force; what a later layer replaces is never asked."""
    project = agent.project
    if project.document is None or not project.spec.models:
        return
    for at in _MODELS:
        found = refused_models(agent.value(*at), at, project.spec.models, project.document)
        for path, message, suggestion, related in found:
            yield agent.diagnostic(MODEL_NOT_ALLOWED, message, path, suggestion=suggestion, related=(related,))
