"""The answers of examples are what `output_schema` asks of answers: a model writes what it has seen."""

import json
from collections.abc import Iterator

from runner.diagnostics import Diagnostic
from runner.language.references import MergedAgent
from runner.language.schema import problems
from runner.language.schema.authored import check_authored
from runner.prompts import is_template

CODES = {"RUN626": "an example whose answer does not fit the output schema"}


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Warn of the answers that do not fit; what a template makes of one is not known here."""
    schema, examples = agent.value("output_schema"), agent.value("examples")
    if not isinstance(schema, dict) or any(not finding.warning for finding in check_authored(schema)):
        return
    for index in range(len(examples) if isinstance(examples, list) else 0):
        path = ("examples", index, "answer")
        answer = agent.value(*path)
        if not isinstance(answer, str) or is_template(answer):
            continue
        try:
            wrong = problems(json.loads(answer), schema)
        except (ValueError, RecursionError):
            wrong = ["it is not JSON"]
        for problem in wrong:
            message = f"the answer of this example does not fit output_schema: {problem}"
            yield agent.diagnostic("RUN626", message, path, severity="warning")
