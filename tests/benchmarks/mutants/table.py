"""Scores as text: a table by kind, and every miss."""

from collections.abc import Iterable, Mapping, Sequence

from tests.benchmarks.mutants.rival import Verdicts
from tests.benchmarks.mutants.scoring import Score

_COLUMNS = ("caught", "on_line", "one", "suggested")


def rates(scores: Sequence[Score]) -> dict[str, float | None]:
    """Of each column the share that is right; None when it does not apply to any."""
    found: dict[str, float | None] = {}
    for column in _COLUMNS:
        values = [value for score in scores if (value := getattr(score, column)) is not None]
        found[column] = sum(values) / len(values) if values else None
    return found


def table(scores: Sequence[Score], verdicts: Verdicts | None, goals: Mapping[str, float]) -> str:
    """A line for each kind, the sum, and the goals."""
    head = ("kind", "mutants", *_COLUMNS, "rival caught")
    kinds = list(dict.fromkeys(score.case.kind for score in scores))
    rows = [_row(kind, [score for score in scores if score.case.kind == kind], verdicts) for kind in kinds]
    rows.append(_row("all", scores, verdicts))
    rows.append(("goal", "", *(_percent(goals[column]) for column in _COLUMNS), ""))
    lines = [_line(row) for row in (head, *rows)]
    if verdicts is not None:
        lines.append(f"rival's false positives on the originals: {len(verdicts.false_positives)}")
    return "\n".join(lines)


def misses(scores: Iterable[Score]) -> str:
    """Every mutant that something could be better about."""
    lines = []
    for score in scores:
        if not score.is_right:
            case = score.case
            wrong = ", ".join(column for column in _COLUMNS if getattr(score, column) is False)
            where = f"{case.subject.project.name}/{case.subject.file}:{'/'.join(map(str, sorted(case.mutant.lines)))}"
            lines.append(f"{case.kind}: {where}: {case.mutant.what}: not {wrong}")
            lines += [f"    {words}" for words in score.said]
    return "\n".join(lines)


def _row(name: str, scores: Sequence[Score], verdicts: Verdicts | None) -> tuple[str, ...]:
    rival = ""
    if verdicts is not None:
        rival = _percent(sum(score.case.number in verdicts.caught for score in scores) / len(scores))
    return (name, str(len(scores)), *map(_percent, rates(scores).values()), rival)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}%"


def _line(cells: Iterable[str]) -> str:
    first, *others = cells
    return f"{first:<28}" + "".join(f"{cell:>13}" for cell in others)
