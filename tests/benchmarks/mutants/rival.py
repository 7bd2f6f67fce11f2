"""check-jsonschema on the same corpus: it says whether a file is wrong, not where."""

import json
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.mutants.corpus import Case
from tests.benchmarks.mutants.subject import SCHEMAS, Subject


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdicts:
    """The numbers of the mutants it found wrong, and the originals it did, which are right."""

    caught: frozenset[int]
    false_positives: frozenset[str]


def ask_rival(program: str, cases: Sequence[Case], folder: Path) -> Verdicts:
    """Run the program once for each kind of file.

    Raises:
        FileNotFoundError: there is no such program.
    """
    caught: set[int] = set()
    wrong: set[str] = set()
    for kind in ("agent", "toolset", "project"):
        place = folder / kind
        place.mkdir(parents=True)
        subjects = {(case.subject.project.name, case.subject.file): case.subject for case in cases}
        for number, subject in enumerate(_of_kind(subjects.values(), kind)):
            (place / f"original-{number}.yaml").write_text(subject.text, encoding="utf-8")
        for case in cases:
            if case.subject.kind == kind:
                (place / f"mutant-{case.number}.yaml").write_text(case.mutant.text, encoding="utf-8")
        found = _refused(program, SCHEMAS / f"{kind}.schema.json", sorted(place.iterdir()))
        caught |= {int(name.removeprefix("mutant-")) for name in found if name.startswith("mutant-")}
        wrong |= {f"{kind} {name}" for name in found if name.startswith("original-")}
    return Verdicts(caught=frozenset(caught), false_positives=frozenset(wrong))


def _of_kind(subjects: Iterable[Subject], kind: str) -> list[Subject]:
    return [subject for subject in subjects if subject.kind == kind]


def _refused(program: str, schema: Path, files: Sequence[Path]) -> set[str]:
    """The names, without ending, of the files that have errors of either sort."""
    command = [program, "--schemafile", str(schema), "--output-format", "json", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    return {Path(each["filename"]).stem for key in ("errors", "parse_errors") for each in report.get(key, ())}
