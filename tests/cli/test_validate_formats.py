"""`runner validate`: where reports go, what is left out of them, and the exit codes, the same in every format."""

import io
import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from runner.report.diagnostics.formats import FORMATS
from tests.cli.fakes import Invoke

GOOD = "name: good\nmodel: local/smollm2\nprompt: Hi.\n"
BAD = "name: bad\nmodel: local/smollm2\nprompt: Hi.\ntools: [calculatr]\n"
WARNS = "name: warns\nmodel: local/smollm2\nprompt: Hi.\ninputs: {unused: {type: string, default: x}}\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with an agent that is wrong and one that is not, the current folder."""
    (tmp_path / ".git").mkdir()
    root = tmp_path / "services"
    (root / "agents.d").mkdir(parents=True)
    write(root, "bad", BAD)
    write(root, "good", GOOD)
    monkeypatch.chdir(root)
    return root


def write(root: Path, name: str, text: str) -> None:
    (root / "agents.d" / f"{name}.yaml").write_text(text, encoding="utf-8")


def codes(invoke: Invoke, *arguments: str) -> tuple[int, list[str]]:
    code, out, _ = invoke("validate", "--format", "json", *arguments)
    return code, [each["code"] for each in json.loads(out)["diagnostics"]]


def without_time(report: str) -> str:
    return re.sub(r"\(\d+\.\d\d s\)", "(0.00 s)", report)


# Formats and exit codes


@pytest.mark.parametrize("form", FORMATS)
def test_the_exit_code_is_the_same_in_every_format(invoke: Invoke, project: Path, form: str) -> None:
    assert invoke("validate", "--format", form)[0] == 1
    assert invoke("validate", "--format", form, "agents.d/good.yaml")[0] == 0
    assert invoke("validate", "--format", form, "nowhere.yaml")[0] == 2
    write(project, "bad", WARNS)
    assert invoke("validate", "--format", form)[0] == 0
    assert invoke("validate", "--format", form, "--strict")[0] == 1


def test_a_document_is_a_document_also_when_there_is_nothing_to_check(invoke: Invoke, project: Path) -> None:
    code, out, err = invoke("validate", "--format", "json", "nowhere.yaml")

    assert (code, json.loads(out)["ok"], json.loads(out)["files"]) == (2, False, 0)
    assert err == "error: there is no file or folder nowhere.yaml\n"


def test_strict_is_told_in_the_json_document(invoke: Invoke, project: Path) -> None:
    write(project, "bad", WARNS)

    assert json.loads(invoke("validate", "--format", "json")[1])["ok"] is True
    assert json.loads(invoke("validate", "--format", "json", "--strict")[1])["ok"] is False


def test_in_github_actions_the_log_gets_annotations_and_a_summary(
    invoke: Invoke, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(project.parent))

    code, out, err = invoke("validate")

    assert code == 1
    assert out.startswith("::error file=services/agents.d/bad.yaml,line=4,")
    assert err.startswith("1 error in 1 of 2 files (")
    assert invoke("validate", "--format", "text")[1].startswith("agents.d/bad.yaml:4:9: error[RUN301]")
    assert invoke("validate", "--output", "report.txt")[1] == ""
    assert (project / "report.txt").read_text().startswith("agents.d/bad.yaml:4:9: error[RUN301]")


def test_a_person_at_a_terminal_gets_text_also_in_github_actions(
    invoke: Invoke, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)

    assert "error[RUN301]" in invoke("validate")[1].replace("\x1b[0m", "").replace("\x1b[1m", "").replace(
        "\x1b[31m", ""
    )


def test_file_names_for_ci_start_at_the_root_of_the_repository(
    invoke: Invoke, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (
        json.loads(invoke("validate", "--format", "gitlab")[1])[0]["location"]["path"] == "services/agents.d/bad.yaml"
    )
    monkeypatch.setenv("CI_PROJECT_DIR", str(project))
    assert json.loads(invoke("validate", "--format", "gitlab")[1])[0]["location"]["path"] == "agents.d/bad.yaml"
    monkeypatch.setenv("CI_PROJECT_DIR", "/elsewhere")
    assert (
        json.loads(invoke("validate", "--format", "gitlab")[1])[0]["location"]["path"] == "services/agents.d/bad.yaml"
    )


def test_a_report_is_utf_8_whatever_the_locale_and_the_names_of_files(project: Path) -> None:
    name = b"agents.d/caf\xe9 \xe5\x8c\x97.yaml"
    Path(os.fsdecode(name)).write_text("name: a\nmodel: local/smollm2\nprompt: Hi.\ntools: [北]\n", encoding="utf-8")
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}

    process = subprocess.run(
        [sys.executable, "-m", "runner", "validate", "--format", "json", name],
        env=environment,
        capture_output=True,
        check=False,
    )

    [found] = json.loads(process.stdout.decode())["diagnostics"]
    assert (process.returncode, process.stderr) == (1, b"")
    assert found["file"].encode("utf-8", "surrogateescape") == name
    assert found["message"].startswith("tools[0]: '北' is not allowed")
    assert "北" in process.stdout.decode()


# --output


def test_with_output_the_report_is_in_the_file_and_the_summary_on_stderr(invoke: Invoke, project: Path) -> None:
    (project / "report.json").write_text("old")
    (project / "report.json").chmod(0o640)

    code, out, err = invoke("validate", "--format", "json", "--output", "report.json")

    assert (code, out) == (1, "")
    assert err.startswith("1 error in 1 of 2 files (")
    assert json.loads((project / "report.json").read_text())["errors"] == 1
    assert stat.S_IMODE((project / "report.json").stat().st_mode) == 0o640
    assert sorted(path.name for path in project.iterdir()) == ["agents.d", "report.json"]


def test_a_link_for_the_report_stays_one(invoke: Invoke, project: Path) -> None:
    (project / "link.json").symlink_to("real.json")

    invoke("validate", "--format", "json", "--output", "link.json")

    assert (project / "link.json").is_symlink()
    assert json.loads((project / "real.json").read_text())["errors"] == 1


def test_a_report_may_go_where_no_file_can_be_replaced(invoke: Invoke, project: Path) -> None:
    assert invoke("validate", "--output", os.devnull)[0] == 1
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


@pytest.mark.parametrize(
    ("name", "reason"), [("no/where.json", "No such file or directory"), ("agents.d", "Is a directory")]
)
def test_a_report_that_cannot_be_written_is_a_wrong_command(
    invoke: Invoke, project: Path, name: str, reason: str
) -> None:
    code, _, err = invoke("validate", "--output", name)

    assert code == 2
    assert f"error: cannot write {name}: {reason}\n" in err


# --select and --ignore


def test_problems_that_were_not_chosen_do_not_count(invoke: Invoke, project: Path) -> None:
    write(project, "warns", WARNS)

    assert codes(invoke) == (1, ["RUN301", "RUN404"])
    assert codes(invoke, "--select", "RUN4") == (0, ["RUN404"])
    assert codes(invoke, "--ignore", "RUN301,RUN4") == (0, [])
    assert codes(invoke, "--select", "RUN3", "--select", "RUN404", "--ignore", "RUN301") == (0, ["RUN404"])


def test_a_code_that_does_not_exist_is_a_wrong_command(invoke: Invoke, project: Path) -> None:
    for option in ("--select", "--ignore"):
        code, out, err = invoke("validate", option, "RUN3O1")
        assert (code, out) == (2, "")
        assert err.startswith("error: there is no code 'RUN3O1'; did you mean 'RUN301'?\n")


def test_a_file_that_cannot_be_read_is_told_whatever_was_chosen(invoke: Invoke, project: Path) -> None:
    write(project, "bad", "name: [\n# runner: ignore-file[RUN107]\n")

    assert codes(invoke, "--select", "RUN301") == (1, ["RUN107"])
    assert invoke("validate", "--ignore", "RUN107")[0] == 2


# Baselines


def test_a_baseline_leaves_only_what_is_new(invoke: Invoke, project: Path) -> None:
    code, out, _ = invoke("validate", "--write-baseline", "known.json")
    assert code == 0
    assert without_time(out) == "2 files, no new problems, 1 known one in known.json (0.00 s)\n"

    write(project, "bad", "# moved\n" + BAD)
    code, out, _ = invoke("validate", "--baseline", "known.json")
    assert code == 0
    assert without_time(out) == "2 files, no new problems, 1 known one in known.json (0.00 s)\n"

    write(project, "bad", BAD + "on_limit: never\n")
    assert codes(invoke, "--baseline", "known.json") == (1, ["RUN204"])
    out = invoke("validate", "--baseline", "known.json", "--format", "text")[1]
    assert without_time(out).endswith("\n1 new error in 1 of 2 files, 1 known one in known.json (0.00 s)\n")


def test_a_project_without_problems_has_no_known_ones_either(invoke: Invoke, project: Path) -> None:
    (project / "agents.d" / "bad.yaml").unlink()

    out = invoke("validate", "--write-baseline", "known.json")[1]
    assert without_time(out) == "1 file, no problems (0.00 s)\n"


def test_known_problems_of_the_environment_are_not_gone_when_nobody_looks(invoke: Invoke, project: Path) -> None:
    write(project, "bad", GOOD.replace("model: ", "model:\n  api_key: ${SURELY_UNSET}\n  name: "))

    invoke("validate", "--env", "--write-baseline", "known.json")
    assert "SURELY_UNSET" in (project / "known.json").read_text()
    assert "gone" not in invoke("validate", "--baseline", "known.json")[1]
    assert invoke("validate", "--env", "--baseline", "known.json")[0] == 0


def test_known_problems_that_are_gone_are_told(invoke: Invoke, project: Path) -> None:
    invoke("validate", "--write-baseline", "known.json")
    write(project, "bad", BAD.replace("calculatr", "calculator"))

    gone = "1 problem in known.json is gone: --write-baseline writes it anew\n"
    assert invoke("validate", "--baseline", "known.json")[1].endswith(gone)
    assert invoke("validate", "--baseline", "known.json", "--format", "sarif")[2] == gone
    assert "gone" not in invoke("validate", "--baseline", "known.json", "agents.d/good.yaml")[1]
    invoke("validate", "--baseline", "known.json", "--write-baseline", "known.json")
    assert json.loads((project / "known.json").read_text())["problems"] == []


def test_a_baseline_works_from_every_folder(invoke: Invoke, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    invoke("validate", "--write-baseline", "known.json")
    monkeypatch.chdir(project.parent)

    assert codes(invoke, "--baseline", "services/known.json", "services") == (0, [])


def test_a_malformed_or_missing_baseline_is_a_wrong_command(invoke: Invoke, project: Path) -> None:
    (project / "known.json").write_text("{")

    for name in ("known.json", "none.json"):
        code, out, err = invoke("validate", "--baseline", name)
        assert (code, out) == (2, "")
        assert "baseline" in err


def test_no_baseline_is_written_of_nothing(invoke: Invoke, project: Path) -> None:
    assert invoke("validate", "--write-baseline", "known.json", "nowhere.yaml")[0] == 2
    assert not (project / "known.json").exists()


# Standard input and patterns


def pipe(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_a_text_on_stdin_is_checked_in_the_place_of_its_file(
    invoke: Invoke, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe(monkeypatch, GOOD + "instructions: '{{ x }}'\n")
    code, out, _ = invoke("validate", "-", "--stdin-filename", "agents.d/bad.yaml")

    assert code == 1
    assert out.startswith("agents.d/bad.yaml:4:19: error[RUN402]")
    assert "RUN301" not in out


def test_a_text_on_stdin_need_not_have_a_file_yet(
    invoke: Invoke, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe(monkeypatch, GOOD)
    assert invoke("validate", "-", "--stdin-filename", "agents.d/new.yaml")[0] == 0
    pipe(monkeypatch, BAD)
    assert invoke("validate", "-")[1].startswith("<stdin>:4:9: error[RUN301]")


def test_the_path_or_the_text_decides_what_stdin_is(
    invoke: Invoke, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toolset = "kind: toolset\ntools: [{name: t, type: python}]\n"
    for name in ("tools.d/t.yaml", "elsewhere/t.yaml"):
        pipe(monkeypatch, toolset)
        assert codes(invoke, "-", "--stdin-filename", name) == (1, ["RUN202"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--stdin-filename", "a.yaml"), "--stdin-filename names the text on standard input: give - as the PATH"),
        (("-", "agents.d"), "- is standard input, and cannot be checked together with other paths"),
        (("-", "--stdin-filename", "runner.yaml"), "runner.yaml can only be checked as a file"),
    ],
)
def test_stdin_does_not_go_with_everything(
    invoke: Invoke, project: Path, arguments: tuple[str, ...], message: str
) -> None:
    code, out, err = invoke("validate", *arguments)

    assert (code, out) == (2, "")
    assert err.startswith(f"error: {message}")


def test_a_pattern_that_no_shell_has_expanded_is_expanded(invoke: Invoke, project: Path) -> None:
    code, out, _ = invoke("validate", "agents.d/*.yaml")
    assert (code, "1 error in 1 of 2 files" in out) == (1, True)
    assert "1 file, no problems" in invoke("validate", "**/g*.yaml")[1]
    assert invoke("validate", "none*.yaml")[::2] == (2, "error: there is no file or folder none*.yaml\n")


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(invoke: Invoke, project: Path) -> None:
    write(project, "[ab]", GOOD)

    assert "1 file, no problems" in invoke("validate", "agents.d/[ab].yaml")[1]


def test_the_schema_of_the_json_document_is_published(invoke: Invoke) -> None:
    code, out, _ = invoke("schema", "validation")

    assert (code, json.loads(out)["title"]) == (0, "The report of a validation")
