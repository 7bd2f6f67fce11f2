"""Everything that was measured, as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tests.benchmarks.figures import Failure, Figures, Round, Row
from tests.benchmarks.workload import Workload


def document(results: Sequence[tuple[Workload, Sequence[Round]]], facts: Mapping[str, object]) -> dict[str, Any]:
    """The facts of the machine, and for each workload what every contender gave in every round, and its rows."""
    return {
        "version": 1,
        "machine": dict(facts),
        "workloads": [
            {
                "name": workload.name,
                "rounds": [{name: _outcome(outcome) for name, outcome in each.items()} for each in rounds],
                "rows": [_row(row, rounds) for row in workload.rows],
            }
            for workload, rounds in results
        ],
    }


def _outcome(outcome: Figures | Failure) -> dict[str, Any]:
    return {"failure": outcome.reason} if isinstance(outcome, Failure) else dict(outcome)


def _row(row: Row, rounds: Sequence[Round]) -> dict[str, Any]:
    return {
        "label": row.label,
        "contenders": {name: asdict(summary) for name, summary in row.summaries(rounds).items()},
        "goal": row.goal and row.goal.text,
        "reached": row.reached(rounds),
    }
