"""What an agent allows at one place it does not take back at another."""

from collections.abc import Iterator
from dataclasses import fields

from runner.diagnostics import Diagnostic, Location, Related
from runner.language.catalog import DeclaredTool
from runner.language.document import Path
from runner.language.policy import amount
from runner.language.references import MergedAgent
from runner.spec import Limits

CODES = {"RUN706": "settings that cannot both hold"}
_TIMEOUT: Path = ("limits", "timeout")
_BUDGET: Path = ("limits", "max_total_tokens")
# Times of one part of a run; a fallback's own is left out, it hardly ever counts.
_PARTS: tuple[Path, ...] = (("limits", "tool_timeout"), ("model", "timeout"), ("context", "model", "timeout"))
_DEFAULTS = {field.name: field.default for field in fields(Limits)}


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Warn of what can never be reached or never come to an end."""
    if agent.is_base:
        return
    yield from _times(agent)
    yield from _tokens(agent)
    yield from _answers(agent)


def _times(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Only of what is written: the default time of a tool is more than that of a short run, and nobody minds."""
    written = agent.value(*_TIMEOUT)
    whole = amount("timeout", _DEFAULTS["timeout"] if written is None else written)
    if whole is None:
        return
    told = f"{whole:g} s, by default" if written is None else str(written)
    for path in _PARTS:
        part = amount("timeout", agent.value(*path))
        if part is not None and part > whole:
            message = f"{'.'.join(map(str, path))}: {agent.value(*path)} is more than the whole run has ({told})"
            yield _warning(agent, message, path, "raise limits.timeout, or write less here", _whole(agent))
    for use in agent.tools:
        part = amount("timeout", use.tool.data.get("timeout")) if use.tool else None
        if use.tool is not None and part is not None and part > whole:
            time = use.tool.data["timeout"]
            message = f"the timeout of tool '{use.name}', {time}, is more than the whole run has ({told})"
            also = (Related(message="its timeout is", location=_timeout_of(use.tool)), *_whole(agent))
            yield _warning(agent, message, use.path, "raise limits.timeout", also)


def _whole(agent: MergedAgent) -> tuple[Related, ...]:
    written = agent.value(*_TIMEOUT) is not None
    return _related(agent, "the run's limit is", _TIMEOUT) if written else ()


def _tokens(agent: MergedAgent) -> Iterator[Diagnostic]:
    path: Path = ("model", "max_tokens")
    reply, budget = agent.value(*path), amount("max_total_tokens", agent.value(*_BUDGET))
    if isinstance(reply, int) and budget is not None and reply > budget:
        message = f"model.max_tokens: {reply} is more than the {budget:g} tokens that the whole run has"
        related = _related(agent, "the run's limit is", _BUDGET)
        yield _warning(agent, message, path, "raise limits.max_total_tokens, or write less here", related)


def _answers(agent: MergedAgent) -> Iterator[Diagnostic]:
    """A forced tool call leaves no reply to answer with; a structured answer may be a tool call itself."""
    path: Path = ("tool_choice", "mode")
    mode = agent.value(*path)
    if mode in (None, "auto", "none") or not agent.tools or agent.value("output_schema") is not None:
        return
    if agent.value("limits", "max_steps") == 1:
        message = f"tool_choice '{mode}' makes the first reply a tool call, and the run ends with it (max_steps: 1)"
        related = _related(agent, "the run's limit is", ("limits", "max_steps"))
        yield _warning(agent, message, path, "raise limits.max_steps, or write auto", related)
    chosen = [use.tool for use in agent.tools if use.tool and mode in ("required", use.name)]
    direct = any(tool.data.get("return_direct") is True for tool in chosen)
    if agent.value("tool_choice", "keep") is True and chosen and not direct:
        message = f"with keep, tool_choice '{mode}' leaves no reply to answer with: only a limit ends the run"
        yield _warning(
            agent, message, ("tool_choice", "keep"), "leave keep out, so that it holds for the first step", ()
        )


def _warning(agent: MergedAgent, message: str, path: Path, suggestion: str, related: tuple[Related, ...]) -> Diagnostic:
    return agent.diagnostic("RUN706", message, path, suggestion=suggestion, severity="warning", related=related)


def _related(agent: MergedAgent, message: str, path: Path) -> tuple[Related, ...]:
    document, found = agent.find(path)
    return (Related(message=message, location=Location(file=document.file, span=document.span(found))),)


def _timeout_of(tool: DeclaredTool) -> Location:
    return Location(file=tool.document.file, span=tool.document.span((*tool.path, "timeout")))
