"""Permissions for a tool that looks like one of the agent's and is none."""

from pathlib import Path

import pytest

from runner.language.validation import validate_paths
from tests.language.projects import writer


@pytest.mark.parametrize(
    ("permissions", "expected"),
    [
        ("{deny: [calculatr]}", [("5:22", "calculatr", "did you mean 'calculator'?")]),
        ("{ask: ['calculater:expression=*']}", [("5:21", "calculater", "did you mean 'calculator'?")]),
        ("{allow: [calculator, curent_time]}", [("5:35", "curent_time", "did you mean 'current_time'?")]),
        ("{deny: [send_email, 'calculatr*', 'risk=high']}", []),  # to be safe, whatever tools come
        ("{deny: [calculator], ask: [current_time]}", []),
        ("{deny: calculatr}", []),  # the schema's complaint
    ],
)
def test_a_name_like_that_of_a_tool_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, permissions: str, expected: list[tuple[str, str, str]]
) -> None:
    monkeypatch.chdir(tmp_path)
    agent = f"name: a\nmodel: openai/x\nprompt: hi\ntools: [calculator, current_time]\npermissions: {permissions}\n"
    root = writer(tmp_path)({"agents.d/a.yaml": agent})

    found = [each for each in validate_paths([root / "agents.d"]).diagnostics if each.code == "RUN317"]

    assert all(each.severity == "warning" for each in found)
    assert [
        (str(each.location).partition(":")[2], each.message.split("'")[1], each.suggestion) for each in found
    ] == expected


def test_names_that_an_unknown_tool_may_have_are_not_told_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    agent = "name: a\nmodel: openai/x\nprompt: hi\ntools: [calculater]\npermissions: {deny: [calculator]}\n"
    root = writer(tmp_path)({"agents.d/a.yaml": agent})

    assert [each.code for each in validate_paths([root / "agents.d"]).diagnostics] == ["RUN301"]
