"""Models behind the engine's port; `open_model` makes the one an agent names."""

from runner.engine.ports import Model
from runner.models.litellm_model import LiteLLMModel
from runner.spec import ModelSpec


def open_model(settings: ModelSpec) -> Model:
    """The model of an agent whose `${VAR}` are filled in. Nothing is loaded before the model's own `open`."""
    return LiteLLMModel(
        name=settings.name,
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
        timeout=settings.timeout,
        retries=settings.retries,
        api_base=settings.api_base.value if settings.api_base else None,
        api_key=settings.api_key.value if settings.api_key else None,
        capabilities=settings.capabilities,
        params=settings.params,
    )
