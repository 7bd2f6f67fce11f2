"""The golden case `modelines` has the messages; here is what is no mistake, and what could do harm."""

import os
from pathlib import Path

import pytest

from runner.diagnostics import Diagnostic
from runner.language.compiler import compile_agent
from tests.language.projects import Write

AGENT = "name: a\nmodel: openai/x\nprompt: hi\n"
LINE = "# yaml-language-server: $schema="


def found(root: Path) -> tuple[Diagnostic, ...]:
    return compile_agent(root / "agents.d" / "a.yaml").diagnostics


def agent(project: Write, beginning: str, schema: str = '{"title": "Agent"}') -> Path:
    return project({"agents.d/a.yaml": beginning.encode() + AGENT.encode(), "schemas/agent.schema.json": schema})


@pytest.mark.parametrize(
    "beginning",
    [
        f"{LINE}../schemas/agent.schema.json\n",
        f"---\n{LINE}../schemas/agent.schema.json\n",
        "# yaml-language-server:   $schema=../schemas/agent.schema.json  \r\n",
        f"# $schema={os.devnull}\n",
        "# yaml-language-server: something else\n",
        f"#{LINE}nowhere.json\n",
    ],
)
def test_what_is_right_or_no_modeline_is_passed_over(project: Write, beginning: str) -> None:
    assert found(agent(project, beginning)) == ()


def test_an_absolute_path_and_a_file_address_are_followed(project: Write) -> None:
    root = agent(project, "")
    schema = root / "schemas" / "agent.schema.json"
    for written in (schema, schema.as_uri()):
        assert found(agent(project, f"{LINE}{written}\n")) == ()


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_the_place_is_that_of_the_path(project: Write, ends: str, mark: str) -> None:
    (warning,) = found(agent(project, f"{mark}# an agent{ends}{ends}{LINE}no.json{ends}"))
    span = warning.location.span
    assert (warning.code, warning.severity) == ("RUN316", "warning")
    assert span is not None
    assert (span.line, span.column, span.end_column) == (3, len(LINE) + 1, len(LINE) + 1 + len("no.json"))


@pytest.mark.parametrize("schema", ["[1]", "no json", "\ufffe", "[" * 100_000])
def test_a_file_that_is_no_schema_is_told(project: Write, schema: str) -> None:
    (warning,) = found(agent(project, f"{LINE}../schemas/agent.schema.json\n", schema))
    assert warning.message == "'../schemas/agent.schema.json' is not a JSON Schema"


@pytest.mark.parametrize("target", ["/dev/zero", "../schemas", "../pipe"])
def test_what_is_no_file_is_not_opened(project: Write, target: str) -> None:
    root = agent(project, f"{LINE}{target}\n")
    os.mkfifo(root / "pipe")
    (warning,) = found(root)
    assert "is not a JSON Schema" in warning.message


def test_a_schema_that_changes_is_read_again(project: Write) -> None:
    root = agent(project, f"{LINE}../schemas/agent.schema.json\n")
    assert found(root) == ()
    schema = root / "schemas" / "agent.schema.json"
    schema.write_text('{"title": "Toolset"}')
    os.utime(schema, ns=(1, 1))
    assert [each.code for each in found(root)] == ["RUN316"]


def test_a_base_is_told_once_for_all_that_extend_it(project: Write) -> None:
    root = project({"agents.d/base.yaml": f"{LINE}no.json\nmodel: openai/x\n"})
    project({"agents.d/a.yaml": "name: a\nextends: base.yaml\nprompt: hi\n"})
    (warning,) = found(root)
    assert str(warning.location).startswith("agents.d/base.yaml:1:")
