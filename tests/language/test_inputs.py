import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.inputs import InputError, needs_text, parse_assignments, resolve_inputs
from runner.language.compiler import compile_agent
from runner.spec import AgentSpec
from tests.language.projects import Write

AGENT = """
name: a
model: openai/x
prompt: "{{ input }} {{ city }} {{ count }} {{ tags }} {{ level }} {{ free }} {{ note }}"
inputs:
  city: {type: string, description: City to report on}
  count: {type: integer, default: 3, minimum: 1}
  tags: {type: array, items: {type: string}, default: []}
  level: {enum: [low, high, 3], default: low}
  free: {default: null}
  note: {type: [string, "null"], default: ""}
"""


@pytest.fixture
def agent(project: Write) -> AgentSpec:
    return spec(project, AGENT)


def spec(project: Write, text: str, **files: str) -> AgentSpec:
    root = project({"agent.yaml": text, **{name.replace("__", "/"): content for name, content in files.items()}})
    compiled = compile_agent(root / "agent.yaml")
    assert compiled.spec is not None, compiled.diagnostics
    return compiled.spec


def error(call: Callable[..., object], *args: object, **kwargs: object) -> InputError:
    with pytest.raises(InputError) as caught:
        call(*args, **kwargs)
    assert "\n" not in str(caught.value)
    return caught.value


def test_defaults_fill_in_what_is_not_given(agent: AgentSpec) -> None:
    assert resolve_inputs(agent, {"city": "Oslo"}, text="Hi") == {
        "input": "Hi",
        "city": "Oslo",
        "count": 3,
        "tags": [],
        "level": "low",
        "free": None,
        "note": "",
    }


@pytest.mark.parametrize(
    ("assignment", "value"),
    [
        ("city=Oslo", "Oslo"),
        ("city=3", "3"),
        ("city=a=b", "a=b"),
        ("city=", ""),
        ('city="quoted"', '"quoted"'),
        ("count=5", 5),
        ('tags=["a", "b"]', ["a", "b"]),
        ("level=high", "high"),
        ("level=3", 3),
        ("level=nope", "nope"),
        ("free=true", "true"),
        ("note=null", "null"),
    ],
)
def test_text_stays_text_where_text_is_taken_and_is_json_elsewhere(
    agent: AgentSpec, assignment: str, value: object
) -> None:
    name = assignment.partition("=")[0]

    assert parse_assignments(agent, [assignment]) == {name: value}


@pytest.mark.parametrize(
    ("assignments", "words", "refused"),
    [
        (["city"], "expected an input as name=value, found 'city'", False),
        (["=x"], "expected an input as name=value", False),
        (["citty=Oslo"], "unknown input 'citty': did you mean 'city'?", False),
        (["wholly=x"], "it takes city, count, tags, level, free, note", False),
        (["input=Hi"], "'input' is the text of the run", False),
        (["city=a", "city=b"], "given twice", False),
        (["count=many"], "expected integer, found 'many'", True),
        (["tags=a,b"], "expected array, found 'a,b'", True),
        (["tags=" + "[" * 100_000], "expected array", True),
    ],
)
def test_wrong_assignments_are_explained(agent: AgentSpec, assignments: list[str], words: str, refused: bool) -> None:
    found = error(parse_assignments, agent, assignments)

    assert words in str(found)
    assert found.refused is refused


@pytest.mark.parametrize(
    ("given", "words", "refused"),
    [
        ({}, "input 'city' (City to report on) is missing: give it with -i city=…", False),
        ({"city": "x", "cuont": 1}, "did you mean 'count'?", False),
        ({"city": "x", "input": "y"}, "'input' is the text of the run", False),
        ({"city": 3}, "city: expected text, found the number 3", True),
        ({"city": "x", "count": 0}, "count: ", True),
        ({"city": "x", "count": "3"}, "count: expected a whole number, found the text '3'", True),
        ({"city": "x", "tags": ["a", 1]}, "tags[1]: expected text", True),
        ({"city": "x", "free": math.nan}, "NaN and Infinity are not JSON", True),
        ({"city": "x", "free": [math.inf]}, "NaN and Infinity are not JSON", True),
        ({"city": "x", "free": object()}, "expected a JSON value", True),
        ({"city": "x", "free": b"x"}, "expected a JSON value", True),
    ],
)
def test_values_that_do_not_fit_are_explained(
    agent: AgentSpec, given: dict[str, object], words: str, refused: bool
) -> None:
    found = error(resolve_inputs, agent, given, text="Hi")

    assert words in str(found)
    assert found.refused is refused


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "1e999", "[1e999]"])
def test_numbers_that_json_cannot_hold_are_refused_from_the_command_line_too(
    project: Write, text: str
) -> None:  # field bug B70
    numbers = spec(project, "name: a\nmodel: openai/x\nprompt: '{{ x }}'\ninputs: {x: {type: [number, array]}}\n")

    found = error(resolve_inputs, numbers, parse_assignments(numbers, [f"x={text}"]))

    assert found.refused


def test_a_value_that_contains_itself_is_refused(agent: AgentSpec) -> None:
    circle: list[object] = []
    circle.append(circle)

    assert "contains itself" in str(error(resolve_inputs, agent, {"city": "x", "free": circle}, text="Hi"))


def test_values_are_copies_made_of_json(agent: AgentSpec) -> None:
    tags = ["a"]

    values = resolve_inputs(agent, {"city": "x", "tags": tags, "free": {1: ("b",)}}, text="Hi")

    assert values["free"] == {"1": ["b"]}
    assert values["tags"] is not tags


def test_a_needed_text_that_is_not_given_is_a_usage_error(agent: AgentSpec) -> None:
    found = error(resolve_inputs, agent, {"city": "x"})

    assert "needs an input text" in str(found)
    assert not found.refused


@pytest.mark.parametrize(
    ("fields", "needed"),
    [
        ("instructions: hi", True),  # the default prompt is the text
        ("prompt: hi", False),
        ("prompt: '{{ input }}'", True),
        ("{prompt: hi, instructions: 'About {{ input }}'}", True),
        ("prompt: '{{ input | default(1) }}'", False),
        ("prompt: '{% if input is defined %}{{ input }}{% endif %}'", False),
        ("prompt: \"{% include 'part.md' %}\"", True),
        ("prompt: \"{% include 'other.md' %}{% include 'gone.md' ignore missing %}\"", False),
    ],
)
def test_whether_a_text_is_needed_is_known_from_the_templates(project: Write, fields: str, needed: bool) -> None:
    lines = fields.strip("{}").split(", ") if fields.startswith("{") else [fields]
    text = "\n".join(["name: a", "model: openai/x", *lines])

    found = spec(project, text, **{"part.md": "{% include 'deep.md' %}", "deep.md": "{{ input }}", "other.md": "x"})

    assert needs_text(found) is needed
    values = resolve_inputs(found, text=None if not needed else "Hi")
    assert values == ({"input": "Hi"} if needed else {})


@given(
    value=st.recursive(
        st.none() | st.booleans() | st.floats() | st.text() | st.binary(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
        max_leaves=8,
    )
)
def test_any_value_is_taken_or_refused(any_agent: AgentSpec, value: object) -> None:
    try:
        values = resolve_inputs(any_agent, {"x": value})
    except InputError as refused:
        assert refused.refused  # noqa: PT017 - either way is right, nothing else may be raised
    else:
        assert values.keys() == {"x"}


@pytest.fixture(scope="module")
def any_agent(tmp_path_factory: pytest.TempPathFactory) -> AgentSpec:
    file = tmp_path_factory.mktemp("any") / "agent.yaml"
    file.write_text("name: a\nmodel: openai/x\nprompt: '{{ x }}'\ninputs: {x: {}}\n")
    compiled = compile_agent(file)
    assert compiled.spec is not None
    return compiled.spec
