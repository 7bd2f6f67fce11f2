"""Paths and characters of values -> places in the file."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from runner.diagnostics import Span
from runner.language.document import Document, Path, parse_document
from runner.language.yaml12.nodes import MappingNode, Node, ScalarNode, Trouble, compose

TEXT = """\
# a comment
name: weather   # the name
model: {name: openai/x, "max tokens": 8}
tools:
  - get_weather
  - name: geo
    type: python
  # trailing comment

limits: &common
  max_steps: 3
  timeout: 5m
empty:
nothing: [ ]
tagged: !!str &a 12
instructions: |
  First line.

    Indented {{ city }}.
x-more:
  <<: *common
  max_steps: 9
"""


def document(text: str = TEXT) -> Document:
    found, problems = parse_document(text.encode(), display="agent.yaml")
    assert problems == []
    assert found is not None
    return found


def shown(found: Document, span: Span) -> str:
    """The text of a span of one line."""
    assert span.line == span.end_line
    return found.line(span.line)[span.column - 1 : span.end_column - 1]


@pytest.mark.parametrize(
    ("path", "key", "place", "text"),
    [
        (("name",), False, (2, 7), "weather"),
        (("name",), True, (2, 1), "name"),
        (("model",), False, (3, 8), '{name: openai/x, "max tokens": 8}'),
        (("model", "max tokens"), True, (3, 25), '"max tokens"'),
        (("model", "max tokens"), False, (3, 39), "8"),
        (("tools", 0), False, (5, 5), "get_weather"),
        (("tools", 0), True, (5, 5), "get_weather"),
        (("tools", 1), True, (6, 5), "name"),
        (("tools", 1, "type"), False, (7, 11), "python"),
        (("empty",), False, (13, 1), "empty"),
        (("nothing",), False, (14, 10), "[ ]"),
        (("nothing",), True, (14, 1), "nothing"),
        (("nothing", 0), True, (14, 1), "nothing"),
        (("model", "name", "x"), True, (3, 9), "name"),
        (("tagged",), False, (15, 18), "12"),
        (("x-more", "timeout"), False, (12, 12), "5m"),
        (("x-more", "max_steps"), False, (22, 14), "9"),
        ((), True, (2, 1), "name"),
        # What does not exist is looked up as far as it does.
        (("limits", "max_step"), False, (10, 1), "limits"),
        (("tools", 7, "name"), False, (4, 1), "tools"),
        (("tools", 1, "function"), False, (6, 5), "name"),
        (("name", "deeper", 3), False, (2, 1), "name"),
        (("unknown",), True, (2, 1), "name"),
    ],
)
def test_a_path_is_found_in_the_text(path: Path, key: bool, place: tuple[int, int], text: str) -> None:
    found = document()

    span = found.span(path, key=key)

    assert (span.line, span.column) == place
    assert shown(found, span) == text


def test_what_has_no_key_is_named_by_its_first_token() -> None:
    found = document("a: [[1, 2], {b: c}]\nd:\n- - e\n- x: y")

    places = [found.span(path, key=True) for path in (("a", 0), ("a", 1), ("d", 0), ("d", 1))]

    assert [shown(found, place) for place in places] == ["[", "{", "-", "x"]


def test_a_block_ends_at_its_last_character_not_at_what_follows() -> None:
    found = document()

    assert found.span(("tools",)) == Span(line=5, column=3, end_line=7, end_column=17)
    assert found.span(("limits",)) == Span(line=11, column=3, end_line=12, end_column=14)
    assert found.span(("instructions",)) == Span(line=16, column=15, end_line=19, end_column=25)


@pytest.mark.parametrize(
    ("path", "there"),
    [
        ((), True),
        (("tools", 1, "type"), True),
        (("tools", -1), False),
        (("tools", 2), False),
        (("empty",), True),
        (("empty", "x"), False),
        (("x-more", "timeout"), True),
        (("name", 0), False),
    ],
)
def test_has_follows_the_data(path: Path, there: bool) -> None:
    assert document().has(path) is there


def test_columns_count_characters_and_lines_end_as_in_editors() -> None:
    found = document("a: é😀字\r\nb: [字, x]\rc: '\u2028d'\ne: 1")

    assert found.span(("b", 1)).column == 8
    assert (found.line(1), found.line(2), found.line(4), found.line(5), found.line(0)) == (
        "a: é😀字",
        "b: [字, x]",
        "e: 1",
        "",
        "",
    )
    assert (found.span(("e",)).line, found.span(("e",)).column) == (4, 4)


def test_a_diagnostic_carries_place_source_and_what_it_was_given() -> None:
    problem = document().diagnostic("RUN301", "no", ("tools", 0), suggestion="did you mean 'x'?", severity="warning")

    assert str(problem.location) == "agent.yaml:5:5"
    assert (problem.source, problem.suggestion, problem.severity) == (
        "  - get_weather",
        "did you mean 'x'?",
        "warning",
    )


@pytest.mark.parametrize(
    "scalar",
    [
        "|\n  Report {{ city }}.",
        "|2-  # note\n\n    more\n  {{ city }}",
        "|\n\n\n  {{ city }}\n\n  {{ unit }}\n",
        "|2+\n  \ttab {{ city }}",
        ">\n  folded\n  over {{ city }}\n\n  lines",
        "Report {{ city }} now  # comment",
        "plain over\n  two {{ city }}\n  lines",
        "'it''s {{ city }}'",
        "'it''s\n\n  {{ city }}'",
        '"a \\"quote\\", \\u00e9\\t\\x41 {{ city }}"',
        '"a\\\n    b\n  {{ city }} "',
        '!!str &a "{{ city }}"',
        "&b\n  '{{ city }}'",
    ],
)
def test_characters_of_a_value_are_found_in_every_style_of_scalar(scalar: str) -> None:
    found = document(f"first: 1\ntext: {scalar}\nlast: 2")
    value = found.data["text"]
    start = value.index("{{ city }}")

    assert shown(found, found.inside(("text",), start, start + 10)) == "{{ city }}"
    assert shown(found, found.inside(("text",), start + 3, start + 7)) == "city"
    assert shown(found, found.inside(("text",), start + 2, start + 3)) == " "
    assert shown(found, found.inside(("text",), start, start)) == ""


def test_indentation_and_line_ends_inside_a_block_have_places_too() -> None:
    found = document("text: |\n  a\n\n    b\n")
    assert found.data["text"] == "a\n\n  b\n"

    places = [found.inside(("text",), index, index + 1) for index in range(7)]

    assert [(span.line, span.column) for span in places] == [(2, 3), (2, 4), (2, 4), (4, 3), (4, 4), (4, 5), (4, 6)]


def test_characters_of_what_is_no_text_are_the_whole_value() -> None:
    found = document("a: [1, 2]\nb:\nc: '  '")

    assert found.inside(("a",), 0, 1) == found.span(("a",))
    assert found.inside(("b",), 0, 0) == found.span(("b",))
    assert found.inside(("c",), 0, 1) == found.span(("c",))
    assert found.inside(("missing", 0), 3, 4) == found.span(("missing",))


LINES = st.lists(st.text(st.sampled_from("ab {}'\"\\é字#:-"), max_size=10), min_size=1, max_size=5)


@given(lines=LINES, style=st.sampled_from(["|", "|2", "'", '"']), data=st.data())
def test_every_visible_stretch_of_a_line_is_found_where_it_is_written(
    lines: list[str], style: str, data: st.DataObject
) -> None:
    if style.startswith("|"):
        assume(style == "|2" or not lines[0].startswith(" "))
        assume(lines[0].strip())
        written = f"{style}\n" + "\n".join(f"  {line}" for line in lines)
    else:
        text = " ".join(" ".join(lines).split())
        assume(text)
        escaped = text.replace("'", "''") if style == "'" else text.replace("\\", "\\\\").replace('"', '\\"')
        written = f"{style}{escaped}{style}"
    found = document(f"x: 1\ntext: {written}\ny: 2")
    value = found.data["text"]
    visible = [index for index, character in enumerate(value) if not character.isspace()]
    first = data.draw(st.sampled_from(visible))
    last = data.draw(st.sampled_from([index for index in visible if index >= first and "\n" not in value[first:index]]))

    place = shown(found, found.inside(("text",), first, last + 1))

    if style == "'":
        place = place.replace("''", "'")
    elif style == '"':
        place = place.replace('\\"', '"').replace("\\\\", "\\")
    assert place == value[first : last + 1]


# -- the two parsers of PyYAML ----------------------------------------------------------------------------------------


def skeleton(node: Node) -> object:
    marks = (node.tag, node.start_mark.index)
    if isinstance(node, ScalarNode):
        return (*marks, node.value, node.end_mark.index)
    if isinstance(node, MappingNode):
        return (*marks, [(skeleton(key), skeleton(value)) for key, value in node.value])
    return (*marks, [skeleton(item) for item in node.value])


def test_without_the_c_parser_the_same_tree_is_built() -> None:
    fast, slow = compose(TEXT), compose(TEXT, pure=True)

    assert isinstance(fast, Node)
    assert isinstance(slow, Node)
    assert skeleton(fast) == skeleton(slow)


@pytest.mark.parametrize(
    "text",
    ["a: [", "a: @b", "\x00", "a: \ud83d", 'a: "\\ud83d"', "a: *b", "a: 1\n---\nb: 1", "a: " + "[" * 500, "a: b: c"],
)
def test_without_the_c_parser_the_same_texts_are_refused(text: str) -> None:
    assert isinstance(compose(text, pure=True), Trouble)
