"""Where the requests of a model go and which key goes along, decided before anything is sent."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from urllib.parse import urlsplit

from runner.engine.ports import ModelError
from runner.suggest import closest

# The variables each provider's key is read from, the usual one first; LiteLLM reads them by itself.
KEY_VARIABLES: Mapping[str, tuple[str, ...]] = {
    "ai21_chat": ("AI21_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "cerebras": ("CEREBRAS_API_KEY",),
    "codestral": ("CODESTRAL_API_KEY",),
    "cohere": ("COHERE_API_KEY", "CO_API_KEY"),
    "cohere_chat": ("COHERE_API_KEY", "CO_API_KEY"),
    "dashscope": ("DASHSCOPE_API_KEY",),
    "deepinfra": ("DEEPINFRA_API_KEY",),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "fireworks_ai": ("FIREWORKS_AI_API_KEY", "FIREWORKS_API_KEY", "FIREWORKSAI_API_KEY", "FIREWORKS_AI_TOKEN"),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "groq": ("GROQ_API_KEY",),
    "mistral": ("MISTRAL_API_KEY", "MISTRAL_AZURE_API_KEY"),
    "moonshot": ("MOONSHOT_API_KEY",),
    "nvidia_nim": ("NVIDIA_NIM_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY", "OR_API_KEY"),
    "perplexity": ("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"),
    "sambanova": ("SAMBANOVA_API_KEY",),
    "together_ai": ("TOGETHERAI_API_KEY", "TOGETHER_API_KEY", "TOGETHER_AI_API_KEY", "TOGETHER_AI_TOKEN"),
    "xai": ("XAI_API_KEY",),
}
# Servers of one's own. Without an address LiteLLM would send their requests, and a key, to api.openai.com.
ADDRESS_VARIABLES: Mapping[str, tuple[str, ...]] = {
    "azure": ("AZURE_API_BASE", "AZURE_OPENAI_ENDPOINT"),
    "custom_openai": ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
    "hosted_vllm": ("HOSTED_VLLM_API_BASE",),
    "litellm_proxy": ("LITELLM_PROXY_API_BASE",),
    "lm_studio": ("LM_STUDIO_API_BASE",),
}
# Providers whose client library is a package of its own: the module they need and how to get it.
PACKAGES: Mapping[str, tuple[str, str]] = {"vertex_ai": ("google.auth", "pip install google-auth")}

NO_KEY = "none"


@dataclass(frozen=True, kw_only=True, slots=True)
class Route:
    """The resolved destination of a model's requests.

    Attributes:
        name: the model as people know it; what messages say.
        model: what LiteLLM is told, `provider/model`.
        provider: LiteLLM's provider.
        api_base: address of the server, None for the provider's own.
        api_key: the key sent; None leaves it to LiteLLM, which reads the provider's variables.
    """

    name: str
    model: str
    provider: str
    api_base: str | None = None
    api_key: str | None = None

    @property
    def key_variables(self) -> tuple[str, ...]:
        """The variables its key may be in."""
        return KEY_VARIABLES.get(self.provider, ())


def resolve(name: str, *, api_base: str | None, api_key: str | None, provider_of: Callable[[str], str | None]) -> Route:
    """Find out where a model's requests go.

    With `api_base` and no key the key is "none": the provider's variables hold a key for the provider, and LiteLLM
    would send it to whatever server the agent's file names.

    Args:
        name: the model as written in the agent.
        api_base: address of the server, None for the provider's own.
        api_key: the key the agent names.
        provider_of: LiteLLM's provider for a model name, or None when it knows none.

    Raises:
        ModelError: the name says no provider, and there is no `api_base` it could be asked at.
    """
    key = api_key or (NO_KEY if api_base else None)
    provider = provider_of(name)
    prefix, slash, _ = name.partition("/")
    if provider is not None and (prefix == provider or not api_base):
        model = name if slash else f"{provider}/{name}"
        return Route(name=name, model=model, provider=provider, api_base=api_base, api_key=key)
    if api_base:
        # Any server that speaks OpenAI's protocol; hosted_vllm is LiteLLM's plainest client for it (field bug B123).
        return Route(name=name, model=f"hosted_vllm/{name}", provider="hosted_vllm", api_base=api_base, api_key=key)
    raise ModelError(_unknown_provider(name), configuration=True)


def _unknown_provider(name: str) -> str:
    prefix, slash, rest = name.partition("/")
    near = closest(prefix, (*KEY_VARIABLES, *ADDRESS_VARIABLES, "bedrock", "local", "ollama_chat", "vertex_ai"))
    if slash and near:
        return f"model {name!r}: there is no provider {prefix!r}; did you mean '{near}/{rest}'?"
    found = f"there is no provider {prefix!r}" if slash else "it names no provider"
    return (
        f"model {name!r}: {found}; write 'provider/model', such as 'openai/{name}', "
        "or add `api_base` for a server of your own"
    )


def check(route: Route, environ: Mapping[str, str]) -> None:
    """Make sure that nothing is missing here before a request is made.

    Raises:
        ModelError: with what to set or to install.
    """
    if route.provider in PACKAGES:
        module, install = PACKAGES[route.provider]
        if not _installed(module):
            raise ModelError(f"{route.name} needs a package that is not installed: {install}", configuration=True)
    addresses = ADDRESS_VARIABLES.get(route.provider, ())
    if addresses and not route.api_base and not any(environ.get(variable) for variable in addresses):
        raise ModelError(
            f"{route.name} runs on a server of your own: add `api_base` to `model`, or set {addresses[0]}",
            configuration=True,
        )
    if route.api_base:
        _check_address(route.name, route.api_base)
    check_key(route.provider, route.name, given=bool(route.api_key or route.api_base), environ=environ)


def _check_address(name: str, address: str) -> None:
    """Not repeated in the messages: an address may hold a password."""
    if not _is_web_address(address):
        problem = "is no web address; write http:// or https://, the host, and mostly /v1: http://localhost:8000/v1"
    elif urlsplit(address).username is not None:
        problem = "holds a name or password, which no request can carry beside a key; write it as `api_key`"
    else:
        return
    raise ModelError(f"`api_base` of {name} {problem}", configuration=True)


def _is_web_address(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def check_key(provider: str, name: str, *, given: bool, environ: Mapping[str, str]) -> None:
    """Make sure that there is a key for a provider that needs one; cheap, so it can be done before loading anything.

    Raises:
        ModelError: naming the variable to set.
    """
    variables = KEY_VARIABLES.get(provider, ())
    if variables and not given and not any(environ.get(variable) for variable in variables):
        others = f" (or {', '.join(variables[1:])})" if variables[1:] else ""
        raise ModelError(
            f"{name} needs an API key: set the environment variable {variables[0]}{others}, "
            "or add `api_key` to `model`",
            configuration=True,
        )


def _installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # its parent package is missing
        return False
