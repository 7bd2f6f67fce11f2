import os
from pathlib import Path

import pytest

from runner.language.discovery import kind_of
from runner.language.listing import ListedAgent, ListedTool, agent_names, list_project
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
        name="mine", type="python", risk="low", description="Mine.", declared="tools.d/t.yaml:3", from_toolkit=False
    )
    assert listing.tools[0].from_toolkit


def test_a_tool_without_a_description_is_described_by_the_docstring_of_its_function(project: Write) -> None:
    root = project(
        {
            "tools.d/t.yaml": """
                kind: toolset
                tools:
                  - {name: a, type: python, function: "m:told"}
                  - {name: b, type: python, function: "m:silent"}
                  - {name: c, type: python, function: "m:gone"}
                  - {name: d, type: python, function: "m"}
            """,
            "tools.d/m.py": """
                raise SystemExit("imported!")
                def told():
                    '''Tell the weather
                    of a city.

                    More.
                    '''
                def silent(): ...
            """,
        }
    )

    told = {tool.name: tool.description for tool in list_project(root).tools if not tool.from_toolkit}

    assert told == {"a": "Tell the weather of a city.", "b": None, "c": None, "d": None}
    assert all(tool.description for tool in list_project(root).tools if tool.from_toolkit)


def test_agents_go_by_their_name_and_else_by_that_of_their_file(project: Write) -> None:
    root = project(
        {
            "agents.d/a.yaml": GOOD,
            "agents.d/b.yaml": "name: a\n",
            "agents.d/deep/c.yaml": "extends: ../a.yaml\n",
            "agents.d/broken.yaml": "name: [\n",
            "agents.d/base.yaml": "name: shared\n",
            "agents.d/child.yaml": "extends: base.yaml\nmodel: openai/x\nprompt: hi\n",
            "elsewhere/x.yaml": GOOD,
        }
    )
    (root / "agents.d" / "link.yaml").symlink_to("b.yaml")
    names = agent_names(root)

    def files(name: str) -> list[str]:
        return [path.relative_to(root / "agents.d").as_posix() for path in names.files(name)]

    assert files("a") == ["b.yaml"]
    assert files("good") == ["a.yaml", "deep/c.yaml"]
    assert files("shared") == ["child.yaml"]  # its base is no agent
    assert files("base") == ["base.yaml"]
    assert files("broken") == ["broken.yaml"]
    assert files("gone") == []
    assert set(names.all) == {agent.name for agent in list_project(root).agents}


def test_names_need_to_be_unique_only_among_the_agents_of_a_project(project: Write) -> None:
    project({"agents.d/a.yaml": GOOD, "agents.d/b.yaml": GOOD, "fixtures/c.yaml": GOOD})
    project({"other/runner.yaml": "version: '1'\n", "other/agents.d/a.yaml": GOOD})

    assert codes(validate_paths([Path()])) == [("agents.d/b.yaml", "RUN314")]
    assert codes(validate_paths([Path("agents.d/a.yaml"), Path("fixtures"), Path("other")])) == []


def test_what_is_no_regular_file_is_passed_over_in_folders_and_refused_by_name(project: Write) -> None:
    root = project({"agents.d/good.yaml": GOOD})
    os.mkfifo(root / "agents.d" / "pipe.yaml")
    (root / "agents.d" / "link.yaml").symlink_to("pipe.yaml")
    (root / "agents.d" / "device.yaml").symlink_to("/dev/zero")

    assert (validate_paths([]).files, validate_paths([]).diagnostics) == (1, ())
    assert [agent.name for agent in list_project(root).agents] == ["good"]
    for name in ("pipe", "link", "device"):
        (problem,) = validate_paths([Path(f"agents.d/{name}.yaml")]).diagnostics
        assert (problem.code, problem.message) == ("RUN101", "not a regular file")
