"""Whole projects and what `runner validate` says about them: a case is a folder, found by being there.

`expected.txt` holds the report; with `environ.txt` (lines `NAME=value`) the variables are checked too, as by `--env`.
`UPDATE_GOLDEN=1 pytest tests/language/test_golden.py` writes it anew; read the change.
"""

import os
import shutil
from pathlib import Path

import pytest

from runner.language.validation import validate_paths
from runner.report.text import render_text

CASES = Path(__file__).parent.parent / "data" / "diagnostics"
NAMES = sorted(path.name for path in CASES.iterdir() if path.is_dir())
UPDATE = bool(os.environ.get("UPDATE_GOLDEN"))


@pytest.mark.parametrize("name", NAMES)
def test_the_report_is_the_expected_one(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = CASES / name / "expected.txt"
    # A copy outside of this repository is a project of its own.
    root = tmp_path / "project"
    shutil.copytree(CASES / name, root, ignore=shutil.ignore_patterns("expected.txt", "__pycache__"))
    monkeypatch.chdir(root)

    found = report(root)

    if UPDATE:
        expected.write_text(found, encoding="utf-8")
    assert found == expected.read_text(encoding="utf-8")


def report(root: Path) -> str:
    variables = root / "environ.txt"
    lines = variables.read_text(encoding="utf-8").splitlines() if variables.exists() else []
    environ = {name: value for name, _, value in (line.partition("=") for line in lines)}
    outcome = validate_paths([], environ=environ if variables.exists() else None)
    text = render_text(outcome.diagnostics, colour=False)
    summary = f"errors: {outcome.errors}, warnings: {outcome.warnings}, files: {outcome.files}\n"
    return (text + summary).replace(str(root.resolve()), "PROJECT")


def test_there_are_cases() -> None:
    assert len(NAMES) > 20
