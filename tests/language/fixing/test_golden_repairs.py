"""Repairs of the projects with golden reports: never worse, done once, and nothing else touched."""

import difflib
import shutil
from collections import Counter
from pathlib import Path

import pytest

from runner.language.fixing.files import RepairReport, repair_paths, write_back
from runner.language.validation import validate_paths

CASES = Path(__file__).parent.parent.parent / "data" / "diagnostics"
NAMES = sorted(path.name for path in CASES.iterdir() if path.is_dir())
# Told only when no key is unknown any more.
HELD_BACK = "RUN311"


@pytest.fixture(params=NAMES)
def copied(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    shutil.copytree(CASES / request.param, root, ignore=shutil.ignore_patterns("expected.txt", "__pycache__"))
    monkeypatch.chdir(root)
    return root


def contents(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


def problems() -> Counter[str]:
    return Counter(each.code for each in validate_paths([]).diagnostics if each.code != HELD_BACK)


def repair_all() -> RepairReport:
    report = repair_paths([])
    for repaired in report.files:
        write_back(repaired)
    return report


def test_a_repair_makes_nothing_worse_and_is_done_at_once(copied: Path) -> None:
    before, files = problems(), contents(copied)
    readable = all(code > "RUN119" for code in before)

    report = repair_all()
    after = problems()
    again = repair_paths([])

    assert again.files == ()
    assert after - before == Counter() or not readable
    assert bool(report.files) == (contents(copied) != files)
    assert (after.total() < before.total()) == bool(report.files) or not readable


def test_a_repair_touches_only_lines_with_a_mistake_and_those_it_moves(copied: Path) -> None:
    marked = {
        (each.location.file, each.location.span.line)
        for each in validate_paths([]).diagnostics
        if each.location.span is not None
    }
    files = contents(copied)

    for repaired in repair_all().files:
        if any(fix.what.startswith("tabs") for fix in repaired.repair.fixes):
            continue
        before = files[repaired.path].decode().split("\n")
        after = repaired.path.read_bytes().decode().split("\n")
        for kind, first, last, _, _ in difflib.SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes():
            if kind in ("replace", "delete"):
                assert {(repaired.file, number + 1) for number in range(first, last)} <= marked
