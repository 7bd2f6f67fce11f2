"""What is repaired, and how: a text before and after."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.language.fixing.drafts import checked_drafts
from runner.language.fixing.files import repair_paths
from runner.language.fixing.repair import repair
from tests.language.projects import Write

HEAD = "name: a\nmodel: openai/gpt-5-mini\n"
TOOL = "version: '1'\nkind: toolset\ntools:\n  - name: t\n    type: http\n    url: {url}\n{more}"
ID = "    parameters: {type: object, properties: {id: {type: string}}, required: [id]}\n"


def repaired(text: str, kind: str = "agent") -> str:
    """The text that a file of the current project gets."""
    place = Path("tools.d/t.yaml" if kind == "toolset" else "agents.d/a.yaml")
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(text.encode())
    report = repair_paths([])
    return report.files[0].repair.after if report.files else text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("instruction: Hi # why\n", "instructions: Hi # why\n", id="another tool's word"),
        pytest.param("'instruction': Hi\n", "'instructions': Hi\n", id="in its quotes"),
        pytest.param("prompt: x\ntoolsets: [calculator]\n", "prompt: x\ntools: [calculator]\n", id="toolsets"),
        pytest.param("promt: hi\nlimits: {max_step: 3}\n", "prompt: hi\nlimits: {max_steps: 3}\n", id="slips"),
        pytest.param("prompt: x\nversion: 1\n", 'prompt: x\nversion: "1"\n', id="a number for text"),
        pytest.param(
            "prompt: x\nexamples:\n  - {user: 010, answer: 1.10}\n",
            'prompt: x\nexamples:\n  - {user: "010", answer: "1.10"}\n',
            id="as it is written, not as it is read",
        ),
        pytest.param("prompt: x\non_limit: Answer\n", "prompt: x\non_limit: answer\n", id="case"),
        pytest.param(
            "prompt: x\ntool_choice: {mode: auto, keep: 'true'}\n",
            "prompt: x\ntool_choice: {mode: auto, keep: true}\n",
            id="a boolean in quotes",
        ),
        pytest.param(
            "prompt: x\ntool_choice: {mode: auto, keep: On}\n",
            "prompt: x\ntool_choice: {mode: auto, keep: true}\n",
            id="a boolean of YAML 1.1",
        ),
        pytest.param("prompt: x\nlimits: {max_cost: '0.5'}\n", "prompt: x\nlimits: {max_cost: 0.5}\n", id="a number"),
        pytest.param(
            "prompt: x\nlimits: {timeout: '2 Min', tool_timeout: 30 sec}\n",
            "prompt: x\nlimits: {timeout: '2m', tool_timeout: 30s}\n",
            id="times",
        ),
        pytest.param("prompt: {{ input }} # q\n", 'prompt: "{{ input }}" # q\n', id="a template without quotes"),
        pytest.param("prompt: @bot\n", 'prompt: "@bot"\n', id="a sign that cannot begin a value"),
        pytest.param("prompt: x\ndescription: note: y\n", 'prompt: x\ndescription: "note: y"\n', id="a colon inside"),
        pytest.param("prompt: x\nlimits:\n\tmax_steps: 3\n", "prompt: x\nlimits:\n  max_steps: 3\n", id="a tab"),
        pytest.param(
            "prompt: x\noutput_schema: {type: dict}\n",
            "prompt: x\noutput_schema: {type: object}\n",
            id="Python's types",
        ),
        pytest.param(
            "prompt: x\noutput_schema: {type: string, desciption: y}\n",
            "prompt: x\noutput_schema: {type: string, description: y}\n",
            id="keywords of JSON Schema",
        ),
    ],
)
def test_a_mistake_is_repaired_where_it_stands(project: Write, before: str, after: str) -> None:
    project({})

    assert repaired(HEAD + before) == HEAD + after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("max_turns: 5 # few\n", "limits:\n  max_steps: 5 # few\n", id="a new mapping"),
        pytest.param(
            "max_turns: 5\nlimits:\n    timeout: 3s # short\n# end\n",
            "limits:\n    timeout: 3s # short\n    max_steps: 5\n# end\n",
            id="as far in as the others",
        ),
        pytest.param("limits:\n  timeout: 3s\nbudget: 5", "limits:\n  timeout: 3s\n  max_cost: 5\n", id="no line end"),
        pytest.param(
            "max_turns: 5\nmax_cost: 1\n", "limits:\n  max_steps: 5\n  max_cost: 1\n", id="two into a new mapping"
        ),
        pytest.param(
            "limits: {timeout: 3s} # short\nmax_turns: 5\n",
            "limits: {timeout: 3s, max_steps: 5} # short\n",
            id="braces",
        ),
        pytest.param(
            "timeout: 30 sec # why\nmax_turns: '3'\nlimits: { max_cost: '0.5' }\n",
            "# why\nlimits: { max_cost: 0.5, timeout: 30s, max_steps: 3 }\n",
            id="several into braces, their comments kept",
        ),
        pytest.param(
            "limits: {\n  max_cost: 1,\n  timeout: 3s,\n}\nmax_turns: 5\n# end",
            "limits: {\n  max_cost: 1,\n  timeout: 3s, max_steps: 5,\n}\n# end",
            id="braces over several lines",
        ),
        pytest.param("context: {}\ncontext_window: 9\n", "context: {max_tokens: 9}\n", id="empty braces"),
        pytest.param(
            "limits:\n  tool_timeout: 5 m\ntimeout: 30 sec\n",
            "limits:\n  tool_timeout: 5m\n  timeout: 30s\n",
            id="though the limits then contradict each other",
        ),
        pytest.param("context_window: 9\n", "context:\n  max_tokens: 9\n", id="another mapping"),
        pytest.param("max_turns: 5\r\n", "limits:\r\n  max_steps: 5\r\n", id="line ends of Windows"),
    ],
)
def test_a_key_is_moved_to_where_it_belongs(project: Write, before: str, after: str) -> None:
    project({})

    assert repaired(f"prompt: x\n{HEAD}{before}") == f"prompt: x\n{HEAD}{after}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("temperature: 0\nmodel: a/b # cheap\n", "model:\n  name: a/b # cheap\n  temperature: 0\n"),
        ("model: 'a/b'\nmax_tokens: 9\nretries: 1\n", "model:\n  name: 'a/b'\n  max_tokens: 9\n  retries: 1\n"),
        ("model:\n  name: a/b\ntemperature: 0\n", "model:\n  name: a/b\n  temperature: 0\n"),
        ("model: {name: a/b}\nfallbacks: [c/d, {name: e/f}]\n", "model: {name: a/b, fallbacks: [c/d, {name: e/f}]}\n"),
    ],
    ids=["a text", "two keys", "a mapping", "braces"],
)
def test_parameters_of_the_model_are_moved_to_it(project: Write, before: str, after: str) -> None:
    project({})
    head = "name: a\nprompt: x\n"

    assert repaired(head + before) == head + after


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("prompt: x\nmax_turns: 5\nlimits:\n  max_steps: 3\n", id="what is there already"),
        pytest.param("prompt: x\nmax_turns: five\n", id="a value that is wrong there too"),
        pytest.param("prompt: x\nlimits:\nmax_turns: 5\n", id="into nothing"),
        pytest.param("prompt: x\nmax_turns: 5\nlimits: {max_steps: 3}\n", id="what is there already, in braces"),
        pytest.param("x-l: &l 3s\nprompt: x\nlimits: {timeout: *l}\nmax_turns: 5\n", id="beside an alias in braces"),
        pytest.param("prompt: x\nlimits: {max_cost: 1}\nmax_turns: &n 5\n", id="an anchor, into braces"),
        pytest.param("prompt: x\nlimits: {\n  max_cost: 1 # few\n}\nmax_turns: 5\n", id="into braces with a comment"),
        pytest.param("prompt: x\nlimits: {<<: {timeout: 3s}}\nmax_turns: 5\n", id="into what is merged"),
        pytest.param("prompt: {{ input }} and {{ input }}\nx-a: '\n", id="two mistakes of syntax"),
        pytest.param("prompt: x\nmax_turns:\n  5\n", id="a value on another line"),
        pytest.param("x-l: &l\n  timeout: 3s\nlimits: *l\nprompt: x\nmax_turns: 5\n", id="an alias"),
        pytest.param("instructions: x\ninstruction: y\n", id="both words"),
        pytest.param("prompt: x\ntoolsets: [{type: shell}]\n", id="a word that is the least of it"),
        pytest.param("prompt: x\nlimits: {timeout: 30 days}\n", id="a unit there is none for"),
        pytest.param("prompt: x\nlimits: {timeout: 5M}\n", id="a month or a minute"),
        pytest.param("prompt: x\nlimits:\n  timeout: 3s\n\tmax_steps: 3\n", id="tabs and spaces"),
        pytest.param("prompt: |\n\tx\n\t\ty\n", id="tabs of a text"),
        pytest.param("prompt: x\nfoo: y\n", id="an unknown word"),
        pytest.param("prompt: x\ntools: [{name: t, type: python, function: no/where.py:f}]\n", id="no such module"),
    ],
)
def test_what_is_not_certain_is_left_to_people(project: Write, text: str) -> None:
    project({})

    assert repaired(HEAD + text) == HEAD + text


def test_a_model_is_not_written_in_full_when_more_than_its_name_stands_there(project: Write) -> None:
    project({})
    text = "name: a\nprompt: x\nx-m: &m a/b\nmodel: *m\ntemperature: 0\n"
    anchored = "name: a\nprompt: x\nmodel: &m a/b\ntemperature: 0\n"

    assert repaired(text) == text
    assert repaired(anchored) == anchored


def test_a_list_is_made_of_a_word(project: Write) -> None:
    project({})

    assert repaired(HEAD + "prompt: x\ntools: calculator # one\n") == HEAD + "prompt: x\ntools: [calculator] # one\n"


def test_a_function_is_written_as_an_import_path(project: Write) -> None:
    project({"tools.d/pkg/mod.py": "def f(): ...\n"})

    before = "prompt: x\ntools: [{name: t, type: python, function: pkg/mod.py:f, description: d}]\n"

    assert repaired(HEAD + before) == HEAD + before.replace("pkg/mod.py:f", "pkg.mod:f")


@pytest.mark.parametrize(
    ("before", "after"), [("http://a.com/{id}", "http://a.com/{{ id }}"), ("http://a.com/:id", "http://a.com/{{ id }}")]
)
def test_a_placeholder_is_written_as_a_template(project: Write, before: str, after: str) -> None:
    project({})

    assert repaired(TOOL.format(url=before, more=ID), "toolset") == TOOL.format(url=after, more=ID)


def test_what_a_repair_brings_to_light_is_repaired_with_it(project: Write) -> None:
    project({})
    text = TOOL.format(url="http://a.com/{{ id }}", more=ID + "    response: {max_bytes: 1 mb}\n    method: get\n")

    after = repaired(text.replace("type: http\n", "type: HTTP\n"), "toolset")

    assert after == text.replace("1 mb", "1MB").replace("method: get", "method: GET")


def test_a_base_is_repaired_though_it_is_no_agent(project: Write) -> None:
    root = project({"agents.d/base.yaml": "instruction: Hi\n", "agents.d/b.yaml": "extends: base.yaml\n" + HEAD})

    (base,) = repair_paths([root / "agents.d"]).files

    assert base.repair.after == "instructions: Hi\n"


def test_an_agent_that_lacks_a_model_is_repaired_all_the_same(project: Write) -> None:
    project({})

    assert repaired("name: a\ninstruction: Hi\n") == "name: a\ninstructions: Hi\n"


def test_what_a_comment_hides_is_not_repaired(project: Write) -> None:
    project({})
    text = HEAD + "prompt: x\nlimitz: {} # runner: ignore[RUN201]\n"

    assert repaired(text) == text
    assert repaired(text + "on_limit: Fail\n") == text + "on_limit: fail\n"


def test_a_base_outside_of_the_project_is_left_alone(project: Write) -> None:
    root = project({"agents.d/a.yaml": "extends: ../../base.yaml\n" + HEAD})
    (root.parent / "base.yaml").write_text("instruction: Hi\n", encoding="utf-8")

    report = repair_paths([])

    assert report.validation.errors == 1
    assert report.files == ()


def test_only_files_that_were_asked_for_are_repaired(project: Write) -> None:
    agent = HEAD + "prompt: x\ntools: [t]\n"
    root = project({"agents.d/a.yaml": agent, "tools.d/t.yaml": TOOL.format(url="http://a.com/{id}", more=ID)})

    assert repair_paths([root / "agents.d/a.yaml"]).files == ()
    assert len(repair_paths([root / "tools.d"]).files) == 1


LINES = st.sampled_from(
    [
        *("instruction: Hi", "promt: x", "max_turns: 5", "max_iter: 3", "budget: '1'", "limits:", "  timeout: 3 s"),
        *(
            "  max_step: 2",
            "\tmax_steps: 3",
            "version: 1",
            "on_limit: Fail",
            "prompt: {{ input }}",
            "tools: calculator",
        ),
        *("max_cost: '1' # one", "timeout: 30 sec", "limits: {tool_timeout: 1 min}", "limits: { }"),
        *("# note", "", "x-a: &a {timeout: 2 sec}", "limits: *a", "description: a: b", "parsing: {mode: JSON}"),
    ]
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("any")


@given(st.lists(LINES, max_size=8))
def test_any_text_is_repaired_to_one_that_needs_no_repair(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    text = HEAD + "\n".join(lines)
    (before,) = checked_drafts({path: text}).values()

    once = repair({path: before})[path]

    (after,) = checked_drafts({path: once.after}).values()
    assert repair({path: after})[path].fixes == ()
    left = [each for each in after.diagnostics if each.code not in ("RUN311", "RUN706")]
    assert len(left) <= len(before.diagnostics) or before.document is None
