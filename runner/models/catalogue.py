"""What LiteLLM's tables say about a model: its provider, its parameters, its capabilities, its price."""

from collections.abc import Mapping
from math import isfinite

from runner.engine.ports import Capabilities
from runner.models.library import Library
from runner.models.providers import Route
from runner.spec import Json, Price

# For these LiteLLM asks a server, and waits for it with the event loop at a standstill.
_ASKED_OVER_HTTP = ("huggingface", "lemonade", "ollama", "ollama_chat")
_PER_MILLION = 1_000_000


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
    entry = _entry(library, route)
    return Capabilities(
        function_calling=_feature(library, route, "function_calling", offered="tools" in accepted),
        response_format=_feature(library, route, "response_schema", offered="response_format" in accepted),
        stop="stop" in accepted,
        window=_tokens(entry.get("max_input_tokens")),
        most_output=_tokens(entry.get("max_output_tokens")),
        price=_price(entry),
    )


def _entry(library: Library, route: Route) -> Mapping[str, Json]:
    """The model's line in LiteLLM's table, empty when it has none."""
    if route.provider in _ASKED_OVER_HTTP:
        return {}
    try:
        key = library.get_model_info(_bare(route), custom_llm_provider=route.provider)["key"]
    except Exception:  # noqa: BLE001 - a border: LiteLLM raises its own and plain exceptions for a model it does not know
        return {}
    entry = library.model_cost.get(key)
    return entry if isinstance(entry, Mapping) else {}


def _tokens(value: Json) -> int | None:
    return value if isinstance(value, int) and value > 0 else None


def _price(entry: Mapping[str, Json]) -> Price | None:
    """Dollars per million tokens. Nothing for both is how the table leaves a price open, more often than a gift."""
    each = [entry.get(f"{kind}_cost_per_token") for kind in ("input", "output")]
    given, made = (cost if isinstance(cost, int | float) and isfinite(cost) else None for cost in each)
    if given is None or made is None or not (given or made):
        return None
    cached = entry.get("cache_read_input_token_cost")
    return Price(
        input=_per_million(given),
        output=_per_million(made),
        cached_input=_per_million(cached) if isinstance(cached, int | float) and cached else None,
    )


def _per_million(dollars: float) -> float:
    return round(dollars * _PER_MILLION, 9)  # 0.15, not 0.15000000000000002


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
