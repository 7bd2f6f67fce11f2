"""Every template is one: its syntax is right, and the filters and tests it uses exist."""

from collections.abc import Iterator

from runner.diagnostics import Diagnostic
from runner.language.passages import diagnostic_in
from runner.language.references import MergedAgent

CODES = {
    "RUN401": "a mistake in the syntax of a template",
    "RUN403": "an unknown filter or test in a template",
    "RUN406": "something that templates cannot reach",
}
_CODE = {"syntax": "RUN401", "name": "RUN403", "include": "RUN405", "hidden": "RUN406"}


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Complain about what can never be rendered."""
    for template in agent.templates:
        for mistake in template.reading.mistakes:
            place = mistake.mark.place(template.passage.value)
            code = _CODE[mistake.kind]
            yield diagnostic_in(template.passage, code, mistake.message, place, suggestion=mistake.suggestion)
