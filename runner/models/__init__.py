"""Models behind the engine's port; `open_models` makes those an agent names."""

from collections.abc import Mapping

from runner.engine.ports import Model
from runner.models.library import settled
from runner.models.litellm_model import LiteLLMModel
from runner.models.providers import KEY_VARIABLES
from runner.spec import ModelSpec

__all__ = ["keys_in", "open_model", "open_models", "settled"]


def keys_in(environ: Mapping[str, str]) -> frozenset[str]:
    """The keys of all known providers that are set: LiteLLM may send them, and nobody shall see them."""
    variables = {variable for names in KEY_VARIABLES.values() for variable in names}
    return frozenset(value for variable in variables if (value := environ.get(variable)))


def open_model(settings: ModelSpec) -> Model:
    """The model of settings whose `${VAR}` are filled in. Nothing is loaded before the model's own `open`."""
    return LiteLLMModel(
        name=settings.name,
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
        timeout=settings.timeout,
        retries=settings.retries,
        api_base=settings.api_base.value if settings.api_base else None,
        api_key=settings.api_key.value if settings.api_key else None,
        capabilities=settings.capabilities,
        price=settings.price,
        params=settings.params,
    )


def open_models(settings: ModelSpec) -> tuple[Model, ...]:
    """The model and then its fallbacks, in the order they are to be asked; made as by `open_model`."""
    return tuple(open_model(each) for each in (settings, *settings.fallbacks))
