"""A model's name says whose it is: `provider/model`, as LiteLLM wants it."""

from collections.abc import Iterator

from runner.diagnostics import Diagnostic
from runner.language.references import MergedAgent

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
_PATH = ("model", "name")


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Complain about a bare name, unless `api_base` says where to ask for it."""
    name = agent.value(*_PATH)
    if not isinstance(name, str) or not name or "/" in name or "${" in name or agent.value("model", "api_base"):
        return
    if "{{" in name:
        if agent.sound:  # else an unquoted `{{ m }}` has been complained about
            message = f"model '{name}' is a template, and only prompts are rendered"
            yield agent.diagnostic("RUN601", message, _PATH, suggestion="write its name, or ${NAME_OF_A_VARIABLE}")
        return
    family = next((provider for start, provider in _PROVIDERS.items() if name.lower().startswith(start)), None)
    suggestion = f"write '{family}/{name}'" if family else f"write its provider too, such as 'openai/{name}'"
    message = f"model '{name}' names no provider, expected 'provider/model'"
    yield agent.diagnostic("RUN601", message, _PATH, suggestion=suggestion)
