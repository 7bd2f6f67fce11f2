"""Print how good `runner validate` is: `python -m tests.benchmarks.mutants [--seed N] [--json FILE]`."""

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.mutants.corpus import copy_projects, make_cases
from tests.benchmarks.mutants.rival import Verdicts, ask_rival
from tests.benchmarks.mutants.scoring import Score, false_positives, score_all
from tests.benchmarks.mutants.table import misses, table

GOALS = {"caught": 0.99, "on_line": 0.98, "one": 0.95, "suggested": 0.95}


def main() -> None:
    """Make the corpus, score it, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.mutants")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=30, help="mutants of one kind (30)")
    parser.add_argument("--json", type=Path, help="write every mutant and what was said about it here")
    parser.add_argument("--rival", help="path of check-jsonschema, to score it on the same corpus")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        projects = copy_projects(Path(folder) / "corpus")
        wrong = false_positives(projects)
        cases = make_cases(projects, seed=options.seed, most=options.most)
        scores = list(score_all(cases))
        verdicts = ask_rival(options.rival, cases, Path(folder) / "rival") if options.rival else None
    print(misses(scores))
    print(table(scores, verdicts, GOALS))
    print(f"false positives on the originals: {len(wrong)}", *wrong, sep="\n  ")
    if options.json:
        options.json.write_text(json.dumps(_records(scores, verdicts), ensure_ascii=False, indent=1), encoding="utf-8")


def _records(scores: Sequence[Score], verdicts: Verdicts | None) -> list[dict[str, object]]:
    return [
        {
            "kind": score.case.kind,
            "file": f"{score.case.subject.project.name}/{score.case.subject.file}",
            "lines": sorted(score.case.mutant.lines),
            "what": score.case.mutant.what,
            "meant": score.case.mutant.meant,
            **{name: getattr(score, name) for name in GOALS},
            "said": score.said,
            "rival": None if verdicts is None else score.case.number in verdicts.caught,
        }
        for score in scores
    ]


if __name__ == "__main__":
    main()
