from pathlib import Path

import pytest

from runner.language.discovery import kind_of
from runner.language.listing import ListedAgent, ListedTool, list_project
from runner.language.validation import ValidationReport, validate_paths
from tests.language.projects import Write

GOOD = "name: good\nmodel: openai/x\nprompt: hi\n"
BAD = "name: bad\nmodel: openai/x\nprompt: '{{ nope }}'\n"


def codes(report: ValidationReport) -> list[tuple[str, str]]:
    return [(each.location.file, each.code) for each in report.diagnostics]


def test_without_a_path_the_whole_project_is_checked(project: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project(
        {
            "runner.yaml": "extra: 1\n",
            "agents.d/good.yaml": GOOD,
            "agents.d/deep/bad.yml": BAD,
            "tools.d/tools.yaml": "kind: toolset\ntools: [{name: a, type: python, function: 'gone:f'}]\n",
            "tests/fixtures/bad.yaml": BAD,
            "agents.d/.hidden/x.yaml": "- x",
        }
    )
    monkeypatch.chdir(root / "agents.d" / "deep")

    report = validate_paths([])

    assert codes(report) == [
        (str(root / "runner.yaml"), "RUN201"),
        (str(root / "tools.d" / "tools.yaml"), "RUN501"),
        ("bad.yml", "RUN402"),
    ]
    assert (report.files, report.files_with_errors, report.errors, report.warnings) == (4, 3, 3, 0)


def test_one_bad_file_among_good_ones_is_enough(project: Write) -> None:  # field bug B129
    project({"good.yaml": GOOD, "bad.yaml": BAD})

    report = validate_paths([Path("good.yaml"), Path("bad.yaml"), Path("good.yaml")])

    assert codes(report) == [("bad.yaml", "RUN402")]
    assert (report.files, report.files_with_errors) == (2, 1)


def test_a_named_file_is_checked_whatever_it_looks_like(project: Write) -> None:
    project({"list.yaml": "- a\n", "compose.yaml": "services: {}\n"})

    report = validate_paths([Path("list.yaml"), Path("compose.yaml")])

    assert report.files == 2
    assert report.files_with_errors == 2


def test_missing_paths_are_no_diagnostics(project: Write) -> None:
    project({"good.yaml": GOOD})

    report = validate_paths([Path("good.yaml"), Path("gone.yaml"), Path("nowhere/x")])

    assert report.missing == ("gone.yaml", "nowhere/x")
    assert (report.diagnostics, report.files) == ((), 1)


def test_nothing_to_check_is_an_outcome_of_its_own(project: Write) -> None:
    root = project({"notes.txt": "x", "k8s.yaml": "apiVersion: v1\nkind: Pod\nname: x\nprompt: y\n"})

    assert validate_paths([root]).nothing_matched
    assert validate_paths([]).nothing_matched
    assert not validate_paths([root / "k8s.yaml"]).nothing_matched


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("a.yaml", GOOD, True),
        ("a.yml", "kind: agent\n", True),
        ("a.yaml", "kind: 'toolset' # x\n", True),
        ("a.yaml", "# yaml-language-server: $schema=../schemas/agent.schema.json\nx: 1\n", True),
        ("a.yaml", "name: a\nprompt: hi\nbroken: [\n", True),
        ("a.yaml", "name: a\nextends: b.yaml\n", True),
        ("runner.yaml", "x: 1\n", True),
        ("agents.d/a.yaml", "whatever", True),
        ("tools.d/a.yaml", "whatever", True),
        ("tools.d/a/b/data.yaml", "whatever: 1\n", False),
        ("a.yaml", "name: x\nservices: {}\n", False),
        ("a.yaml", "name: ci\non: push\njobs: {}\n", False),
        ("a.yaml", "", False),
        ("a.json", "name: a\nprompt: hi\n", False),
        (".hidden.yaml", GOOD, False),
        ("node_modules/a.yaml", GOOD, False),
        (".git/a.yaml", GOOD, False),
    ],
)
def test_in_a_folder_only_documents_of_ours_are_checked(project: Write, name: str, text: str, found: bool) -> None:
    root = project({name: text, "agents.d/.keep": ""})

    assert (validate_paths([root]).files == 1) is found


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("x.yaml", "kind: toolset\n", "toolset"),
        ("x.yaml", "kind: agnet\n", "agent"),
        ("runner.yaml", "", "project"),
        ("tools.d/x.yaml", "kind: agent\n", "toolset"),
        ("agents.d/x.yaml", "kind: toolset\n", "agent"),
        ("x.yaml", "", "agent"),
    ],
)
def test_the_kind_of_a_file_is_told_by_place_then_text(project: Write, name: str, text: str, kind: str) -> None:
    root = project({name: text, "agents.d/.keep": ""})

    assert kind_of(root / name) == kind


def test_a_file_that_others_extend_may_be_incomplete(project: Write) -> None:
    project(
        {
            "agents.d/base.yaml": "model: openai/x\ninstructions: '{{ city }}'\ntool_choice: required\n",
            "agents.d/good.yaml": "name: g\nextends: base.yaml\ninputs: {city: {type: string}}\ntools: [calculator]\n",
        }
    )

    assert validate_paths([]).diagnostics == ()
    assert validate_paths([Path("agents.d/base.yaml")]).diagnostics == ()  # it is looked up who extends it


def test_a_base_may_leave_the_model_to_others_too(project: Write) -> None:
    project({"base.yaml": "name: x\nprompt: hi\n", "good.yaml": "extends: base.yaml\nmodel: openai/x\n"})

    assert validate_paths([Path("base.yaml")]).diagnostics == ()


def test_a_base_that_is_complete_is_an_agent_like_any_other(project: Write) -> None:
    project({"agents.d/base.yaml": BAD, "agents.d/other.yaml": "name: x\nextends: base.yaml\ninputs: {nope: {}}\n"})

    assert codes(validate_paths([])) == [("agents.d/base.yaml", "RUN402")]


def test_what_is_wrong_in_a_base_is_told_once(project: Write) -> None:
    project(
        {
            "agents.d/base.yaml": "model: openai/x\nlimits: {max_step: 1}\ntools: [nope]\n",
            "agents.d/a.yaml": "name: a\nextends: base.yaml\nprompt: hi\n",
            "agents.d/b.yaml": "name: b\nextends: base.yaml\nprompt: hi\n",
        }
    )

    report = validate_paths([])

    assert codes(report) == [("agents.d/base.yaml", "RUN201"), ("agents.d/base.yaml", "RUN301")]
    assert (report.files, report.files_with_errors) == (3, 1)


def test_a_base_outside_of_what_was_asked_for_counts_when_it_is_wrong(project: Write) -> None:
    project({"bases/base.yaml": "limits: {max_step: 1}\n", "agents.d/a.yaml": "name: a\nextends: ../bases/base.yaml\n"})

    report = validate_paths([Path("agents.d")])

    assert (report.files, report.files_with_errors) == (2, 1)


def test_listing_tells_agents_and_tools_whatever_their_state(project: Write) -> None:
    root = project(
        {
            "agents.d/good.yaml": "name: good\ndescription: Is.\nmodel: openai/x\nprompt: hi\ntools: [mine]\n",
            "agents.d/bad.yaml": "name: bad\nmodel: {name: openai/y}\ntools: [nope, {name: x}]\nextra: 1\n",
            "agents.d/broken.yaml": "name: [\n",
            "agents.d/base.yaml": "description: To be extended.\nmodel: openai/z\n",
            "tools.d/t.yaml": """
                kind: toolset
                tools:
                  - {name: mine, type: python, function: "m:f", description: Mine.}
            """,
            "tools.d/m.py": "def f(): ...\n",
        }
    )

    listing = list_project(root)

    assert listing.root == str(root)
    assert listing.agents == (
        ListedAgent(
            name="bad", description="", model="openai/y", tools=("nope", "x"), file="agents.d/bad.yaml", state="invalid"
        ),
        ListedAgent(
            name="base",
            description="To be extended.",
            model="openai/z",
            tools=(),
            file="agents.d/base.yaml",
            state="base",
        ),
        ListedAgent(name="broken", description="", model=None, tools=(), file="agents.d/broken.yaml", state="invalid"),
        ListedAgent(
            name="good", description="Is.", model="openai/x", tools=("mine",), file="agents.d/good.yaml", state="ready"
        ),
    )
    assert [tool.name for tool in listing.tools] == ["calculator", "current_time", "mine", "search_notes"]
    assert listing.tools[2] == ListedTool(
        name="mine", type="python", description="Mine.", declared="tools.d/t.yaml:3", from_toolkit=False
    )
    assert listing.tools[0].from_toolkit
