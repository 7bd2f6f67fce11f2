import json

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.engine.messages import AssistantMessage, ToolCall, ToolResult, ToolResults
from runner.engine.ports import Answer, Calls, Capabilities, Malformed, ModelReply, Reading, ToolDefinition
from runner.parsing.json_mode import JsonMode
from runner.spec import ToolChoice

ADD = ToolDefinition(
    name="add",
    description="Adds.",
    parameters={
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/N"}, "b": {"$ref": "#/$defs/N"}},
        "required": ["a", "b"],
        "$defs": {"N": {"type": "integer"}},
    },
)
NOW = ToolDefinition(name="now", description="The time in 北京.", parameters={"type": "object", "properties": {}})
MODE = JsonMode([ADD, NOW], Capabilities(response_format=True))
AUTO = ToolChoice()


def read(text: str, choice: ToolChoice = AUTO) -> Reading:
    return MODE.read(ModelReply(text=text, finish_reason="stop"), choice)


def calls(text: str) -> list[tuple[str, object]]:
    reading = read(text)
    assert isinstance(reading, Calls), reading
    return [(call.name, call.arguments) for call in reading.message.calls]


@pytest.mark.parametrize(
    "text",
    [
        '{"type": "tool", "name": "add", "arguments": {"a": 1, "b": 2}}',
        '{"type": "tool", "tool_name": "add", "args": {"a": 1, "b": 2}}',
        '{"name": "add", "arguments": {"a": 1, "b": 2}}',
        '{"type": "tool", "name": "add", "arguments": "{\\"a\\": 1, \\"b\\": 2}"}',
        'Sure!\n```json\n{"type": "tool", "name": "add", "arguments": {"a": 1, "b": 2}}\n```',
        '[{"type": "tool", "name": "add", "arguments": {"a": 1, "b": 2}}]',
        '{"type": "tool", "name": "add", "arguments": {"a": 1, "b": 2}}\n' * 2,
    ],
)
def test_a_call_is_read_in_every_form_models_write_it(text: str) -> None:
    assert calls(text) == [("add", {"a": 1, "b": 2})]


def test_a_list_is_parallel_calls_in_order() -> None:
    assert calls('[{"type":"tool","name":"now"},{"type":"tool","name":"add","arguments":{"a":1}}]') == [
        ("now", {}),
        ("add", {"a": 1}),
    ]


@pytest.mark.parametrize("arguments", ["", ', "arguments": {}', ', "arguments": null', ', "arguments": ""'])
def test_a_tool_without_arguments_needs_none(arguments: str) -> None:
    assert calls(f'{{"type": "tool", "name": "now"{arguments}}}') == [("now", {})]


@pytest.mark.parametrize("arguments", ["[1]", "3", '"{"', "true"])
def test_arguments_that_are_no_object_come_back_as_the_problem_of_the_call(arguments: str) -> None:
    reading = read(f'{{"type": "tool", "name": "now", "arguments": {arguments}}}')

    assert isinstance(reading, Calls)
    assert reading.message.calls[0].arguments is None
    assert reading.message.calls[0].problem


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('{"type": "text", "content": "Hi"}', "Hi"),
        ('{"type": "text", "text": "Hi"}', "Hi"),
        ('{"type": "text", "content": {"city": "北京"}}', '{"city": "北京"}'),
        ('The answer is {"type": "text", "content": "{not json}"}', "{not json}"),
        ('{"type": "text", "content": 5}', "5"),
    ],
)
def test_an_answer_is_read(text: str, answer: str) -> None:
    reading = read(text)

    assert isinstance(reading, Answer)
    assert reading.message.text == answer
    assert reading.message.raw == text


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Hmm.", "found no JSON message in the reply"),
        ('{"a": 5}', "found no JSON message in the reply"),
        ('{"name": "Ann", "age": 3}', "found no JSON message in the reply"),
        ('{"type": "tool", "name": "add", "arguments": {"a": 1}', "invalid JSON at line 1 column 54"),
        ('{"type": "text", "content": NaN}', "NaN is not a JSON number"),
        ('{"type": "text", "content": ""}', "the model returned no content"),
        ("  ", "the model returned no content"),
    ],
)
def test_anything_else_is_refused_with_what_to_write_instead(text: str, problem: str) -> None:
    reading = read(text)

    assert isinstance(reading, Malformed)
    assert reading.problem.startswith(problem)
    assert reading.message.raw == text


def test_two_different_messages_are_refused_rather_than_one_believed() -> None:
    """Field bug B67."""
    reading = read('{"type":"text","text":"..."} {"type":"tool","name":"add","arguments":{"a":1,"b":2}}')

    assert isinstance(reading, Malformed)
    assert reading.problem.startswith("found 2 different JSON messages in one reply; reply with exactly one")


def test_without_tools_there_is_no_protocol() -> None:
    bare = JsonMode([], Capabilities(response_format=True))

    assert bare.system("Be brief.") == "Be brief."
    assert bare.request([], AUTO).response_format is None
    assert bare.read(ModelReply(text="{not json"), AUTO) == Answer(
        message=AssistantMessage(text="{not json", raw="{not json")
    )
    assert bare.encode(AssistantMessage(text="Hi")) == [{"role": "assistant", "content": "Hi"}]


def test_the_system_prompt_names_each_tool_with_its_schema_verbatim() -> None:
    system = MODE.system("Be brief.\n")

    assert system.startswith("Be brief.\n\nYou can use these tools:\n- add: Adds.\n  arguments: {")
    assert "北京" in system


def test_the_reply_schema_accepts_what_the_mode_reads_and_nothing_else() -> None:
    schema = response_schema(AUTO)

    valid = jsonschema.Draft202012Validator(schema).is_valid
    assert valid({"type": "tool", "name": "add", "arguments": {"a": 1, "b": 2}})
    assert valid({"type": "text", "content": "Hi"})
    assert not valid({"type": "tool", "name": "add", "arguments": {"a": "x", "b": 2}})
    assert not valid({"type": "tool", "name": "sub", "arguments": {}})
    assert not valid({"type": "text"})


@pytest.mark.parametrize(
    ("mode", "kinds"),
    [("auto", ["add", "now", "text"]), ("required", ["add", "now"]), ("now", ["now"]), ("none", ["text"])],
)
def test_the_tool_choice_decides_which_branches_the_schema_has(mode: str, kinds: list[str]) -> None:
    branches = response_schema(ToolChoice(mode=mode))["anyOf"]

    assert [branch["properties"].get("name", {"const": "text"})["const"] for branch in branches] == kinds


def test_no_schema_is_sent_to_a_model_that_is_not_known_to_take_one() -> None:
    for known in (None, False):
        assert JsonMode([ADD], Capabilities(response_format=known)).request([], AUTO).response_format is None


def test_results_come_back_in_one_user_message() -> None:
    call = ToolCall(id="1", name="add", arguments={"a": 1})
    results = ((call, ToolResult(content="3")), (call, ToolResult(content="no b", is_error=True)))

    assert MODE.encode(ToolResults(results=results)) == [
        {"role": "user", "content": "Result of add: 3\nError of add: no b"}
    ]


def test_an_authors_example_is_written_in_the_protocol() -> None:
    one, two = (ToolCall(id="", name=name, arguments={}) for name in ("add", "now"))

    def written(message: AssistantMessage) -> object:
        return json.loads(MODE.encode(message)[0]["content"])

    assert written(AssistantMessage(text="It is 北京")) == {"type": "text", "content": "It is 北京"}
    assert written(AssistantMessage(calls=(one,))) == {"type": "tool", "name": "add", "arguments": {}}
    assert [item["name"] for item in written(AssistantMessage(calls=(one, two)))] == ["add", "now"]  # type: ignore[attr-defined]  # a list of calls


@given(st.text() | st.from_regex(r'(\{"type": ?"(tool|text)"[^}]*\}?|\[|\]|`{3}json|,| )+'))
def test_any_text_gives_a_reading(text: str) -> None:
    assert isinstance(read(text), Answer | Calls | Malformed)


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.none()))
def test_what_the_mode_writes_it_reads_back(arguments: dict[str, object]) -> None:
    message = AssistantMessage(calls=(ToolCall(id="", name="now", arguments=arguments),))

    assert calls(str(MODE.encode(message)[0]["content"])) == [("now", arguments)]


def response_schema(choice: ToolChoice) -> dict[str, list[dict[str, dict[str, dict[str, str]]]]]:
    response_format = MODE.request([], choice).response_format
    assert response_format is not None
    return response_format["json_schema"]["schema"]  # type: ignore[no-any-return]  # the schema this mode built
