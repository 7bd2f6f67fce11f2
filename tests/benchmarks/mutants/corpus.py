"""Good projects -> the seeded mutants of each."""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.benchmarks.mutants.kinds import KINDS
from tests.benchmarks.mutants.mutant import Mutant
from tests.benchmarks.mutants.subject import Subject, subjects_of

REPOSITORY = Path(__file__).parents[3]
ORIGINALS = Path(__file__).parent / "originals"
# What a shipped project consists of.
_SHIPPED = {
    "repository": (REPOSITORY, ("agents.d", "tools.d")),
    "scaffold": (REPOSITORY / "runner" / "scaffold", ("agents.d", "tools.d", "runner.yaml")),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """A mutant, of which file and of which kind."""

    number: int
    kind: str
    subject: Subject
    mutant: Mutant


def copy_projects(folder: Path) -> list[Path]:
    """Every project of the corpus, each in a folder of its own under `folder`."""
    for name, (source, parts) in _SHIPPED.items():
        for part in parts:
            target = folder / name / part
            if (source / part).is_dir():
                shutil.copytree(source / part, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source / part, target)
    for project in sorted(ORIGINALS.iterdir()):
        shutil.copytree(project, folder / project.name, ignore=shutil.ignore_patterns("__pycache__"))
    projects = sorted(folder.iterdir())
    for project in projects:  # modelines name them
        shutil.copytree(REPOSITORY / "schemas", project / "schemas")
    return projects


def make_cases(projects: Sequence[Path], *, seed: int, most: int) -> list[Case]:
    """The corpus: at most `most` mutants of a kind, drawn evenly from all files that can have them.

    The same seed gives the same corpus as long as the originals stay the same.
    """
    subjects = [subject for project in projects for subject in subjects_of(project)]
    cases: list[Case] = []
    for kind in KINDS:
        random = Random(f"{seed} {kind}")
        for subject, mutant in _drawn(subjects, kind, random, most):
            cases.append(Case(number=len(cases), kind=kind, subject=subject, mutant=mutant))
    return cases


def _drawn(subjects: Sequence[Subject], kind: str, random: Random, most: int) -> Iterator[tuple[Subject, Mutant]]:
    """One mutant of each file in turn, until there are enough or no more."""
    piles: list[tuple[Subject, list[Mutant]]] = []
    for subject in subjects:
        mutants = list(KINDS[kind](subject, random))
        random.shuffle(mutants)
        piles.append((subject, mutants))
    random.shuffle(piles)
    left = most
    while left and any(mutants for _, mutants in piles):
        for subject, mutants in piles:
            if mutants and left:
                yield subject, mutants.pop()
                left -= 1
