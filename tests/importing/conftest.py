"""An import of a text, and what is looked at of it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from runner.importing.formats import recognised
from runner.importing.plan import Plan, plan_import
from runner.importing.source import read_foreign

Import = Callable[..., Plan]


@pytest.fixture
def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Import:
    """Imports a text as the file of a given name."""
    monkeypatch.chdir(tmp_path)

    def call(text: str, name: str = "some file.yaml", to: Path | None = None, model: str | None = None) -> Plan:
        Path(name).write_text(text, encoding="utf-8")
        file = read_foreign(Path(name))
        form = recognised(file)
        assert form is not None
        return plan_import(file, form, to, model=model)

    return call
