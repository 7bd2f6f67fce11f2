"""A model's name says whose it is: `provider/model`, as LiteLLM wants it."""

from collections.abc import Iterator

from runner.diagnostics import Diagnostic
from runner.language.agent_models import all_models, name_path, settings_of
from runner.language.document import Path
from runner.language.references import MergedAgent
from runner.spec import Json

CODES = {"RUN601": "a model name without a provider"}
# The providers of well-known families of models, by how their names begin.
_PROVIDERS = {
    "gpt": "openai",
    "chatgpt": "openai",
    "o1": "openai",
    "o3": "openai",
    "o4": "openai",
    "claude": "anthropic",
    "gemini": "gemini",
    "mistral": "mistral",
    "codestral": "mistral",
    "deepseek": "deepseek",
    "grok": "xai",
    "command": "cohere_chat",
    "llama": "ollama_chat",
    "qwen": "ollama_chat",
    "smollm": "local",
}


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Look at the names of the model, its fallbacks, and the model that sums up."""
    for path in all_models(agent):
        settings = settings_of(agent.value(*path))
        if not settings.get("api_base"):  # which says where to ask for a bare name
            yield from _problems(agent, name_path(agent, path), settings.get("name"))


def _problems(agent: MergedAgent, place: Path, name: Json) -> Iterator[Diagnostic]:
    if not isinstance(name, str) or not name:
        return
    if "{{" in name:
        if agent.sound:  # else an unquoted `{{ m }}` has been complained about
            message = f"model '{name}' is a template, and only prompts are rendered"
            yield agent.diagnostic("RUN601", message, place, suggestion="write its name, or ${NAME_OF_A_VARIABLE}")
        return
    if "/" in name or "${" in name:
        return
    family = next((provider for start, provider in _PROVIDERS.items() if name.lower().startswith(start)), None)
    suggestion = f"write '{family}/{name}'" if family else f"write its provider too, such as 'openai/{name}'"
    message = f"model '{name}' names no provider, expected 'provider/model'"
    yield agent.diagnostic("RUN601", message, place, suggestion=suggestion)
