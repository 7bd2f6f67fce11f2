"""What is known of models and their providers: the tables that come with LiteLLM, read without importing that."""

import json
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path

from runner.spec import Json, JsonObject

# The class that lists them, and a line of it; reading it as Python would take ten times as long.
_PROVIDERS = re.compile(r"^class LlmProviders\(.*?\n(?=\S)", re.DOTALL | re.MULTILINE)
_PROVIDER = re.compile(r"^    [A-Z0-9_]+ = \"([^\"]+)\"", re.MULTILINE)
_OPENING = re.compile(r"\s*:\s*\{")
# A model has one of these, and nothing else in the table.
_MARKS = {"litellm_provider", "alias_of"}
_TABLE = "model_prices_and_context_window_backup.json"
# Their names are those of whoever runs the server, which may be anything.
_SERVERS_OF_ONES_OWN = frozenset(
    ("custom_openai", "hosted_vllm", "litellm_proxy", "lm_studio", "local", "ollama", "ollama_chat", "azure")
)


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownModel:
    """What the table says for certain.

    Attributes:
        window: tokens a request may have; None when it is not said.
        calls_no_tools: whether it is said that the model has no tool calls; False when nothing is said.
    """

    window: int | None
    calls_no_tools: bool


def known_model(name: str) -> KnownModel | None:
    """What is known of `provider/model`; None for models of one's own server and those the table does not have.

    The first call reads a file of some megabytes.
    """
    provider, slash, bare = name.partition("/")
    if not slash or provider in _SERVERS_OF_ONES_OWN:
        return None
    entry = _entry(name)
    if entry is None:
        entry = _entry(bare)
        if entry is None or entry.get("litellm_provider") != provider:
            return None
    return KnownModel(
        window=_tokens(entry.get("max_input_tokens")),
        calls_no_tools=entry.get("supports_function_calling") is False,
    )


def _tokens(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


@cache
def known_providers() -> frozenset[str]:
    """The providers that LiteLLM has; empty when nobody can tell. The first call takes about 0.02 s."""
    folder = _package()
    if folder is None:
        return frozenset()
    try:
        source = (folder / "types" / "utils.py").read_text(encoding="utf-8")
        declared = json.loads((folder / "llms" / "openai_like" / "providers.json").read_bytes())
    except (OSError, ValueError):
        return frozenset()
    found = _PROVIDERS.search(source)
    named = _PROVIDER.findall(found[0]) if found else []
    return frozenset((*named, *declared)) if named and isinstance(declared, dict) else frozenset()


def is_known(name: str) -> bool:
    """Whether the table has a model of exactly this name."""
    return _entry(name) is not None


@lru_cache(maxsize=256)
def _entry(name: str) -> JsonObject | None:
    """What LiteLLM's table has under a name."""
    return _found(_table(), name)


def _found(table: str, name: str) -> JsonObject | None:
    """What a table has under a name. To find it takes a tenth of the time of reading the whole as JSON."""
    key, end = json.dumps(name), None
    while (begin := table.rfind(key, 0, end)) >= 0:
        end = begin
        opening = _OPENING.match(table, begin + len(key))
        if opening is None:
            continue
        try:
            entry, _ = json.JSONDecoder().raw_decode(table, opening.end() - 1)
        except ValueError:
            continue
        if _MARKS & entry.keys():  # else it is a part of one
            return dict(entry)
    return None


@cache
def _table() -> str:
    """Empty when LiteLLM is not installed or keeps its table elsewhere: nothing is known then."""
    folder = _package()
    try:
        return (folder / _TABLE).read_text(encoding="utf-8") if folder is not None else ""
    except (OSError, ValueError):
        return ""


def _package() -> Path | None:
    package = find_spec("litellm")  # finds the package without running it
    return None if package is None or package.origin is None else Path(package.origin).parent
