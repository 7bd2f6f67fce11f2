import json
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.engine.ports import ToolDefinition
from runner.parsing.inputs import read_input
from runner.parsing.json_text import NotJsonError
from runner.parsing.pairs import NotPairsError, read_pairs, write_pairs
from runner.spec import JsonObject


def tool(
    properties: JsonObject | None, required: tuple[str, ...] = (), definitions: JsonObject | None = None
) -> ToolDefinition:
    schema: JsonObject = {} if properties is None else {"properties": properties}
    return ToolDefinition(
        name="t",
        description="",
        parameters={"type": "object", **schema, "required": required, "$defs": definitions or {}},
    )


TEXT = tool({"q": {"type": "string"}})
NUMBER = tool({"n": {"type": "integer"}})
TAGS = tool({"tags": {"type": "array", "items": {"type": "string"}}})
SEARCH = tool({"query": {"type": "string"}, "limit": {"type": "integer"}, "on": {"type": "boolean"}}, ("query",))
TWO = tool({"a": {"type": "integer"}, "b": {"type": "integer"}}, ("a", "b"))
NOTHING = tool({})
UNKNOWN = tool(None)


@pytest.mark.parametrize(
    ("definition", "text", "arguments"),
    [
        (TEXT, "New York", {"q": "New York"}),
        (TEXT, '"New York"', {"q": "New York"}),
        (TEXT, "'New York'", {"q": "New York"}),
        (TEXT, "`New York`", {"q": "New York"}),
        (TEXT, '"a\\nb"', {"q": "a\nb"}),
        (TEXT, '"C:\\dir"', {"q": "C:\\dir"}),
        (TEXT, '"a" and "b"', {"q": '"a" and "b"'}),
        (TEXT, "it's", {"q": "it's"}),
        (TEXT, "'it's'", {"q": "'it's'"}),
        (TEXT, "5", {"q": "5"}),
        (TEXT, '["a"]', {"q": '["a"]'}),
        (TEXT, "null island", {"q": "null island"}),
        (TEXT, '"None"', {"q": "None"}),
        (TEXT, '""', {"q": ""}),
        (TEXT, "a\nb = 2", {"q": "a\nb = 2"}),
        (TEXT, "q=cats", {"q": "cats"}),
        (TEXT, "q: cats", {"q": "cats"}),
        (TEXT, "q = 1\nr = q", {"q": "q = 1\nr = q"}),
        (TEXT, "x == 1", {"q": "x == 1"}),
        (TEXT, "```python\nprint(1)\n  x\n```\nDone.", {"q": "print(1)\n  x"}),
        (TEXT, "```print(1)```", {"q": "print(1)"}),
        (TEXT, '"{\\"q\\": \\"cats\\"}"', {"q": "cats"}),
        (TEXT, '"{\\"json\\": 1}"', {"q": '{"json": 1}'}),
        (TEXT, '"{broken"', {"q": "{broken"}),
        (NUMBER, "5", {"n": 5}),
        (NUMBER, '"5"', {"n": "5"}),
        (NUMBER, "five", {"n": "five"}),
        (NUMBER, "n=5", {"n": 5}),
        (TAGS, '["a", "b"]', {"tags": ["a", "b"]}),
        (TAGS, '["a", "b"] are the tags', {"tags": ["a", "b"]}),
        (TAGS, "[]", {"tags": []}),
        (SEARCH, "cats", {"query": "cats"}),
        (SEARCH, "cats, dogs", {"query": "cats, dogs"}),
        (SEARCH, "query=cats, dogs; limit=3", {"query": "cats, dogs", "limit": 3}),
        (SEARCH, "query: cats\nlimit: 3\non: True", {"query": "cats", "limit": 3, "on": True}),
        (SEARCH, "see https://x.org/?limit=3", {"query": "see https://x.org/?limit=3"}),
        (TWO, "a=1 b=2", {"a": 1, "b": 2}),
        (TWO, 'The input is {"a": 1, "b": 2}.', {"a": 1, "b": 2}),
        (TWO, '"{\\"a\\": 1}"', {"a": 1}),
        (NOTHING, "the current time", {}),
        (NOTHING, '""', {}),
        (UNKNOWN, '{"x": 1}', {"x": 1}),
        (UNKNOWN, "", {}),
        (TWO, "N/A", {}),
    ],
)
def test_what_an_input_means(definition: ToolDefinition, text: str, arguments: object) -> None:
    assert read_input(text, definition) == arguments


@pytest.mark.parametrize(
    ("definition", "text", "problem"),
    [
        (TWO, "2, 3", """expected one JSON object such as {"a": …, "b": …}, found '2, 3'"""),
        (TWO, "a=1, c=2", "expected one JSON object"),
        (TWO, "a=1, a=2", "expected one JSON object"),
        (TWO, '{"a": 1}{"a": 2}', "found several JSON objects where one was expected"),
        (TWO, 'either {"a": 1} or {"a": 2}', "expected one JSON object"),
        (TWO, "[1, 2]", "expected one JSON object"),
        (TWO, "{'a': 1}", "invalid JSON at line 1 column 2: Expecting property name enclosed in double quotes"),
        (TWO, '{"a": NaN}', "NaN is not a JSON number"),
        (SEARCH, '"cats", limit=3', "expected one JSON object"),
        (TEXT, "{broken", "invalid JSON at line 1 column 2"),
        (UNKNOWN, "cats", "expected one JSON object"),
    ],
)
def test_what_could_only_be_guessed_is_refused(definition: ToolDefinition, text: str, problem: str) -> None:
    with pytest.raises(NotJsonError) as raised:
        read_input(text, definition)

    assert str(raised.value).startswith(problem)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": ["string", "null"]}, "5"),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "5"),
        ({"enum": ["5", "6"]}, "5"),
        ({"const": "5"}, "5"),
        ({"$ref": "#/$defs/S"}, "5"),
        ({"$ref": "#/$defs/Loop"}, 5),
        ({"$ref": "https://example.org/s"}, 5),
        ({"enum": [5, 6]}, 5),
        ({}, 5),
        (True, 5),
    ],
)
def test_the_schema_tells_text_from_other_values(schema: object, value: object) -> None:
    definitions = {"S": {"type": "string"}, "Loop": {"$ref": "#/$defs/Loop"}}

    assert read_input("5", tool({"x": schema}, definitions=definitions)) == {"x": value}


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("query=cats", {"query": "cats"}),
        ('query="a, limit=3", limit=4', {"query": "a, limit=3", "limit": 4}),
        (r"query='it\'s'", {"query": "it's"}),
        (r'query="\d+"', {"query": r"\d+"}),
        ("query = cats and dogs ,limit= 3;", {"query": "cats and dogs", "limit": 3}),
        ("query=a==b", {"query": "a==b"}),
        ("query=[link], limit=3", {"query": "[link]", "limit": 3}),
        ('other=["a", "x b=1"] limit=3', {"other": ["a", "x b=1"], "limit": 3}),
        ("query=", {"query": ""}),
        ("on=False", {"on": False}),
        ("größe=3", {"größe": 3}),
        (" , ", {}),
    ],
)
def test_pairs_are_typed_by_the_schema(text: str, pairs: object) -> None:
    assert read_pairs(text, SEARCH.parameters) == pairs


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("cats", "expected name=value, found 'cats'"),
        ('query="cats', "the quote before the value of query is never closed"),
        ('query="cats"!', "expected a comma after the value of query, found '!'"),
        ("limit=[1", "the value of limit is no JSON: invalid JSON at line 1"),
        ("limit=1 limit=2", "limit is given twice"),
    ],
)
def test_what_are_no_pairs_is_said_exactly(text: str, problem: str) -> None:
    with pytest.raises(NotPairsError) as raised:
        read_pairs(text, SEARCH.parameters)

    assert str(raised.value).startswith(problem)


names = st.from_regex(r"[a-z_][a-z0-9_-]{0,8}", fullmatch=True)
values = st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text() | st.integers(), max_size=3)


@given(st.dictionaries(names, values))
def test_pairs_that_are_written_are_read_back(arguments: dict[str, object]) -> None:
    schema = {"properties": {name: {"type": "string"} for name, value in arguments.items() if isinstance(value, str)}}

    assert read_pairs(write_pairs(arguments), schema) == arguments


@given(
    st.text() | st.text(alphabet="ab= :,\"'[{}]\n\\`"),
    st.sampled_from([TEXT, NUMBER, TAGS, SEARCH, TWO, NOTHING, UNKNOWN]),
)
def test_any_text_gives_arguments_or_a_problem(text: str, definition: ToolDefinition) -> None:
    try:
        arguments = read_input(text, definition)
    except ValueError as error:
        assert str(error)  # noqa: PT017 - either is right
    else:
        json.dumps(arguments)


@pytest.mark.parametrize(
    "unit", ["a=", "a=1 ", "a='", 'a="\\', "a=[", " ", "a ", "=", "a: ", "x-", '"', "```", "{", "'\\'"]
)
def test_a_megabyte_of_anything_is_read_in_linear_time(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    started = time.process_time()

    for definition in (TEXT, SEARCH, TWO):
        for start in ("", "a=", "a: "):
            with suppress(ValueError):
                read_input(start + text, definition)

    assert time.process_time() - started < 10  # quadratic work would take minutes
