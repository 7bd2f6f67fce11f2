"""Every template is one: its syntax is right, and the filters and tests it uses exist."""

from collections.abc import Iterator

from runner.diagnostics import Diagnostic
from runner.language.passages import Passage, diagnostic_in
from runner.language.references import MergedAgent
from runner.prompts import Reading

CODES = {
    "RUN401": "a mistake in the syntax of a template",
    "RUN403": "an unknown filter or test in a template",
    "RUN406": "something that templates cannot reach",
}
_CODE = {"syntax": "RUN401", "name": "RUN403", "include": "RUN405", "hidden": "RUN406"}


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Complain about what can never be rendered."""
    for template in agent.templates:
        yield from mistakes_in(template.passage, template.reading)


def mistakes_in(passage: Passage, reading: Reading) -> Iterator[Diagnostic]:
    """What can never be rendered of one text."""
    for mistake in reading.mistakes:
        place = mistake.mark.place(passage.value)
        yield diagnostic_in(passage, _CODE[mistake.kind], mistake.message, place, suggestion=mistake.suggestion)
