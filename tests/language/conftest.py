from pathlib import Path

import pytest

from tests.language.projects import Write, writer


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes files into a folder, which is the current one."""
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    return writer(root)
