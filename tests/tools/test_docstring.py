"""Docstrings as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.tools.docstring import read_docstring

# Field bug B41: the text of multi-line entries, of other styles, and of docstrings that open with a section was lost.
GOOGLE = """Search.

    Args:
        mode (str): One of:
            - fast: x
            - deep: y
        query (str, optional) : What to search
            for.
        *rest: More words.

    Returns:
        limit: not a parameter
    """
NUMPY = """Search.

    Parameters
    ----------
    mode : {'fast', 'deep'}
        One of:

        - fast: x
        - deep: y
    x, y : int
        Where.
    query
        What to search
        for.

    Returns
    -------
    limit : int
        Not a parameter.
    """
REST = """Search.

    :param mode: One of:
        - fast: x
        - deep: y
    :param dict[str, int] query: What to search
        for.
    :type query: str
    :returns: limit: not a parameter
    """


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, REST])
def test_every_style_gives_the_whole_text_of_every_parameter(text: str) -> None:
    found = read_docstring(text)

    assert found.summary == "Search."
    assert found.parameters["mode"].replace("\n\n", "\n") == "One of:\n- fast: x\n- deep: y"
    assert found.parameters["query"] == "What to search\nfor."
    assert "limit" not in found.parameters


def test_one_numpy_entry_can_describe_several_parameters() -> None:
    found = read_docstring(NUMPY).parameters

    assert (found["x"], found["y"]) == ("Where.", "Where.")


def test_a_starred_parameter_is_found_by_its_name() -> None:
    assert read_docstring(GOOGLE).parameters["rest"] == "More words."


def test_a_docstring_may_open_with_its_arguments() -> None:
    found = read_docstring("""Args:
        query: What to search.
        mode (str): How.
    """)

    assert found.summary == ""
    assert found.parameters == {"query": "What to search.", "mode": "How."}


def test_a_docstring_may_open_with_its_arguments_and_go_on_with_another_section() -> None:
    found = read_docstring("""Args:
            query: What to search.

        Returns:
            hits: What was found.
    """)

    assert found.parameters == {"query": "What to search."}


def test_no_empty_line_is_needed_before_a_section() -> None:
    found = read_docstring("Search.\nArgs:\n  query: What.\nReturns:\n  hits: Found.")

    assert (found.summary, dict(found.parameters)) == ("Search.", {"query": "What."})


def test_a_line_without_a_colon_loses_nothing_but_its_place() -> None:
    found = read_docstring("Search.\n\nArgs:\n    query: What to\n    search for.\n    mode: How.\n")

    assert found.parameters == {"query": "What to\nsearch for.", "mode": "How."}


def test_a_description_may_start_on_the_next_line() -> None:
    assert read_docstring("S.\n\nArgs:\n    query:\n        What.\n").parameters == {"query": "What."}


def test_keyword_arguments_have_a_section_of_their_own() -> None:
    found = read_docstring("S.\n\nArgs:\n    a: First.\n\nKeyword Args:\n    b: Second.\n").parameters

    assert found == {"a": "First.", "b": "Second."}


def test_a_type_may_contain_brackets_and_colons() -> None:
    assert read_docstring("S.\n\nArgs:\n  a (Literal['x: y']): First.").parameters == {"a": "First."}


def test_a_wrapped_summary_becomes_one_line() -> None:
    assert (
        read_docstring("""Search for
    things.

    Slowly.""").summary
        == "Search for things."
    )


def test_epytext_is_read_as_well() -> None:
    assert read_docstring("S.\n\n@param query: What.\n@type query: str").parameters == {"query": "What."}


@pytest.mark.parametrize("text", [None, "", "   ", "\n\n"])
def test_no_docstring_gives_no_descriptions(text: str | None) -> None:
    found = read_docstring(text)

    assert (found.summary, dict(found.parameters)) == ("", {})


NAMES = st.sampled_from(["query", "mode", "x", "limit_2"])
LINES = st.lists(
    st.sampled_from(
        [
            "Args:",
            "Parameters",
            "----------",
            ":param q: t",
            ":param",
            "@param:",
            "    a: b",
            "  a (",
            "a : int",
            "",
            "\t*",
            "Returns:",
        ]
    )
    | st.text(max_size=20)
)


@given(LINES)
def test_any_text_is_read_without_an_exception(lines: list[str]) -> None:
    found = read_docstring("\n".join(lines))

    assert "\n" not in found.summary


@given(st.dictionaries(NAMES, st.from_regex(r"[A-Z][a-z]{0,9}( [a-z:-]{1,9}){0,3}", fullmatch=True), min_size=1))
def test_what_is_written_in_any_style_is_read_back(described: dict[str, str]) -> None:
    google = "Do.\n\nArgs:\n" + "".join(f"    {name} (int): {text}\n" for name, text in described.items())
    numpy = "Do.\n\nParameters\n----------\n" + "".join(
        f"{name} : int\n    {text}\n" for name, text in described.items()
    )
    rest = "Do.\n\n" + "".join(f":param int {name}: {text}\n" for name, text in described.items())

    for text in (google, numpy, rest):
        assert read_docstring(text).parameters == described
