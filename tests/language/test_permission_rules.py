"""Patterns of `permissions` that are about nothing; `data/diagnostics/permissions` shows each kind."""

from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runner.engine.permissions import Permissions
from runner.language.validation import validate_paths
from runner.spec import PermissionsSpec
from tests.language.projects import writer

AGENT = "name: a\nmodel: openai/x\nprompt: hi\ntools: [{tools}]\npermissions: {permissions}\n"
NEW = ("RUN711", "RUN712", "RUN713", "RUN714", "RUN715")


def codes(root: Path, permissions: str, tools: str = "calculator, search_notes") -> list[str]:
    text = AGENT.format(tools=tools, permissions=permissions)
    project = writer(root)({"agents.d/a.yaml": text})
    return [each.code for each in validate_paths([project / "agents.d"]).diagnostics]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("permissions", "expected"),
    [
        ("{deny: ['shell_*']}", []),  # like nothing the agent has
        ("{deny: ['seerch_*']}", ["RUN711"]),
        ("{deny: ['search_*:foldr=x']}", ["RUN712"]),
        ("{deny: ['*:foldr=x']}", ["RUN712"]),
        ("{deny: ['*:folder=x']}", []),  # one of them has it
        ("{ask: [calculator], deny: [calculator]}", ["RUN713"]),
        ("{ask: ['calculator:expression=1'], deny: [calculator]}", ["RUN713"]),
        ("{ask: [calculator], deny: ['calculator:expression=1']}", []),
        ("{ask: ['calc*'], deny: [calculator]}", []),
        ("{allow: ['risk=low'], deny: ['*']}", ["RUN713"]),
        ("{allow: ['risk=low', 'risk=low']}", ["RUN713"]),
        ("{allow: ['calculator:expression=1']}", ["RUN714"]),
        ("{allow: [calculator]}", []),
        ("{deny: ['calculator:expression']}", ["RUN715"]),
        ("{deny: ['calculator:expression=a,b']}", []),  # the comma is part of the value
    ],
)
def test_what_is_told(root: Path, permissions: str, expected: list[str]) -> None:
    assert codes(root, permissions) == expected


@pytest.mark.parametrize(
    "permissions", ["3", "[deny]", "{deny: calculator}", "{deny: [3, null, {a: b}]}", "{deny: ['']}"]
)
def test_what_is_malformed_is_left_to_the_schema(root: Path, permissions: str) -> None:
    found = codes(root, permissions)

    assert found
    assert not set(found) & set(NEW)


def test_tools_that_nobody_knows_may_have_any_argument(root: Path) -> None:
    assert codes(root, "{deny: ['calculater:expresion=1']}", tools="calculater") == ["RUN301"]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.text(alphabet="calutor_*?:=,. [e]'", max_size=20), max_size=3))
def test_no_pattern_makes_it_stumble(root: Path, patterns: list[str]) -> None:
    written = ", ".join("'" + pattern.replace("'", "''") + "'" for pattern in patterns)

    codes(root, f"{{deny: [{written}], allow: [{written}]}}")


NAMES = ["calculator", "search_notes", "search"]


@given(strong=st.text(alphabet="search_*?", max_size=8), name=st.sampled_from(NAMES))
def test_a_pattern_that_another_covers_never_decides(strong: str, name: str) -> None:
    """What the rule takes for granted about the engine."""
    permissions = Permissions(PermissionsSpec(deny=(strong,), allow=(name,)))

    assert (permissions.of(name, [{}], "high").verdict == "deny") is fnmatchcase(name, strong)
