"""A declared input is used by some template, otherwise giving it a value does nothing."""

from collections.abc import Iterator

from runner.diagnostics import Diagnostic
from runner.language.references import MergedAgent
from runner.language.rules.template_variables import keys_of
from runner.prompts import Reading
from runner.spec import JsonObject
from runner.suggest import closest

CODES = {"RUN404": "an input that no template uses"}


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Warn about the agent's own inputs; those of its bases may be meant for others."""
    readings = [template.reading for template in agent.templates]
    if agent.is_base or not agent.sound or any(reading.mistakes for reading in readings):
        return
    inputs = agent.document.data.get("inputs")
    declared = inputs if isinstance(inputs, dict) else {}
    used = frozenset[str]().union(*(reading.mentioned for reading in readings))
    meant = {name for reading in readings for name in _meant(reading, declared)}
    for name in declared:
        if name not in used | meant and not name.startswith("x-"):
            yield agent.diagnostic(
                "RUN404", f"input '{name}' is used by no template", ("inputs", name), key=True, severity="warning"
            )


def _meant(reading: Reading, declared: JsonObject) -> Iterator[str]:
    """The inputs that seem to stand in a template under a wrong name, which is told there."""
    for mark in reading.variables:
        if mark.text not in declared:
            yield closest(mark.text, declared) or mark.text
            yield from keys_of(mark.text, reading, declared)
