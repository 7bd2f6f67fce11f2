"""Repairs one text: fixes are tried, and only what makes it better stays."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from runner.diagnostics import Diagnostic
from runner.language.fixing.drafts import Desk, Draft
from runner.language.fixing.edits import Fix, apply, compatible
from runner.language.fixing.fixers import fix_for
from runner.language.fixing.mistake import Mistake

# A fix may bring mistakes to light that were hidden behind the first; they are followed that far.
_DEPTH = 8
# That an agent lacks something is not told as long as it may be there under a wrong name, so no fix is to blame for it.
_HELD_BACK = "RUN311"
_LINE = re.compile(r"\bline \d+")
# A diagnostic without its place, which an edit before it moves.
_Problem = tuple[str, str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Repair:
    """A text and what was repaired in it.

    Attributes:
        before: the text as it was.
        after: the text now; the same when nothing could be repaired.
        fixes: what was done, in the order of doing it.
    """

    before: str
    after: str
    fixes: tuple[Fix, ...]


def repair(text: str, desk: Desk) -> Repair:
    """Repair what can be repaired for certain.

    Every fix is checked: one whose diagnostic stays, or that brings another one which cannot be repaired, is undone.
    Repairing the result again changes nothing.
    """
    draft = desk.draft(text)
    fixes: list[Fix] = []
    hopeless: set[_Problem] = set()
    while True:
        wanted = [each for each in _repairable(draft.mistakes) if _problem(each[0].diagnostic) not in hopeless]
        if not wanted:
            return Repair(before=text, after=draft.text, fixes=tuple(fixes))
        step = _together(draft, wanted, desk) or _one_by_one(draft, wanted, desk, hopeless)
        if step is not None:
            draft = step.draft
            fixes.extend(step.fixes)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Step:
    draft: Draft
    fixes: tuple[Fix, ...]


def _repairable(mistakes: Iterable[Mistake]) -> list[tuple[Mistake, Fix]]:
    return [(mistake, fix) for mistake in mistakes if (fix := fix_for(mistake)) is not None]


def _together(draft: Draft, wanted: Sequence[tuple[Mistake, Fix]], desk: Desk) -> _Step | None:
    """All fixes at once, which is nearly always right and needs one check."""
    chosen = compatible(fix for _, fix in wanted)
    after = desk.draft(apply(draft.text, [edit for fix in chosen for edit in fix.edits]))
    targets = [mistake.diagnostic for mistake, fix in wanted if fix in chosen]
    return None if _worse(draft, after, targets) else _Step(draft=after, fixes=tuple(chosen))


def _one_by_one(
    draft: Draft, wanted: Sequence[tuple[Mistake, Fix]], desk: Desk, hopeless: set[_Problem]
) -> _Step | None:
    """The first fix that makes the text better; those before it are hopeless."""
    for mistake, fix in wanted:
        step = _followed(draft, mistake, fix, desk, _DEPTH)
        if step is not None:
            return step
        hopeless.add(_problem(mistake.diagnostic))
    return None


def _followed(draft: Draft, mistake: Mistake, fix: Fix, desk: Desk, depth: int) -> _Step | None:
    """A fix, and the fixes of what it brings to light; None if something of that stays."""
    after = desk.draft(apply(draft.text, fix.edits))
    fixes = [fix]
    targets = [mistake.diagnostic]
    for _ in range(depth):
        new = _worse(draft, after, targets)
        if not new:
            return _Step(draft=after, fixes=tuple(fixes))
        wanted = [each for each in _repairable(after.mistakes) if _problem(each[0].diagnostic) in new]
        chosen = compatible(each for _, each in wanted)
        if not chosen:
            return None
        after = desk.draft(apply(after.text, [edit for each in chosen for edit in each.edits]))
        fixes.extend(chosen)
    return None


def _worse(before: Draft, after: Draft, targets: Iterable[Diagnostic]) -> Counter[_Problem]:
    """The problems of `after` that `before` does not have, or that were to be repaired."""
    if before.document is None and after.document is not None:
        return Counter()  # what could not even be read is better off with any mistake that can
    tolerated = Counter(map(_problem, before.diagnostics))
    tolerated.subtract(map(_problem, targets))
    if before.document is None:
        tolerated.clear()  # the reader stops at the first mistake
    found = Counter(_problem(each) for each in after.diagnostics if each.code != _HELD_BACK)
    return found - tolerated


def _problem(diagnostic: Diagnostic) -> _Problem:
    return diagnostic.code, diagnostic.location.file, _LINE.sub("line", diagnostic.message)
