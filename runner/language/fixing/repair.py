"""Repairs texts: fixes are tried, and only what makes a text better stays."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.diagnostics import Diagnostic
from runner.language.fixing.drafts import Draft, checked_drafts
from runner.language.fixing.edits import Fix, apply, compatible
from runner.language.fixing.fixers import fix_for
from runner.language.fixing.mistake import Mistake
from runner.language.rules import contradictions

# A fix may bring mistakes to light that were hidden behind the first; they are followed that far.
_DEPTH = 8
# What no fix is to blame for. That an agent lacks something is not told as long as it may be there under a wrong name,
# and that its limits contradict each other only shows when all of them are in their places.
_HELD_BACK = frozenset({"RUN311", *contradictions.CODES})
_LINE = re.compile(r"\bline \d+")
# A diagnostic without its place, which an edit before it moves.
_Problem = tuple[str, str]
_Wanted = Sequence[tuple[Mistake, Fix]]


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


def repair(drafts: Mapping[Path, Draft]) -> Mapping[Path, Repair]:
    """Repair what can be repaired for certain.

    Every fix is checked: one whose diagnostic stays, or that brings another one which cannot be repaired, is undone.
    Repairing the result again changes nothing.
    """
    works = [_Work(draft) for draft in drafts.values()]
    while open_works := [work for work in works if work.wanted()]:
        # All fixes of all files at once: that is nearly always right, and one check is enough for it.
        trials = {work.draft.path: work.together() for work in open_works}
        after = checked_drafts({path: text for path, (text, _) in trials.items()})
        for work in open_works:
            _, fixes = trials[work.draft.path]
            work.take(after[work.draft.path], fixes)
    return {work.draft.path: work.result() for work in works}


class _Work:
    """One file in repair."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self._before = draft.text
        self._fixes: list[Fix] = []
        self._hopeless: set[_Problem] = set()

    def wanted(self) -> _Wanted:
        """The mistakes that have a fix which was not tried in vain."""
        found = _repairable(self.draft.mistakes)
        return [each for each in found if _problem(each[0].diagnostic) not in self._hopeless]

    def together(self) -> tuple[str, Sequence[Fix]]:
        """The text with all fixes that do not touch each other, and those fixes."""
        fixes = compatible(fix for _, fix in self.wanted())
        return apply(self.draft.text, [edit for fix in fixes for edit in fix.edits]), fixes

    def take(self, after: Draft, fixes: Sequence[Fix]) -> None:
        """Go on with the text that has the fixes, if it is better; else find out which of them are good."""
        wanted = self.wanted()
        if not _worse(self.draft, after, (mistake.diagnostic for mistake, fix in wanted if fix in fixes)):
            self._go_on(after, fixes)
            return
        for mistake, fix in wanted:
            if self._follow(mistake, fix):
                return
            self._hopeless.add(_problem(mistake.diagnostic))

    def result(self) -> Repair:
        """What came of it."""
        return Repair(before=self._before, after=self.draft.text, fixes=tuple(self._fixes))

    def _go_on(self, after: Draft, fixes: Iterable[Fix]) -> None:
        self.draft = after
        self._fixes.extend(fixes)

    def _follow(self, mistake: Mistake, fix: Fix) -> bool:
        """Make one fix, and those of what it brings to light; False if something of that stays."""
        after = _with(self.draft, [fix])
        fixes = [fix]
        for _ in range(_DEPTH):
            new = _worse(self.draft, after, [mistake.diagnostic])
            if not new:
                self._go_on(after, fixes)
                return True
            found = _repairable(after.mistakes)
            chosen = compatible(each for revealed, each in found if _problem(revealed.diagnostic) in new)
            if not chosen:
                return False
            after = _with(after, chosen)
            fixes.extend(chosen)
        return False


def _with(draft: Draft, fixes: Iterable[Fix]) -> Draft:
    text = apply(draft.text, [edit for fix in fixes for edit in fix.edits])
    return checked_drafts({draft.path: text})[draft.path]


def _repairable(mistakes: Iterable[Mistake]) -> _Wanted:
    return [(mistake, fix) for mistake in mistakes if (fix := fix_for(mistake)) is not None]


def _worse(before: Draft, after: Draft, targets: Iterable[Diagnostic]) -> Counter[_Problem]:
    """The problems of `after` that `before` does not have, or that were to be repaired."""
    if before.document is None and after.document is not None:
        return Counter()  # what could not even be read is better off with any mistake that can
    tolerated = Counter(map(_problem, before.diagnostics))
    tolerated.subtract(map(_problem, targets))
    if before.document is None:
        tolerated.clear()  # the reader stops at the first mistake
    found = Counter(_problem(each) for each in after.diagnostics if each.code not in _HELD_BACK)
    return found - tolerated


def _problem(diagnostic: Diagnostic) -> _Problem:
    return diagnostic.code, _LINE.sub("line", diagnostic.message)
