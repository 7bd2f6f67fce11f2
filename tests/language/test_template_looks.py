"""How the names of a template lead to the schemas of its inputs; the golden case `template-looks` has the places."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.language.compiler import compile_agent
from runner.prompts import ITEM, read_template
from runner.spec import Json
from tests.language.projects import Write

INPUTS = """\
inputs:
  user: {type: object, properties: {name: {type: string}, tags: {type: array, items: {type: string}}}}
  rows: {type: array, items: {type: object, properties: {id: {type: integer}}, additionalProperties: false}}
  pair: {type: [string, object], properties: {a: {}}}
  free: {}
  either: {type: [string, "null"]}
"""


def chains(source: str) -> list[tuple[str, ...]]:
    return [access.names for access in read_template(source).accesses]


def told(root: Path, template: str) -> list[str]:
    text = f"name: a\nmodel: openai/x\n{INPUTS}instructions: '{{{{ user }}}}{{{{ rows }}}}{{{{ pair }}}}'\nprompt: |\n"
    text += "  {{ free }}{{ either }}" + template + "\n"
    (root / "a.yaml").write_text(text, encoding="utf-8")
    return [f"{each.code}: {each.message}" for each in compile_agent(root / "a.yaml").diagnostics]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{% for r in rows %}{{ r.id }}{% endfor %}", ("rows", ITEM, "id")),
        ("{% for r in user.rows %}{{ r['id'] }}{% endfor %}", ("rows", ITEM, "id")),
        ("{{ rows[0].id }}", ("rows", ITEM, "id")),
        ("{% for r in rows | sort(attribute='id') | list %}{{ r.id }}{% endfor %}", ("rows", ITEM, "id")),
        ("{% for t in table %}{% for c in t %}{{ c.id }}{% endfor %}{% endfor %}", ("table", ITEM, ITEM, "id")),
        ("{% set u = user %}{% set v = u.a %}{{ v.b }}", ("user", "a", "b")),
        ("{% with u = user.a %}{{ u.b }}{% endwith %}", ("user", "a", "b")),
        ("{% for r in a %}{{ r.x }}{% endfor %}{% for r in a %}{{ r.x }}{% endfor %}", ("a", ITEM, "x")),
    ],
)
def test_names_given_to_values_lead_back_to_them(source: str, expected: tuple[str, ...]) -> None:
    expected = ("user", *expected) if "user.rows" in source else expected
    assert expected in chains(source)


@pytest.mark.parametrize(
    "source",
    [
        "{% for r in a %}{{ r.x }}{% endfor %}{% for r in b %}{{ r.x }}{% endfor %}",
        "{% for r, s in a %}{{ r.x }}{% endfor %}",
        "{% for r in a.items() %}{{ r.x }}{% endfor %}",
        "{% for r in a | groupby('x') %}{{ r.x }}{% endfor %}",
        "{{ r.x }}{% for r in a %}{% endfor %}",
        "{% macro m(r) %}{{ r.x }}{% endmacro %}{% set r = a %}",
        "{% set r = r %}{{ r.x }}",
        "{% set r = s %}{% set s = r %}{{ r.x }}",
        "{% set r %}text{% endset %}{{ r.x }}",
    ],
)
def test_a_name_that_may_be_several_things_leads_nowhere(source: str) -> None:
    assert all(chain == ("r", "x") for chain in chains(source) if chain[-1] == "x")


@pytest.mark.parametrize(
    "template",
    [
        "{{ user.name.upper() }} {{ user.tags[0] }} {{ rows[0].id }} {{ rows | length }}",
        "{{ pair.b }} {{ free.x.y }} {{ either.z }} {{ user.other }}",
        "{% for r in rows %}{{ r.id }} {{ loop.index }}{% endfor %}",
        "{% for k, v in user.items() %}{{ k }}{{ v.x }}{% endfor %}",
        "{{ user.nam | default('') }} {% if rows[0].x is defined %}{% endif %}",
        "{% for user in rows %}{{ user.id }}{% endfor %}",
    ],
)
def test_what_may_be_there_is_no_mistake(tmp_path: Path, template: str) -> None:
    assert told(tmp_path, template) == []


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{{ user.nmae }}", "'user' declares no 'nmae'"),
        ("{% for r in rows %}{{ r.name }}{% endfor %}", "'rows[]' declares no 'name'"),
        ("{% for t in user.tags %}{{ t.x }}{% endfor %}", "'user.tags[]' is text and has no 'x'"),
        ("{{ user.tags.first }}", "'user.tags' is a list and has no 'first'"),
        ("{{ rows[0].id.x }}", "'rows[].id' is a whole number and has no 'x'"),
        ("{{ input.x }}", "'input' is text and has no 'x'"),
    ],
)
def test_what_cannot_be_there_is_told(tmp_path: Path, template: str, message: str) -> None:
    assert told(tmp_path, template) == [f"RUN407: {message}"]


def test_each_use_of_a_key_has_a_place_of_its_own() -> None:
    source = "{{ a.x if b.x else c.x }}{{ a.x.x }}"
    found = [source[slice(*access.mark.place(source))] for access in read_template(source).accesses]
    places = {access.names: access.mark.place(source)[0] for access in read_template(source).accesses}
    assert set(found) == {"x"}
    assert places["a", "x", "x"] == source.rindex("x")
    assert places["b", "x"] == source.index("b.x") + 2
    assert places["c", "x"] == source.index("c.x") + 2


@given(st.text(alphabet="{}%|.[]()' abrxinfoset=0", max_size=60), st.sampled_from(["{{ %s }}", "{%% %s %%}"]))
def test_any_template_can_be_read(text: str, frame: str) -> None:
    reading = read_template(frame % text)
    assert all(len(access.names) > 1 for access in reading.accesses)


@pytest.mark.parametrize("schema", [None, 3, "x", [], {"type": ["string"]}, {"properties": 3}, {"items": [1]}])
def test_a_schema_that_is_none_is_left_to_the_schema_check(project: Write, schema: Json) -> None:

    text = f"name: a\nmodel: openai/x\ninputs: {{x: {json.dumps(schema)}}}\nprompt: '{{{{ x.y.z }}}}{{{{ x[0].y }}}}'\n"
    found = compile_agent(project({"a.yaml": text}) / "a.yaml").diagnostics
    assert all(each.code.startswith("RUN2") for each in found)
