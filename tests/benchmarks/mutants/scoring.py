"""What `runner validate` says about a mutant, held against what it should say."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.diagnostics import Diagnostic
from runner.language.validation import validate_paths
from tests.benchmarks.mutants.corpus import Case


@dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """How a validator did on one mutant.

    Attributes:
        caught: whether it said anything of the weight the language gives the mistake.
        on_line: whether the first thing it said, and everything else, is where the mistake is.
        one: whether it said one thing only.
        suggested: whether it said what was meant; None when nothing can be suggested.
        said: its words.
    """

    case: Case
    caught: bool
    on_line: bool
    one: bool
    suggested: bool | None
    said: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        """Whether nothing could be better."""
        return self.caught and self.on_line and self.one and self.suggested is not False


def false_positives(projects: Iterable[Path]) -> list[str]:
    """What is said about the originals, which are all good."""
    return [_words(each) for project in projects for each in _of_project(project)]


def _of_project(project: Path) -> Sequence[Diagnostic]:
    files = [project / "runner.yaml"] if (project / "runner.yaml").exists() else []
    return validate_paths([*files, project / "agents.d", project / "tools.d"]).diagnostics


def score_all(cases: Iterable[Case]) -> Iterator[Score]:
    """Write each mutant over its original, validate it, and put the original back."""
    for case in cases:
        path = case.subject.project / case.subject.file
        path.write_text(case.mutant.text, encoding="utf-8")
        try:
            yield score(case, validate_paths([path]).diagnostics)
        finally:
            path.write_text(case.subject.text, encoding="utf-8")


def score(case: Case, diagnostics: Sequence[Diagnostic]) -> Score:
    """Judge what was said: warnings count only where the language calls the mistake a warning."""
    mutant = case.mutant
    counted = [each for each in diagnostics if mutant.warning or each.severity == "error"]
    here = [each for each in counted if _is_at(each, case)]
    suggested = None
    if mutant.meant is not None:
        suggested = any(_tells(each, mutant.meant) for each in here)
    return Score(
        case=case,
        caught=bool(counted),
        on_line=bool(here),
        one=len(counted) == 1,
        suggested=suggested,
        said=tuple(map(_words, diagnostics)),
    )


def _is_at(diagnostic: Diagnostic, case: Case) -> bool:
    span = diagnostic.location.span
    return span is not None and span.line in case.mutant.lines and diagnostic.location.file.endswith(case.subject.file)


def _tells(diagnostic: Diagnostic, meant: str) -> bool:
    return meant in (diagnostic.suggestion or "") or f"'{meant}'" in diagnostic.message


def _words(diagnostic: Diagnostic) -> str:
    hint = f" ({diagnostic.suggestion})" if diagnostic.suggestion else ""
    place = str(diagnostic.location).rpartition("/")[2]
    return f"{place} {diagnostic.severity} {diagnostic.code} {diagnostic.message}{hint}"
