"""Every code is explained, and what the explanations show is true: their examples are run."""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from runner.diagnostics import Diagnostic
from runner.language.checks import check_agent
from runner.language.codes import CODES
from runner.language.explanations import FAMILIES, Example, explained_codes, explanation_of, read_explanation, title_of
from runner.language.overrides import Override
from runner.language.validation import validate_paths
from runner.language.workspace import Workspace
from runner.tools.probe.process import open_apart

# The `runner` that is tested is the one that commands of examples find.
ENVIRONMENT = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"}


def test_every_code_is_explained_and_nothing_else() -> None:
    missing, more = CODES.keys() - set(explained_codes()), set(explained_codes()) - CODES.keys()

    assert (missing, more) == (set(), set()), "add or remove files in runner/language/explanations"


@pytest.mark.parametrize("code", explained_codes())
def test_the_title_is_the_one_of_the_code(code: str) -> None:
    assert explanation_of(code).title == title_of(code) == CODES[code]


@pytest.mark.parametrize("code", explained_codes())
def test_the_bad_example_gets_the_code_and_no_other(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = diagnostics(explanation_of(code).bad, tmp_path, monkeypatch)

    assert {each.code for each in found} == {code}, [each.message for each in found]


@pytest.mark.parametrize("code", explained_codes())
def test_the_good_example_gets_none(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = diagnostics(explanation_of(code).good, tmp_path, monkeypatch)

    assert found == []


@pytest.mark.parametrize("code", explained_codes())
def test_the_texts_are_short_and_of_a_known_family(code: str) -> None:
    explanation = explanation_of(code)

    for text in (explanation.what, explanation.why):
        assert text.endswith(".")
        assert len(text) < 500
    assert explanation.family in FAMILIES.values()


def test_the_examples_are_small() -> None:
    sizes = {
        code: sum(each.text.count("\n") for each in (*explained.bad, *explained.good))
        for code in explained_codes()
        for explained in [explanation_of(code)]
    }

    assert {code: size for code, size in sizes.items() if size > 70} == {}


@pytest.mark.parametrize("code", ["RUN000", "../RUN101", "run101", "", "RUN*"])
def test_another_code_has_no_explanation(code: str) -> None:
    with pytest.raises(KeyError):
        explanation_of(code)


PAGE = """\
# RUN999: a thing

It is wrong.

## Why it matters

It matters.

## Bad

```yaml
name: example
```

```markdown
# file: docs/a.md
# A title
```

```sh
runner validate
```

## Good

```yaml
```
"""


def test_a_file_without_a_name_is_the_example_agent_and_commands_have_none() -> None:
    explanation = read_explanation("RUN999", PAGE)

    assert (explanation.title, explanation.what, explanation.why) == ("a thing", "It is wrong.", "It matters.")
    assert [(each.file, each.language, each.text) for each in explanation.bad] == [
        ("agents.d/example.yaml", "yaml", "name: example\n"),
        ("docs/a.md", "markdown", "# A title\n"),
        (None, "sh", "runner validate\n"),
    ]
    assert [each.text for each in explanation.good] == [""]


@pytest.mark.parametrize(
    ("code", "page"),
    [
        ("RUN998", PAGE),
        ("RUN999", ""),
        ("RUN999", PAGE.replace("## Why it matters", "## Reason")),
        ("RUN999", PAGE.partition("## Good")[0]),
        ("RUN999", f"\n{PAGE}"),
    ],
)
def test_a_page_without_its_parts_is_told_what_it_lacks(code: str, page: str) -> None:
    with pytest.raises(ValueError, match=f"{code}.md: expected '# {code}: title', text, and '## Why it matters'"):
        read_explanation(code, page)


def diagnostics(examples: Sequence[Example], root: Path, monkeypatch: pytest.MonkeyPatch) -> list[Diagnostic]:
    """What the command that an example names finds, or `runner validate`, in a project of its files."""
    monkeypatch.chdir(root)
    commands = list(written(examples, root))
    if not commands:
        return list(validate_paths([]).diagnostics)
    (command,) = commands
    match shlex.split(command):
        case ["runner", "validate", "--import"]:
            return list(validate_paths([], open_tools=open_apart).diagnostics)
        case ["runner", "validate", "--env"]:
            return list(validate_paths([], environ={}).diagnostics)
        case ["runner", "run", file, *rest]:
            keys = dict(each.split("=", 1) for each in rest if each != "--set")
            given = [Override(option="--set", data=keys)] if keys else []
            return list(check_agent(Path(file), Workspace(), overrides=given).diagnostics)
    return pytest.fail(f"no test knows what {command!r} does")


def written(examples: Sequence[Example], root: Path) -> Iterator[str]:
    """Make the files of examples, and give the `runner …` commands among them."""
    (root / "agents.d").mkdir(exist_ok=True)
    for example in examples:
        if example.file is not None:
            path = root / example.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(example.text, encoding="utf-8")
            continue
        for line in example.text.splitlines():
            if line.startswith("runner "):
                yield line
            else:
                subprocess.run(["/bin/sh", "-c", line], cwd=root, env=ENVIRONMENT, check=True, timeout=20)
