"""Secrets come from the environment; one that is written in a file is read by everybody who has the file."""

import re
from collections.abc import Iterator, Mapping

from runner.diagnostics import Diagnostic
from runner.language.agent_models import all_models
from runner.language.catalog import DeclaredTool
from runner.language.document import Path
from runner.language.references import MergedAgent
from runner.language.requests import declaration, is_filled_in
from runner.spec import Json, JsonObject, ProjectSpec

CODES = {"RUN803": "a secret written in a file"}
_MESSAGE = "this looks like a secret, and is written in the file"
_SUGGESTION = "keep it in an environment variable, and write ${NAME}"
# Shorter ones (`none`, `EMPTY`, `ollama`) are for servers that ask for some key and take any.
_SHORTEST_KEY = 16
_AUTH = (("bearer",), ("basic", "password"), ("header", "value"), ("query", "value"))
_CALLED = {
    "headers": re.compile("(proxy-)?authorization|cookie|(x-)?api-key|x-auth-token"),
    "query": re.compile("api_?key|access_token"),
    "env": re.compile("(.*_)?(token|secret|password|api_?key|secret_key|access_key)"),
}


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Warn of keys of models that are written out; `none` and the like are what servers without keys are given."""
    for path in all_models(agent):
        key = agent.value(*path, "api_key")
        if isinstance(key, str) and len(key) >= _SHORTEST_KEY and "${" not in key:
            yield agent.diagnostic("RUN803", _MESSAGE, (*path, "api_key"), suggestion=_SUGGESTION, severity="warning")


def check_tool(tool: DeclaredTool, project: ProjectSpec) -> Iterator[Diagnostic]:
    """Warn of secrets of tools that are written out: what signs in, and what is called like a secret."""
    del project
    declared = declaration(tool)
    for path in _places(declared):
        value = _at(declared, path)
        if isinstance(value, str) and value and not is_filled_in(value):
            at = (*tool.path, *path)
            yield tool.document.diagnostic("RUN803", _MESSAGE, at, suggestion=_SUGGESTION, severity="warning")


def _places(declared: JsonObject) -> Iterator[Path]:
    yield from (("auth", *path) for path in _AUTH)
    for part, secret in _CALLED.items():
        values = declared.get(part)
        for name, value in values.items() if isinstance(values, Mapping) else ():
            if secret.fullmatch(name.lower()):
                yield (part, name, "value") if isinstance(value, Mapping) else (part, name)


def _at(value: Json, path: Path) -> Json:
    for step in path:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value
