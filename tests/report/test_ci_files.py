"""What people copy into their CI is well-formed, and fits what the command does."""

import json
import re
from pathlib import Path

import pytest
import yaml

from runner.cli.validate import command
from runner.report.diagnostics.formats import FORMATS
from runner.report.text import render_text
from tests.report.problems import EMPTY, TOOL, UNUSED

ROOT = Path(__file__).parent.parent.parent
CI = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
MATCHER = json.loads((ROOT / "docs" / "problem-matcher.json").read_text(encoding="utf-8"))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
YAML_BLOCKS = re.findall(r"^```yaml\n(.*?)^```", CI, re.DOTALL | re.MULTILINE)
CALLS = re.findall(r"runner validate[^\n`<]*", CI + COMMANDS)


def matched(line: str) -> dict[str, str | None]:
    [pattern] = MATCHER["problemMatcher"][0]["pattern"]
    match = re.search(pattern["regexp"], line)
    assert match is not None
    return {name: match[group] for name, group in pattern.items() if name != "regexp"}


def test_the_problem_matcher_reads_the_text_report() -> None:
    text = render_text([TOOL, UNUSED, EMPTY], colour=False)
    tool, unused, empty = (matched(line) for line in text.splitlines() if "[RUN" in line)

    assert tool == {
        "file": "agents.d/a.yaml",
        "line": "12",
        "column": "5",
        "severity": "error",
        "code": "RUN301",
        "message": "unknown tool 'get_wether'",
    }
    assert (unused["severity"], unused["code"]) == ("warning", "RUN404")
    assert (empty["file"], empty["line"]) == ("agents.d/c d.yaml", None)


def test_the_problem_matcher_passes_over_everything_else() -> None:
    [pattern] = MATCHER["problemMatcher"][0]["pattern"]
    others = [line for line in render_text([TOOL], colour=False).splitlines() if "[RUN" not in line]

    assert others
    assert not [line for line in [*others, "1 error in 1 of 7 files (0.09 s)"] if re.search(pattern["regexp"], line)]


def test_the_hook_checks_the_whole_project_with_the_installed_command() -> None:
    [hook] = HOOKS

    assert hook["entry"] == "runner validate"
    assert hook["language"] == "python"
    assert hook["pass_filenames"] is False
    for name in ("agents.d/a.yaml", "runner.yaml", "tools.d/t.py", "prompts/x.md.j2"):
        assert re.search(hook["files"], name)
    assert not re.search(hook["files"], "README.rst")


@pytest.mark.parametrize("block", YAML_BLOCKS)
def test_the_recipes_are_yaml(block: str) -> None:
    assert isinstance(yaml.safe_load(block), dict)


def test_the_recipes_call_the_command_with_options_and_formats_it_has() -> None:
    options = {option for parameter in command.params for option in parameter.opts}
    used = {option for call in CALLS for option in re.findall(r"--[a-z-]+", call)}

    assert {"--format", "--output", "--baseline", "--stdin-filename"} <= used
    assert used <= options
    assert {form for call in CALLS for form in re.findall(r"--format (\w+)", call)} <= FORMATS.keys()


def test_every_option_and_format_is_in_the_docs() -> None:
    options = {parameter.opts[0] for parameter in command.params if parameter.param_type_name == "option"}

    assert not [option for option in options - {"--import", "--help"} if f"`{option}" not in COMMANDS]
    assert not [form for form in FORMATS if f"| `{form}` |" not in COMMANDS]
