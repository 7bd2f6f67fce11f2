"""Turns whatever a failed call raised into the engine's error."""

from collections.abc import Mapping

from runner.engine.ports import ModelError
from runner.models.evidence import taken_apart
from runner.models.failure_kinds import RULES
from runner.models.providers import Route
from runner.models.retry_after import seconds_to_wait


def explain(
    error: BaseException, route: Route, *, seconds: float | None, window: int | None, environ: Mapping[str, str]
) -> ModelError:
    """The error a call ends with when asking a model raised `error`.

    Args:
        error: what LiteLLM or the client library below it raised; also TimeoutError.
        route: where the call went.
        seconds: how long it was allowed to take.
        window: tokens the model can take, None when unknown.
        environ: where the provider's key may have come from, to keep it out of the message.
    """
    failure = taken_apart(error, route, seconds=seconds, window=window, environ=environ)
    rule = next(rule for rule in RULES if rule.when(failure))
    return ModelError(
        rule.say(failure),
        configuration=rule.configuration,
        transient=rule.transient,
        retry_after=seconds_to_wait(failure.headers, failure.raw) if rule.transient else None,
        overflow=rule.overflow,
    )
