"""The labels that an agent gives to mode `react` can be told apart in a reply."""

from collections.abc import Iterator

from runner.diagnostics import Diagnostic
from runner.language.references import MergedAgent

CODES = {"RUN622": "labels that cannot be told apart"}
_LABELS = ("thought", "action", "action_input", "observation", "final_answer")
_PATH = ("parsing", "labels")


def check(agent: MergedAgent) -> Iterator[Diagnostic]:
    """Complain about the author's own labels; those of a language are right."""
    labels = {key: agent.value(*_PATH, key) for key in _LABELS}
    if agent.value("parsing", "mode") != "react" or not all(isinstance(word, str) and word for word in labels.values()):
        return
    from runner.parsing.react_labels import Labels, label_problems  # noqa: PLC0415 - for the few who have their own

    for key, problem in label_problems(Labels(**labels)):
        yield agent.diagnostic("RUN622", problem, (*_PATH, key))
