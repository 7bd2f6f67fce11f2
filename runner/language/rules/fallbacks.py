"""A fallback is another model than those asked before it: one that failed for good is not asked again."""

import json
from collections.abc import Iterator

from runner.diagnostics import Diagnostic, Location, Related
from runner.language.agent_models import asked_in_turn, name_path, settings_of
from runner.language.references import MergedAgent
from runner.spec import Json

CODES = {"RUN602": "a fallback that was asked before"}
# What makes the same name another model: a server or an account of its own.
_DISTINCT = ("api_base", "api_key", "params")


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Warn of a model that stands twice in the order in which they are asked."""
    inherited = agent.value("model", "params")
    first: dict[str, tuple[str | int, ...]] = {}
    for path in asked_in_turn(agent):
        model = agent.value(*path)
        identity = _identity(model if isinstance(model, dict) else {"name": model, "params": inherited})
        if identity is None:
            continue
        before = first.setdefault(identity, path)
        if before is not path:
            document, found = agent.find(name_path(agent, before))
            place = Location(file=document.file, span=document.span(found))
            name = settings_of(model)["name"]
            yield agent.diagnostic(
                "RUN602",
                f"fallback '{name}' was asked before: it fails again for the same reason",
                name_path(agent, path),
                severity="warning",
                suggestion="name another model, or raise model.retries",
                related=(Related(message="asked before", location=place),),
            )


def _identity(model: Json) -> str | None:
    name = model.get("name")
    if not isinstance(name, str):
        return None
    return json.dumps([name, *(model.get(key) or None for key in _DISTINCT)], sort_keys=True, default=str)
