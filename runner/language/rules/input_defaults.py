"""The default of an input is a value the input accepts."""

from collections.abc import Iterator

from runner.diagnostics import Diagnostic
from runner.language.references import MergedAgent
from runner.language.schema import problems
from runner.language.schema.authored import check_authored

CODES = {"RUN312": "a default that the input's own schema refuses"}


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Hold each default against its schema, where that is a schema."""
    inputs = agent.value("inputs")
    for name, schema in inputs.items() if isinstance(inputs, dict) else ():
        if not isinstance(schema, dict) or "default" not in schema:
            continue
        if any(not finding.warning for finding in check_authored(schema)):
            continue
        for problem in problems(schema["default"], schema):
            message = f"the default of input '{name}' does not fit its own schema: {problem}"
            yield agent.diagnostic("RUN312", message, ("inputs", name, "default"))
