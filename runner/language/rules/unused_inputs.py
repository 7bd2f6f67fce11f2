"""A declared input is used by some template, otherwise giving it a value does nothing."""

from collections.abc import Iterator

from runner.diagnostics import Diagnostic
from runner.language.references import MergedAgent

CODES = {"RUN404": "an input that no template uses"}


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Warn about the agent's own inputs; those of its bases may be meant for others."""
    readings = [template.reading for template in agent.templates]
    if agent.is_base or not agent.sound or any(reading.mistakes for reading in readings):
        return
    used = frozenset[str]().union(*(reading.mentioned for reading in readings))
    inputs = agent.document.data.get("inputs")
    for name in inputs if isinstance(inputs, dict) else ():
        if name not in used and not name.startswith("x-"):
            yield agent.diagnostic(
                "RUN404", f"input '{name}' is used by no template", ("inputs", name), key=True, severity="warning"
            )
