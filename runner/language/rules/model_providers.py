"""The provider in a model's name is one that exists; only what looks like a slip is told, since new ones come up."""

from collections.abc import Iterator

from runner.diagnostics import Diagnostic
from runner.language.agent_models import all_models, name_path, settings_of
from runner.language.document import Path
from runner.language.known_models import is_known, known_providers
from runner.language.references import MergedAgent
from runner.spec import Json
from runner.suggest import closest

CODES = {"RUN604": "a provider that does not exist"}
# Those that most models have: for them nothing has to be read, and they are what others are slips of.
COMMON = frozenset(
    {"anthropic", "azure", "bedrock", "cohere_chat", "deepseek", "fireworks_ai", "gemini", "groq", "hosted_vllm"}
    | {"lm_studio", "local", "mistral", "ollama", "ollama_chat", "openai", "openrouter", "perplexity", "together_ai"}
    | {"vertex_ai", "xai"}
)


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Look at the model, its fallbacks, and the model that sums up."""
    for path in all_models(agent):
        settings = settings_of(agent.value(*path))
        if not settings.get("api_base"):  # whose server may call its models what it likes
            yield from _slip(agent, name_path(agent, path), settings.get("name"))


def _slip(agent: MergedAgent, path: Path, name: Json) -> Iterator[Diagnostic]:
    provider, slash, rest = name.partition("/") if isinstance(name, str) else ("", "", "")
    if not slash or not provider or "$" in provider or "{" in provider or provider in COMMON:
        return
    providers = known_providers()
    meant = closest(provider, COMMON)
    if providers and provider not in providers and meant is not None and not is_known(name):
        message = f"there is no provider '{provider}'"
        yield agent.diagnostic("RUN604", message, path, suggestion=f"did you mean '{meant}/{rest}'?")
