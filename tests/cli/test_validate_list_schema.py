import json
import re
from pathlib import Path

import pytest

from runner.cli.list import table
from tests.cli.fakes import Invoke

AGENT = "name: {name}\ndescription: {description}\nmodel: local/smollm2\ninstructions: Hi.\ntools: [{tools}]\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one good agent, the current folder."""
    (tmp_path / "agents.d").mkdir()
    write(tmp_path, "good", tools="calculator, current_time")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(project: Path, name: str, *, tools: str = "", description: str = "Does good.") -> None:
    text = AGENT.format(name=name, description=description, tools=tools)
    (project / "agents.d" / f"{name}.yaml").write_text(text, encoding="utf-8")


def without_time(text: str) -> str:
    return re.sub(r"\(\d+\.\d\d s\)", "(0.00 s)", text)


def test_a_project_without_problems(invoke: Invoke, project: Path) -> None:
    code, out, err = invoke("validate")
    assert (code, without_time(out), err) == (0, "1 file, no problems (0.00 s)\n", "")


def test_errors_are_shown_with_their_lines_and_summed_up(invoke: Invoke, project: Path) -> None:
    write(project, "bad", tools="calculatr")
    code, out, err = invoke("validate")
    assert (code, err) == (1, "")
    assert without_time(out) == (
        "agents.d/bad.yaml:5:9: error[RUN301]: unknown tool 'calculatr'\n"
        "  |\n"
        "5 | tools: [calculatr]\n"
        + re.search(r"  \|         \^{9} did you mean 'calculator'\?.*\n", out)[0]  # type: ignore[index] # None fails too
        + "1 error in 1 of 2 files (0.00 s)\n"
    )


def test_a_good_and_a_bad_file_together_are_bad(invoke: Invoke, project: Path) -> None:  # field bug B129
    write(project, "bad", tools="calculatr")
    assert invoke("validate", "agents.d/good.yaml", "agents.d/bad.yaml")[0] == 1
    assert invoke("validate", "agents.d/good.yaml")[0] == 0


def test_warnings_do_not_fail(invoke: Invoke, project: Path) -> None:
    file = project / "agents.d" / "good.yaml"
    file.write_text(file.read_text() + "inputs: {unused: {type: string, default: x}}\n")
    code, out, _ = invoke("validate")
    assert code == 0
    assert without_time(out).endswith("\n1 warning in 1 of 1 file (0.00 s)\n")
    write(project, "bad", tools="calculatr")
    code, out, _ = invoke("validate")
    assert code == 1
    assert without_time(out).endswith("\n1 error and 1 warning in 2 of 2 files (0.00 s)\n")


def test_a_missing_path_is_a_wrong_command_and_the_others_are_still_checked(invoke: Invoke, project: Path) -> None:
    code, out, err = invoke("validate", "agents.d/good.yaml", "nowhere.yaml")
    assert (code, err) == (2, "error: there is no file or folder nowhere.yaml\n")
    assert "1 file, no problems" in out


def test_nothing_to_check_is_not_a_success(invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = invoke("validate")
    assert (code, out) == (2, "")
    assert err.startswith("error: nothing to check")


def test_validate_does_not_run_the_tools_of_the_project(invoke: Invoke, project: Path) -> None:
    (project / "tools.d").mkdir()
    (project / "tools.d" / "t.yaml").write_text(
        "kind: toolset\ntools: [{name: boom, type: python, function: 'boom:boom'}]\n"
    )
    (project / "tools.d" / "boom.py").write_text("raise SystemExit('run!')\ndef boom() -> None: ...\n")
    write(project, "user", tools="boom")
    assert invoke("validate")[0] == 0


def test_the_list_of_agents_is_a_table(invoke: Invoke, project: Path) -> None:
    write(project, "weather", description="北京 weather.")
    write(project, "broken", tools="nope")
    code, out, err = invoke("list")
    assert (code, err) == (0, "")
    why = "INVALID: runner validate agents.d/broken.yaml tells why"
    assert out.splitlines() == [
        "NAME     MODEL          TOOLS                     FILE                   DESCRIPTION",
        f"broken   local/smollm2  nope                      agents.d/broken.yaml   {why}",
        "good     local/smollm2  calculator, current_time  agents.d/good.yaml     Does good.",
        "weather  local/smollm2  -                         agents.d/weather.yaml  北京 weather.",
    ]


def test_the_list_of_tools_names_type_risk_and_place(invoke: Invoke, project: Path) -> None:
    (project / "tools.d").mkdir()
    (project / "tools.d" / "t.yaml").write_text(
        "kind: toolset\ntools:\n  - {name: mine, type: python, function: 'm:f', description: My own.}\n"
        "  - {name: order, type: http, method: POST, url: 'https://a.example/', risk: high}\n"
    )
    code, out, _ = invoke("list", "--tools")
    rows = [re.split(r"  +", line) for line in out.splitlines()]
    assert code == 0
    assert rows[0] == ["NAME", "TYPE", "RISK", "DECLARED", "DESCRIPTION"]
    assert ["mine", "python", "low", "tools.d/t.yaml:3", "My own."] in rows
    assert ["order", "http", "high", "tools.d/t.yaml:4", "-"] in rows
    assert any(row[:4] == ["calculator", "python", "low", "comes with runner"] for row in rows)


def test_a_project_without_agents_says_how_to_get_one(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = invoke("list")
    assert (code, out) == (2, "")
    assert err == f"error: there are no agents in {tmp_path}\n  runner init writes a first one\n"


def test_columns_line_up_whatever_is_in_them() -> None:
    lines = table(["A", "B", "C"], [["北京", "x\ny\x1b[2J", ""], ["e\u0301", "", "z" * 200]]).splitlines()
    assert lines == [
        "A     B           C",
        r"北京  x y\x1b[2J  -",
        "e\u0301     -           " + "z" * 79 + "…",
    ]


@pytest.mark.parametrize("kind", ["agent", "toolset", "project", "event", "result"])
def test_schema_prints_a_json_schema(invoke: Invoke, kind: str) -> None:
    code, out, err = invoke("schema", kind)
    assert (code, err) == (0, "")
    assert json.loads(out)["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert out.endswith("}\n")
