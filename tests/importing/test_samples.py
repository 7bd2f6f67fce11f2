"""Files of other tools and what becomes of them: a sample beside the expected `.out`, found by being there.

`UPDATE_GOLDEN=1 pytest tests/importing` writes the expected files anew; read the change.
"""

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runner.importing.formats import FORMATS, recognised
from runner.importing.plan import Plan, plan_import
from runner.importing.source import UnreadableError, read_foreign
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


VALUES = ["1", "[]", "{}", "true", "[1]", "{a: 1}", '"{{ x }}"', "'{% if %}'", "[{}]", "[[1]]", "1.5"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(NAMES), st.sampled_from(VALUES), st.data())
def test_a_value_of_any_other_kind_gives_an_agent_or_a_reason(
    here: Path, name: str, value: str, data: st.DataObject
) -> None:
    lines = (SAMPLES / name).read_text(encoding="utf-8").split("\n")
    number = data.draw(st.sampled_from([number for number, line in enumerate(lines) if ":" in line]))
    lines[number] = f"{lines[number].split(':')[0]}: {value}"
    indent = len(lines[number]) - len(lines[number].lstrip())
    while len(lines) > number + 1 and lines[number + 1].startswith(" " * (indent + 1)):
        del lines[number + 1]
    (here / name).write_text("\n".join(lines), encoding="utf-8")

    try:
        file = read_foreign(Path(name))
    except UnreadableError as error:
        assert error.diagnostics  # noqa: PT017 - one of two good outcomes
        return
    form = recognised(file)
    if form is not None:
        plan = plan_import(file, form)
        assert plan.is_valid or plan.diagnostics


def test_every_format_has_a_sample(here: Path) -> None:
    found = {recognised(read_foreign(SAMPLES / name)) for name in NAMES}

    assert found == set(FORMATS.values())
