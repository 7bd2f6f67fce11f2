"""The patterns of a protocol in mode `text` can be used, and find what they are meant for."""

from collections.abc import Iterator

from runner.diagnostics import Diagnostic
from runner.language.passages import ScalarPassage, diagnostic_in
from runner.language.references import MergedAgent

CODES = {
    "RUN620": "a pattern of a text protocol that cannot be used",
    "RUN621": "a text protocol that may not work as it is meant",
}
_STYLES = ("json", "pairs", "none")


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Try the patterns out on the names of the agent's tools."""
    call, answer = agent.value("parsing", "call"), agent.value("parsing", "answer")
    style = agent.value("parsing", "arguments")
    if style is None:
        style = "json"
    if agent.value("parsing", "mode") != "text" or style not in _STYLES:
        return
    if not isinstance(call, str) or not isinstance(answer, str):
        return
    from runner.parsing.text_protocol import check_protocol  # noqa: PLC0415 - the regex engine, for the few who use it

    tools = tuple(dict.fromkeys(use.name for use in agent.tools))
    for problem in check_protocol(call=call, answer=answer, arguments=style, tools=tools):
        yield _diagnostic(agent, problem.field, problem.message, problem.offset, advice=problem.advice)


def _diagnostic(agent: MergedAgent, key: str, message: str, offset: int | None, *, advice: bool) -> Diagnostic:
    path = ("parsing", key)
    text, code = agent.value(*path), "RUN621" if advice else "RUN620"
    document, found = agent.find(path)
    message = f"parsing.{key}: {message}"
    if offset is None or document is None:
        return agent.diagnostic(code, message, path, severity="warning" if advice else "error")
    passage = ScalarPassage(document=document, path=found, value=text)
    return diagnostic_in(passage, code, message, (offset, min(offset + 1, len(text))))
