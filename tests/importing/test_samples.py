"""Files of other tools and what becomes of them: a sample beside the expected `.out`, found by being there.

`UPDATE_GOLDEN=1 pytest tests/importing` writes the expected files anew; read the change.
"""

import os
import shutil
from pathlib import Path

import pytest

from runner.importing.formats import FORMATS, recognised
from runner.importing.plan import Plan, plan_import
from runner.importing.source import read_foreign
from runner.language.validation import validate_paths
from runner.report.text import render_text

SAMPLES = Path(__file__).parent / "samples"
NAMES = sorted(path.name for path in SAMPLES.iterdir() if path.suffix != ".out")
UPDATE = bool(os.environ.get("UPDATE_GOLDEN"))


def planned(name: str, folder: Path) -> Plan:
    shutil.copy(SAMPLES / name, folder)
    file = read_foreign(Path(name))
    form = recognised(file)
    assert form is not None
    return plan_import(file, form)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", NAMES)
def test_what_comes_out_is_as_expected(name: str, here: Path) -> None:
    expected = SAMPLES / f"{name}.out"

    plan = planned(name, here)
    files = "".join(f"==> {path.as_posix()}\n{text}" for path, text in plan.files.items())
    notes = "".join(f"{note.location}: {note.message}\n" for note in plan.notes)
    found = f"{files}==> notes\n{notes}{render_text(plan.diagnostics, colour=False)}"

    if UPDATE:
        expected.write_text(found, encoding="utf-8")
    assert found == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_what_comes_out_passes_validate_once_it_is_written(name: str, here: Path) -> None:
    plan = planned(name, here)
    for path, text in plan.files.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    report = validate_paths([])

    assert plan.is_valid
    assert report.errors == 0
    assert report.files == len(plan.files)


def test_every_format_has_a_sample(here: Path) -> None:
    found = {recognised(read_foreign(SAMPLES / name)) for name in NAMES}

    assert found == set(FORMATS.values())
