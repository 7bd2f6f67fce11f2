"""Templates of requests, and amounts of data: what the author wrote and what an argument gave stay apart."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.language.sizes import size_in_bytes
from runner.prompts import Absent, Piece, PromptError, Written, render_pieces
from runner.spec import Json, Text

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


def pieces(template: str, **variables: Json) -> tuple[Piece, ...]:
    return render_pieces(Text(value=template, origin="tools.d/x.yaml:3"), variables)


@given(JSON_VALUES)
def test_a_value_keeps_its_type_and_is_never_read(value: Json) -> None:
    assert pieces("a{{ x }}b", x=value) == ("a", Written(value=value), "b")


@pytest.mark.parametrize(
    ("template", "variables", "expected"),
    [
        ("", {}, ()),
        ("plain", {}, ("plain",)),
        ("{{ x.y }}", {"x": {"y": [1]}}, (Written(value=[1]),)),
        ("{{ x or 'd' }}", {}, (Written(value="d"),)),
        ("{{ x | default(3) }}", {}, (Written(value=3),)),
        ("{% if x %}a{% endif %}b", {}, ("b",)),
        ("{{ x is defined }}{{ x == y }}", {}, (Written(value=False), Written(value=True))),
        ("{{ x | map('upper') }}", {"x": ["a"]}, (Written(value=["A"]),)),
        ("{% set y %}<{{ x }}>{% endset %}{{ y | upper }}", {"x": "q"}, (Written(value="<Q>"),)),
        ("{% set y %}{{ x }}{% endset %}{{ y }}", {"x": 5}, (Written(value="5"),)),
        ("{% macro m(y) %}<{{ y }}>{% endmacro %}{{ m(x) }}", {"x": True}, (Written(value="<true>"),)),
        ("{% for t in x %}{{ t }},{% endfor %}", {"x": [1]}, (Written(value=1), ",")),
        ("{% set y %}{{ x }}{% endset %}{{ y }}", {}, (Absent(name="x"),)),
    ],
)
def test_what_a_template_writes(template: str, variables: dict[str, Any], expected: Any) -> None:
    assert pieces(template, **variables) == expected


@pytest.mark.parametrize(
    "template", ["{{ x }}", "{{ x.y.z }}", "{{ x | upper }}", "{{ 'a' ~ x }}", "{{ [x] }}", "{{ x | join(',') }}"]
)
def test_a_variable_that_is_not_there_is_named(template: str) -> None:
    assert pieces(template) == (Absent(name="x"),)


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{{ x", "tools.d/x.yaml:3: unexpected end of template"),
        ("\n{{ x.__class__ }}", "tools.d/x.yaml:4: access to attribute '__class__'"),
        ("{{ y.__class__ }}", "is unsafe"),
        ("{{ range }}", "is a function"),
        ("{{ 1 / 0 }}", "division by zero"),
        ("{{ 'x' * 99999999 }}", "characters"),
        ("\n{% filter upper %}{{ x }}{% endfilter %}", "x.yaml:4: a request cannot have a {% filter %}"),
        ("{% if x %}{% call x() %}{{ x }}{% endcall %}{% endif %}", "cannot have a {% call %}"),
        ("{% block a %}{{ x }}{% endblock %}", "cannot have a {% block %}"),
        ("{% include 'a' %}", "a"),
    ],
)
def test_a_wrong_template_says_what_and_where(template: str, message: str) -> None:
    with pytest.raises(PromptError) as caught:
        pieces(template, x=1)

    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("written", "expected"),
    [(65536, 65536), ("500kB", 500_000), ("1MB", 10**6), ("1.5MiB", 1_572_864), ("2GB", 2 * 10**9), ("1B", 1)],
)
def test_amounts_of_data(written: int | str, expected: int) -> None:
    assert size_in_bytes(written) == expected


@pytest.mark.parametrize("written", ["", "1", "MB", "1 MB", "1mb", "1Mb", "-1MB", "1MB\n"])
def test_what_is_no_amount_of_data(written: str) -> None:
    with pytest.raises(ValueError, match="expected a number of bytes"):
        size_in_bytes(written)
