"""What LiteLLM's tables say about a model: its provider, its parameters, its capabilities."""

from runner.engine.ports import Capabilities
from runner.models.library import Library
from runner.models.providers import Route

# For these LiteLLM asks the server itself, and waits for it with the event loop at a standstill.
_ASKED_OVER_HTTP = ("ollama", "ollama_chat")


def provider_of(library: Library, name: str) -> str | None:
    """LiteLLM's provider for a model name, or None when it finds none."""
    try:
        _, provider, _, _ = library.get_llm_provider(model=name)
    except library.BadRequestError:
        return None
    return str(provider)


def parameters(library: Library, route: Route) -> frozenset[str]:
    """The OpenAI parameters LiteLLM can pass on to the model; others are refused before anything is sent."""
    supported = library.get_supported_openai_params(_bare(route), custom_llm_provider=route.provider)
    return frozenset(supported or ())


def capabilities(library: Library, route: Route, accepted: frozenset[str]) -> Capabilities:
    """What the model supports, as far as LiteLLM knows.

    LiteLLM says False of every model it has never heard of, which is most local and all new ones: only a False about a
    model in its tables counts as one.
    """
    return Capabilities(
        function_calling=_feature(library, route, "function_calling", offered="tools" in accepted),
        response_format=_feature(library, route, "response_schema", offered="response_format" in accepted),
        stop="stop" in accepted,
    )


def _feature(library: Library, route: Route, feature: str, *, offered: bool) -> bool | None:
    if not offered:
        return False
    if route.provider in _ASKED_OVER_HTTP:
        return None
    if getattr(library, f"supports_{feature}")(_bare(route), custom_llm_provider=route.provider):
        return True
    known = {route.name, route.model, _bare(route)} & library.model_cost.keys()
    return False if known else None


def _bare(route: Route) -> str:
    return route.model.removeprefix(f"{route.provider}/")
