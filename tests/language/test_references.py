import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.language.compiler import Compiled, compile_agent
from runner.language.document import Document, parse_document
from runner.language.merge import Layer, merge
from runner.language.project import find_root, load_project
from runner.language.workspace import Workspace
from runner.spec import AgentSpec, Json, ParsingSpec, Text
from tests.language.projects import Write

BASE = """
model: {name: openai/base, temperature: 0, params: {a: 1, b: {c: 2, d: 3}}}
limits: {max_steps: 3, timeout: 10s}
inputs: {city: {type: string, default: Oslo}}
tools: [calculator, current_time]
prompt: "{{ city }}"
"""


def compiled(root: Path, name: str = "agent.yaml", *, cache: Workspace | None = None) -> Compiled:
    return compile_agent(root / name, cache=cache)


def spec(root: Path, name: str = "agent.yaml") -> AgentSpec:
    found = compiled(root, name)
    assert found.spec is not None, found.diagnostics
    return found.spec


def messages(found: Compiled) -> list[str]:
    return [f"{each.location}: {each.message}" for each in found.diagnostics]


# extends


def test_mappings_merge_deeply_later_wins_and_lists_replace(project: Write) -> None:
    root = project(
        {
            "base.yaml": BASE,
            "agent.yaml": """
                extends: base.yaml
                name: a
                model: {temperature: 1, params: {b: {d: 4}, e: 5}}
                limits: {timeout: 20s}
                inputs: {city: {default: Rome}}
                tools: [search_notes]
            """,
        }
    )

    found = spec(root)

    assert found.model.name == "openai/base"
    assert found.model.temperature == 1
    assert found.model.params == {"a": 1, "b": {"c": 2, "d": 4}, "e": 5}
    assert (found.limits.max_steps, found.limits.timeout) == (3, 20.0)
    assert found.inputs[0].schema == {"type": "string", "default": "Rome"}
    assert [tool.name for tool in found.tools] == ["search_notes"]


def test_of_several_bases_the_later_wins_and_a_shared_one_undoes_nothing(project: Write) -> None:
    root = project(
        {
            "base.yaml": "model: openai/x\nprompt: base\ndescription: base\n",
            "left.yaml": "extends: base.yaml\nprompt: left\ndescription: left\n",
            "right.yaml": "extends: base.yaml\ndescription: right\n",
            "agent.yaml": "name: a\nextends: [left.yaml, right.yaml]\n",
        }
    )

    found = spec(root)

    assert (found.prompt.value, found.description) == ("left", "right")


def test_a_base_is_found_beside_the_file_that_names_it_from_any_current_folder(
    project: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    root = project(  # field bug B92
        {
            "agents.d/deep/agent.yaml": "name: a\nextends: ../bases/one.yaml\n",
            "agents.d/bases/one.yaml": "extends: two.yaml\n",
            "agents.d/bases/two.yaml": "model: openai/x\nprompt_file: texts/p.md\n",
            "agents.d/bases/texts/p.md": "Hello",
        }
    )
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to(root / "agents.d" / "deep")
    (tmp_path / "link.yaml").symlink_to(root / "agents.d" / "deep" / "agent.yaml")

    for path in ("project/agents.d/deep/agent.yaml", "link/agent.yaml", "link.yaml", "project/../link/agent.yaml"):
        assert spec(tmp_path, path).prompt.value == "Hello"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"a.yaml": "extends: b.yaml\n", "b.yaml": "name: b\nextends: ./sub/../a.yaml\n"},
            "b.yaml:2:10: extends goes in a circle: a.yaml -> b.yaml -> a.yaml",
        ),
        (
            {"a.yaml": "extends: [b.yaml]\n", "b.yaml": "extends: c.yaml\n", "c.yaml": "extends: b.yaml\n"},
            "c.yaml:1:10: extends goes in a circle: b.yaml -> c.yaml -> b.yaml",
        ),
        ({"a.yaml": "extends: a.yaml\n"}, "a.yaml:1:10: extends goes in a circle: a.yaml -> a.yaml"),
        ({"a.yaml": "extends: link.yaml\n"}, "a.yaml:1:10: extends goes in a circle: a.yaml -> a.yaml"),
    ],
)
def test_a_circle_names_both_ends_with_their_places(
    project: Write, files: dict[str, str], message: str
) -> None:  # field bug B99
    root = project({**files, "sub/.keep": ""})
    (root / "link.yaml").symlink_to(root / "a.yaml")

    assert message in messages(compiled(root, "a.yaml"))


def test_the_files_of_a_circle_tell_the_same_story(project: Write) -> None:
    root = project({"a.yaml": "extends: b.yaml\n", "b.yaml": "extends: c.yaml\n", "c.yaml": "extends: a.yaml\n"})

    stories = {compiled(root, name).diagnostics[-1] for name in ("a.yaml", "b.yaml", "c.yaml")}

    (story,) = stories
    assert [f"{each.message} at {each.location}" for each in story.related] == [
        "a.yaml extends b.yaml at a.yaml:1:10",
        "b.yaml extends c.yaml at b.yaml:1:10",
    ]


def test_a_diamond_of_many_storeys_is_read_once_per_file(project: Write) -> None:
    files = {
        f"{side}{level}.yaml": f"extends: [a{level + 1}.yaml, b{level + 1}.yaml]\n"
        for level in range(30)
        for side in "ab"
    }
    root = project(
        {
            **files,
            "a30.yaml": "prompt: hi\n",
            "b30.yaml": "model: openai/x\n",
            "agent.yaml": "name: x\nextends: a0.yaml\n",
        }
    )

    assert spec(root).prompt.value == "hi"


def test_an_endless_lineage_ends_with_a_diagnostic(project: Write) -> None:
    files = {f"a{level}.yaml": f"extends: a{level + 1}.yaml\n" for level in range(200)}
    root = project(files)

    assert any("more than 50 files extend one another" in each for each in messages(compiled(root, "a0.yaml")))


@pytest.mark.parametrize(
    ("base", "words"),
    [
        ("gone.yaml", "cannot read the base 'gone.yaml': file not found (looked for "),
        ("../outside.yaml", "lies outside of the project"),
        ("/etc/passwd", "lies outside of the project"),
        ("out.yaml", "lies outside of the project"),
        (".", "expected a file, found a folder"),
        ('"a\\0b"', "cannot read the base"),
    ],
)
def test_a_base_that_cannot_be_used_is_told_at_the_string(
    project: Write, tmp_path: Path, base: str, words: str
) -> None:
    (tmp_path / "outside.yaml").write_text("prompt: hi\n")
    root = project({"agent.yaml": f"name: a\nextends:\n  - {base}\n"})
    (root / "out.yaml").symlink_to(tmp_path / "outside.yaml")

    (found,) = messages(compiled(root))

    assert found.startswith("agent.yaml:3:5: ")
    assert words in found


def test_what_is_wrong_with_a_base_is_told_in_its_own_file(project: Write) -> None:
    root = project(
        {
            "base.yaml": "model: openai/x\nprompt: '{{ nope }}'\nlimits:\n  max_step: 3\ntools:\n  - calculater\n",
            "agent.yaml": "name: a\nextends: base.yaml\ninputs: {x: {type: string}}\nmodel: {api_key: '${'}\n",
        }
    )

    assert messages(compiled(root)) == [
        "agent.yaml:4:19: this '${' is not closed by '}'",
        "base.yaml:2:13: template variable 'nope' is not declared in inputs",
        "base.yaml:4:3: limits: unknown key 'max_step'",
        "base.yaml:6:5: unknown tool 'calculater'",
    ]


def test_a_text_and_its_file_are_one_thing_when_layers_meet(project: Write) -> None:
    root = project(
        {
            "base.yaml": "model: openai/x\ninstructions: base\nprompt_file: base.md\n",
            "base.md": "base",
            "agent.md": "agent",
            "agent.yaml": "name: a\nextends: base.yaml\ninstructions_file: agent.md\nprompt: agent\n",
        }
    )

    found = spec(root)

    assert found.instructions is not None
    assert (found.instructions.value, found.prompt.value) == ("agent", "agent")


@pytest.mark.parametrize(
    ("model", "name", "temperature", "api_base"),
    [
        ("openai/other", "openai/other", 0, None),  # another model: the parameters stay, the server does not
        ("{name: openai/other}", "openai/other", 0, "http://base"),  # a mapping refines
        ("{temperature: 1}", "openai/base", 1, "http://base"),
    ],
)
def test_a_bare_model_name_leaves_the_server_behind(
    project: Write, model: str, name: str, temperature: float, api_base: str | None
) -> None:
    root = project(
        {
            "base.yaml": """
                prompt: hi
                model: {name: openai/base, temperature: 0, api_base: 'http://base', api_key: k}
            """,
            "agent.yaml": f"name: a\nextends: base.yaml\nmodel: {model}\n",
        }
    )

    found = spec(root).model

    assert (found.name, found.temperature) == (name, temperature)
    assert (found.api_base.value if found.api_base else None) == api_base
    assert (found.api_key is None) is (api_base is None)


PROTOCOL = """
model: openai/x
prompt: hi
parsing:
  mode: text
  max_retries: 5
  instructions: "{{ tools | length }} tools"
  call: DO (?P<name>.+)
  answer: (?s)SAY (?P<answer>.+)
  arguments: none
  stop: STOP
"""


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("parsing: json", ParsingSpec(mode="json", max_retries=5)),
        ("parsing: {mode: react, labels: zh}", ParsingSpec(mode="react", labels="zh", max_retries=5)),
        ("parsing: {mode: react, max_retries: 1}", ParsingSpec(mode="react", max_retries=1)),
    ],
)
def test_another_parsing_mode_leaves_the_protocol_of_a_base_behind(
    written: str, expected: ParsingSpec, project: Write
) -> None:
    root = project({"base.yaml": PROTOCOL, "agent.yaml": f"name: a\nextends: base.yaml\n{written}\n"})

    assert spec(root).parsing == expected


def test_a_protocol_is_refined_key_by_key_and_its_texts_keep_their_places(project: Write) -> None:
    root = project(
        {
            "base.yaml": PROTOCOL,
            "agent.yaml": "name: a\nextends: base.yaml\nparsing: {mode: text, stop: [A, B], result: '{{ result }}!'}\n",
        }
    )

    parsing = spec(root).parsing

    assert parsing.instructions == Text(value="{{ tools | length }} tools", origin="base.yaml:6")
    assert parsing.result == Text(value="{{ result }}!", origin="agent.yaml:3")
    assert (parsing.stop, parsing.arguments, parsing.max_retries) == (("A", "B"), "none", 5)


def test_the_corrections_a_base_allows_hold_for_any_mode(project: Write) -> None:
    root = project(
        {
            "base.yaml": "model: openai/x\nprompt: hi\nparsing: {max_retries: 7}\n",
            "agent.yaml": "name: a\nextends: base.yaml\nparsing: {mode: react, labels: zh}\n",
        }
    )

    assert spec(root).parsing == ParsingSpec(mode="react", labels="zh", max_retries=7)


def test_short_forms_are_refined_by_mappings(project: Write) -> None:
    root = project(
        {
            "base.yaml": """
                model: openai/x
                prompt: hi
                parsing: json
                tools: [calculator]
                tool_choice: required
            """,
            "agent.yaml": """
                name: a
                extends: base.yaml
                model: {max_tokens: 5}
                parsing: {max_retries: 1}
                tool_choice: {keep: true}
            """,
        }
    )

    found = spec(root)

    assert (found.model.name, found.model.max_tokens) == ("openai/x", 5)
    assert (found.parsing.mode, found.parsing.max_retries) == ("json", 1)
    assert (found.tool_choice.mode, found.tool_choice.keep) == ("required", True)


json_data = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


def somewhere() -> Document:
    document, _ = parse_document(b"{}", display="agent.yaml")
    assert document is not None
    return document


SOMEWHERE = somewhere()
agents = st.dictionaries(st.sampled_from(["a", "b", "limits", "metadata"]), json_data)


@given(below=agents, above=agents)
def test_merging_keeps_what_is_above_and_changes_neither(below: dict[str, Json], above: dict[str, Json]) -> None:
    before = repr((below, above))

    merged = merge([Layer(data=below, document=SOMEWHERE), Layer(data=above, document=SOMEWHERE)])

    assert contains(merged, above)
    assert merged.keys() == below.keys() | above.keys()
    assert merge([Layer(data=below, document=SOMEWHERE)]) == below
    assert repr((below, above)) == before


def contains(merged: Json, above: Json) -> bool:
    if isinstance(above, dict):
        return isinstance(merged, dict) and all(contains(merged[key], value) for key, value in above.items())
    return bool(merged == above)


# Texts in files


def test_a_text_file_may_have_a_byte_order_mark_and_any_line_ends(project: Write) -> None:  # field bug B80
    root = project(
        {
            "agent.yaml": "name: a\nmodel: openai/x\ninstructions_file: p.md\nprompt_file: q.md\n",
            "p.md": b"\xef\xbb\xbf\xe2\x80\x99one\r\ntwo\rthree\n",
            "q.md": b"",
        }
    )

    found = spec(root)

    assert found.instructions is not None
    assert found.instructions.value == "\u2019one\ntwo\nthree\n"
    assert found.instructions.origin == "p.md:1"
    assert found.prompt.value == ""


def test_a_mistake_in_a_text_file_is_told_in_that_file(project: Write) -> None:
    root = project(
        {
            "agent.yaml": "name: a\nmodel: openai/x\ninstructions_file: texts/p.md\n",
            "texts/p.md": "one\r\n\ttwo {{ three }}",
        }
    )

    (found,) = compiled(root).diagnostics

    assert str(found.location) == "texts/p.md:2:9"
    assert found.source == "\ttwo {{ three }}"


# The catalog


TOOLSET = "kind: toolset\ntools:\n  - {name: NAME, type: python, function: 'mine:f'}\n"


def toolset(name: str) -> str:
    return TOOLSET.replace("NAME", name)


def test_toolsets_lie_in_tools_d_and_its_folders(project: Write) -> None:
    agent = "name: a\nmodel: openai/x\nprompt: hi\ntools: [one, two, calculator]\n"
    root = project(
        {
            "runner.yaml": "version: '1'\n",
            "agent.yaml": agent,
            "deep.yaml": agent.replace("two", "three"),
            "tools.d/one.yaml": toolset("one"),
            "tools.d/folder/two.yml": toolset("two"),
            "tools.d/folder/deep/three.yaml": toolset("three"),
            "tools.d/.hidden.yaml": "- not ours",
            "tools.d/mine.py": "def f(): ...\n",
            "tools.d/folder/mine.py": "def f(): ...\n",
        }
    )

    found = spec(root)

    assert [tool.name for tool in found.tools] == ["one", "two", "calculator"]
    assert found.tools[1].folder == str((root / "tools.d" / "folder").resolve())
    assert found.tools[1].origin == "tools.d/folder/two.yml:3"
    assert messages(compiled(root, "deep.yaml")) == ["deep.yaml:4:14: unknown tool 'three'"]


def test_a_tool_of_the_project_replaces_one_of_the_toolkit(project: Write) -> None:
    root = project(
        {
            "agents.d/a.yaml": "name: a\nmodel: openai/x\nprompt: hi\ntools: [calculator]\n",
            "tools.d/mine.yaml": toolset("calculator"),
            "tools.d/mine.py": "def f(): ...\n",
        }
    )

    assert spec(root, "agents.d/a.yaml").tools[0].settings == {"function": "mine:f"}


def test_an_agent_reports_only_the_toolsets_it_uses(project: Write) -> None:
    agent = "name: a\nmodel: openai/x\nprompt: hi\ntools: [{}]\n"
    root = project(
        {
            "agents.d/good.yaml": agent.format("good"),
            "agents.d/bad.yaml": agent.format("bad"),
            "agents.d/none.yaml": "name: a\nmodel: openai/x\nprompt: hi\n",
            "tools.d/good.yaml": toolset("good"),
            "tools.d/bad.yaml": toolset("bad") + "  - {name: other, type: python, function: 'gone:f'}\nextra: 1\n",
            "tools.d/worse.yaml": "kind: [\n",
            "tools.d/mine.py": "def f(): ...\n",
        }
    )

    assert messages(compiled(root, "agents.d/good.yaml")) == []
    assert messages(compiled(root, "agents.d/none.yaml")) == []
    assert [each.partition(": ")[0] for each in messages(compiled(root, "agents.d/bad.yaml"))] == [
        "tools.d/bad.yaml:5:1"
    ]


def test_a_broken_tool_stops_only_the_agents_that_use_it(project: Write) -> None:
    agent = "name: {0}\nmodel: openai/x\nprompt: hi\ntools: [{0}]\n"
    broken = "  - {name: gone, type: python, function: 'gone:f'}\n  - {name: odd, type: python, functoin: 'mine:f'}\n"
    root = project(
        {
            **{f"agents.d/{name}.yaml": agent.format(name) for name in ("first", "gone", "odd", "last")},
            "tools.d/mine.yaml": toolset("first")
            + broken
            + "  - {name: last, type: python, function: 'mine:f'}\nx-note: free\n",
            "tools.d/mine.py": "def f(): ...\n",
        }
    )

    found = {name: messages(compiled(root, f"agents.d/{name}.yaml")) for name in ("first", "gone", "odd", "last")}

    assert (found["first"], found["last"]) == ([], [])
    assert {each.partition(":")[2].partition(":")[0] for each in found["gone"]} == {"4"}
    assert {each.partition(":")[2].partition(":")[0] for each in found["odd"]} == {"5"}


def test_toolsets_are_not_read_for_an_agent_without_tools(project: Write) -> None:
    root = project({"agents.d/a.yaml": "name: a\nmodel: openai/x\nprompt: hi\n", "tools.d/x.yaml": "kind: [\n"})
    workspace = Workspace()

    compiled(root, "agents.d/a.yaml", cache=workspace)

    assert {path.name for path in workspace.documents} == {"a.yaml"}


# Projects


def test_the_root_is_the_nearest_folder_with_a_project_file_else_with_agents_else_the_own(project: Write) -> None:
    root = project(
        {
            "outer/runner.yaml": "",
            "outer/inner/agents.d/deep/.keep": "",
            "agents.d/.keep": "",
            "agents.d/sub/.keep": "",
        }
    )

    assert find_root(root / "outer" / "inner" / "agents.d" / "deep") == root / "outer"
    assert find_root(root / "agents.d" / "sub") == root
    (root / "agents.d").rename(root / "other")
    assert find_root(root / "other" / "sub") == root / "other" / "sub"


def test_what_runner_yaml_says_is_known_even_if_parts_of_it_are_wrong(project: Write) -> None:
    root = project({"runner.yaml": "python_packages: [acme, 3]\nextra: 1\n"})

    found = load_project(root)

    assert found.spec.python_packages == ("acme",)
    assert [each.code for each in found.diagnostics] == ["RUN203", "RUN201"]


def test_defaults_of_the_project_lie_below_everything(project: Write) -> None:
    root = project(
        {
            "runner.yaml": """
                defaults:
                  model: {name: openai/d, temperature: 0, api_base: 'http://d'}
                  limits: {max_steps: 5, timeout: 1m}
            """,
            "agents.d/plain.yaml": "name: a\nprompt: hi\nlimits: {timeout: 2m}\n",
            "agents.d/named.yaml": "name: a\nprompt: hi\nmodel: openai/own\n",
            "agents.d/unnamed.yaml": "name: a\nprompt: hi\nmodel: {max_tokens: 9}\n",
        }
    )

    plain = spec(root, "agents.d/plain.yaml")
    named = spec(root, "agents.d/named.yaml").model
    unnamed = spec(root, "agents.d/unnamed.yaml").model

    assert (plain.model.name, plain.model.origin) == ("openai/d", "runner.yaml:2")
    assert (plain.limits.max_steps, plain.limits.timeout) == (5, 120.0)
    assert (named.name, named.temperature, named.api_base) == ("openai/own", 0, None)
    assert (unnamed.name, unnamed.max_tokens, unnamed.api_base and unnamed.api_base.value) == (
        "openai/d",
        9,
        "http://d",
    )


@pytest.mark.parametrize("key", ["prompt: hi\ninstructions_file: p", "prompt_file: p", "prompt: '{% include \"p\" %}'"])
@pytest.mark.timeout(20)  # opening a pipe waits for ever
def test_a_pipe_is_refused_unopened(tmp_path: Path, key: str) -> None:
    os.mkfifo(tmp_path / "p")
    (tmp_path / "a.yaml").write_text(f"name: a\nmodel: openai/x\n{key}\n", encoding="utf-8")

    compiled = compile_agent(tmp_path / "a.yaml")

    assert "not a regular file" in " ".join(diagnostic.message for diagnostic in compiled.diagnostics)
