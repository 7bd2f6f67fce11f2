"""Writes what was measured as a table for people."""

from collections.abc import Iterable, Sequence

from tests.benchmarks.figures import Failure, Round, Row, Summary
from tests.benchmarks.workload import Workload

LEGEND = """\
Each figure: the median (least-most); behind those of others, how many times as much ours is: 0.80x is less than theirs.
litellm and aiohttp are the same loop by hand; litellm-recipe is that with our way of importing and ending.
"""
_LABEL, _CELL, _CELLS = 32, 40, 3


def table(workload: Workload, rounds: Sequence[Round]) -> str:
    """The figures of a workload: ours, those of the others with how many times as much ours is, and the goal."""
    heading = f"{workload.name}: {workload.what} ({len(rounds)} {'round' if len(rounds) == 1 else 'rounds'})"
    lines = [heading, *(line for row in workload.rows for line in _row(row, rounds)), *_failures(rounds)]
    return "\n".join(lines) + "\n"


def verdict(results: Sequence[tuple[Workload, Sequence[Round]]]) -> str:
    """How many goals were reached, and which were not."""
    goals = [
        (f"{workload.name}, {row.label}", row.reached(rounds))
        for workload, rounds in results
        for row in workload.rows
        if row.goal
    ]
    missed = [f"  {name}: {'missed' if met is False else 'not measured'}" for name, met in goals if not met]
    if not goals:
        return "no goals here\n"
    return "\n".join([f"{len(goals) - len(missed)} of {len(goals)} goals reached", *missed]) + "\n"


def _row(row: Row, rounds: Sequence[Round]) -> Iterable[str]:
    cells = [_cell(name, summary) for name, summary in row.summaries(rounds).items()]
    label = f"  {row.label}"
    for start in range(0, len(cells), _CELLS):
        yield (f"{label:{_LABEL}}" + "".join(f"{cell:{_CELL}}" for cell in cells[start : start + _CELLS])).rstrip()
        label = "  …"
    if row.goal:
        met = {True: "reached", False: "MISSED", None: "not measured"}[row.reached(rounds)]
        yield f"{'':{_LABEL}}goal: {row.goal.text}: {met}"


def _cell(name: str, summary: Summary) -> str:
    spread = "" if summary.least == summary.most else f" ({_number(summary.least)}-{_number(summary.most)})"
    ratio = "" if summary.ratio is None else f" {summary.ratio:.2f}x"
    return f"{name} {_number(summary.median)}{spread}{ratio}"


def _number(value: float) -> str:
    """Three digits that matter."""
    if abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def _failures(rounds: Sequence[Round]) -> Iterable[str]:
    for name in dict.fromkeys(name for measured in rounds for name in measured):
        reasons = [outcome.reason for measured in rounds if isinstance(outcome := measured.get(name), Failure)]
        if reasons:
            times = "" if len(reasons) == len(rounds) else f" in {len(reasons)} of {len(rounds)} rounds"
            yield f"  {name} failed{times}: {reasons[-1]}"
