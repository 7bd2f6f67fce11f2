"""`runner import`: prints or writes an agent of another tool."""

from pathlib import Path

import pytest

from tests.cli.fakes import Invoke

SPEC = "model: openai:gpt-5-mini\ninstructions: Grüß Gott.\ninstrument: true\n"
AGENT = """\
# Imported from spec.yaml, a pydantic-ai agent spec.
version: "1"
name: spec
# from model, line 1
model: openai/gpt-5-mini
# from instructions, line 2
instructions: "Grüß Gott."
"""
NOTES = """\
not carried, or not as it was (1 place):
  spec.yaml:3:1: instrument: tracing is no part of an agent here
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spec.yaml").write_text(SPEC, encoding="utf-8")
    return tmp_path


def test_the_agent_goes_to_stdout_and_what_is_missing_to_stderr(invoke: Invoke) -> None:
    assert invoke("import", "spec.yaml") == (0, AGENT, NOTES)


def test_it_is_written_where_it_was_asked_for(folder: Path, invoke: Invoke) -> None:
    code, out, _ = invoke("import", "spec.yaml", "--to", "agents.d/mine.yaml")

    assert (code, out) == (0, "wrote:\n  agents.d/mine.yaml\n")
    written = (folder / "agents.d/mine.yaml").read_text(encoding="utf-8")
    assert written == AGENT.replace("name: spec", "name: mine")


def test_nothing_is_overwritten(folder: Path, invoke: Invoke) -> None:
    team = "agents:\n  root: {model: openai/x, instruction: R}\n  b: {model: openai/x, instruction: B}\n"
    (folder / "team.yaml").write_text(team, encoding="utf-8")
    (folder / "b.yaml").write_text("mine", encoding="utf-8")

    code, out, err = invoke("import", "team.yaml", "--to", "a.yaml")

    assert (code, out) == (2, "")
    assert "nothing written, these exist: b.yaml" in err
    assert not (folder / "a.yaml").exists()
    assert (folder / "b.yaml").read_text(encoding="utf-8") == "mine"


def test_several_agents_are_printed_with_the_names_of_their_files(folder: Path, invoke: Invoke) -> None:
    team = "agents:\n  root: {model: openai/x, instruction: R}\n  b: {model: openai/x, instruction: B}\n"
    (folder / "team.yaml").write_text(team, encoding="utf-8")

    code, out, _ = invoke("import", "team.yaml")

    assert code == 0
    assert [line for line in out.splitlines() if line.startswith(("# agents.d", "---"))] == [
        *("# agents.d/team.yaml", "---", "# agents.d/b.yaml")
    ]


def test_a_file_of_no_known_format_names_what_was_looked_for(folder: Path, invoke: Invoke) -> None:
    (folder / "other.yaml").write_text("services: {}\n", encoding="utf-8")

    code, _, err = invoke("import", "other.yaml")

    assert code == 2
    assert "none of the formats known" in err
    assert "docker-agent file: a mapping 'agents'" in err
    assert "--format" in err


def test_an_agent_without_a_model_is_not_written_and_the_way_out_is_told(folder: Path, invoke: Invoke) -> None:
    (folder / "recipe.yaml").write_text("title: T\nprompt: Hi\n", encoding="utf-8")

    code, out, err = invoke("import", "recipe.yaml", "--to", "a.yaml")

    assert (code, out) == (1, "")
    assert "give the model with --model" in err
    assert not (folder / "a.yaml").exists()
    assert invoke("import", "recipe.yaml", "--to", "a.yaml", "--model", "openai/x")[0] == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("title: [", "RUN107"),
        ("- a\n", "RUN106"),
        ("", "RUN105"),
        ("---\nmodel: openai/x\n---\n{% if %}\n", "RUN401"),
        ("agents: {}\n", "there is no agent in"),
    ],
)
def test_a_file_that_gives_no_agent_is_wrong(folder: Path, invoke: Invoke, content: str, message: str) -> None:
    (folder / "x.yaml").write_text(content, encoding="utf-8")

    code, out, err = invoke("import", "x.yaml")

    assert (code, out) == (1, "")
    assert message in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.yaml"], "there is no file nowhere.yaml"),
        (["."], "cannot read ."),
        (["spec.yaml", "--to", "a.json"], "write --to a.yaml"),
        (["spec.yaml", "--to", "spec.yaml/a.yaml"], "cannot write"),
    ],
)
def test_a_wrong_command_is_told(invoke: Invoke, arguments: list[str], message: str) -> None:
    code, _, err = invoke("import", *arguments)

    assert code == 2
    assert message in err
