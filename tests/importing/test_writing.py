"""YAML that is written is read as the same data."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.importing.writing import mapping_lines, scalar
from runner.language.document import parse_document
from runner.spec import Json

TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    st.text("ab \n\t#:-{}'\"|>\r\x85\u2028\x7f", max_size=10),
    st.sampled_from(["010", "1e3", "yes", "true", "null", "~", "a: b", "a #b", "- x", "1:20", "?", ".inf", "<<", "="]),
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=8,
)


@given(st.dictionaries(TEXTS, VALUES, min_size=1, max_size=4))
def test_any_data_is_read_back_as_it_was(data: dict[str, Json]) -> None:
    text = "\n".join([*mapping_lines(data, {key: ["why"] for key in data}), ""])

    document, problems = parse_document(text.encode(), display="x")

    assert problems == []
    assert document is not None
    assert document.data == data


@pytest.mark.parametrize(
    ("value", "written"),
    [("a b", "a b"), ("yes", "yes"), ("010", '"010"'), ("null", '"null"'), ("é", '"é"'), (True, "true"), (1.5, "1.5")],
)
def test_a_scalar_has_quotes_only_if_it_needs_them(value: Json, written: str) -> None:
    assert scalar(value) == written


def test_a_text_over_several_lines_is_a_block() -> None:
    data = {"a": {"b": "one\n\n  two\n"}, "c": ["x\ny"]}

    assert mapping_lines(data, {"c": ["why"]}) == [
        *("a:", "  b: |", "    one", "", "      two"),
        *("# why", "c:", "  - |-", "    x", "    y"),
    ]
