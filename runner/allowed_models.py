"""Which models a project allows: globs over their names, held against what a run is about to ask."""

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from runner.spec import AgentSpec, ModelSpec
from runner.suggest import did_you_mean

_MOST_LISTED = 8


class ModelNotAllowed(Exception):  # noqa: N818 - the model is not allowed, nothing has failed
    """A run would ask a model that its project does not allow; the message is one line, `file:line: what`."""


def is_allowed(name: str, models: Iterable[str]) -> bool:
    """Whether a name matches one of the globs; case counts, and `*` matches `/` too. No globs allow any model."""
    globs = tuple(models)
    return not globs or any(fnmatchcase(name, glob) for glob in globs)


def what_is_allowed(name: str, models: Iterable[str]) -> str:
    """What to write instead of a name that is not allowed."""
    globs = tuple(models)
    listed = ", ".join(globs[:_MOST_LISTED]) + (", …" if len(globs) > _MOST_LISTED else "")
    return did_you_mean(name, [glob for glob in globs if not set(glob) & set("*?[")]) or f"allowed: {listed}"


def check_expanded(agent: AgentSpec, *models: ModelSpec) -> None:
    """Refuse what `validate` could not know: names that were in the environment.

    Args:
        agent: whose project has the policy.
        models: that a run is about to ask, with all variables filled in; their fallbacks count too.

    Raises:
        ModelNotAllowed: one of them is not allowed.
    """
    allowed = agent.project.models
    for model in _with_fallbacks(models):
        if not is_allowed(model.name, allowed):
            raise ModelNotAllowed(
                f"{model.origin}: model '{model.name}' is not one that the project allows; "
                f"{what_is_allowed(model.name, allowed)}"
            )


def _with_fallbacks(models: Iterable[ModelSpec]) -> Iterator[ModelSpec]:
    for model in models:
        yield model
        yield from model.fallbacks
