import json

import jsonschema
import pytest

from runner.engine.messages import AssistantMessage
from runner.engine.ports import (
    Answer,
    Calls,
    Capabilities,
    Malformed,
    ModelReply,
    ParsingMode,
    RawToolCall,
    Reading,
    ToolDefinition,
)
from runner.language.schema import problems
from runner.parsing.modes import Setting, choose_mode
from runner.parsing.output import Output
from runner.spec import JsonObject, ToolChoice
from tests.engine.voices import VOICES, Voice, parsing_of, play, returning

AGE: JsonObject = {
    "type": "object",
    "properties": {"age": {"type": "integer", "minimum": 0}},
    "required": ["age"],
    "additionalProperties": False,
}
WORDS: JsonObject = {"type": "array", "items": {"type": "string"}}
TREE: JsonObject = {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"$ref": "#"}]}}
NOW = ToolDefinition(name="now", description="The time.", parameters={"type": "object", "properties": {}})
AUTO = ToolChoice()


def mode_for(name: str, schema: JsonObject, *tools: ToolDefinition, response_format: bool | None = None) -> ParsingMode:
    output = Output(schema=schema, problems=problems)
    capabilities = Capabilities(response_format=response_format)
    return choose_mode(Setting(spec=parsing_of(name), tools=tools, capabilities=capabilities, output=output))


def read(text: str, schema: JsonObject) -> Reading:
    return mode_for("native", schema).read(ModelReply(text=text, finish_reason="stop"), AUTO)


def value(text: str, schema: JsonObject) -> object:
    reading = read(text, schema)
    assert isinstance(reading, Answer), reading
    assert json.loads(reading.message.text) == reading.output
    return reading.output


@pytest.mark.parametrize(
    "text",
    [
        '{"age": 3}',
        ' \n{"age": 3}\n',
        '```json\n{"age": 3}\n```',
        'Sure, here it is:\n```\n{"age": 3}\n```\nAnything else?',
        'For {project}: {"age": 3} - see {"type": "object"}.',
        json.dumps(AGE) + '\n{"age": 3}',
        '{"age": "x"} no, {"age": 3}',
    ],
)
def test_the_value_that_fits_is_found_whatever_stands_around_it(text: str) -> None:
    """Field bugs B63, B65 and B67."""
    assert value(text, AGE) == {"age": 3}


def test_a_code_fence_inside_a_value_stays() -> None:
    text = '{"a": "```js\\nx\\n```"}'

    assert value(f"```json\n{text}\n```", {"type": "object"}) == {"a": "```js\nx\n```"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"age":"x"}', "the answer does not fit its schema: age: expected a whole number, found the text 'x'"),
        ('{"age": -1}', "the answer does not fit its schema: age: "),
        ("{}", "the answer does not fit its schema: "),
        ("three", "the answer is not JSON: invalid JSON at line 1 column 1"),
        ('{"age": NaN}', "the answer is not JSON: NaN is not a JSON number"),
        ('{"age": 1e999}', "the answer is not JSON: 1e999 is too large"),
        ('{"x": {"age": 1}', "the answer is not JSON: invalid JSON at line 1 column 17"),
    ],
)
def test_what_is_wrong_is_said_with_its_place_and_rule(text: str, problem: str) -> None:
    """Field bugs B68, B69 and B70."""
    reading = read(text, AGE)

    assert isinstance(reading, Malformed)
    assert reading.problem.startswith(problem)


@pytest.mark.parametrize(
    ("text", "schema", "expected"),
    [
        ('["a"]', WORDS, ["a"]),
        ('{"value": ["a"]}', WORDS, ["a"]),
        ('{"items": ["a"]}', WORDS, ["a"]),
        ("5", {"type": "integer"}, 5),
        ('{"value": 5}', {"type": "integer"}, 5),
        ("null", {"type": "null"}, None),
        ('"北京"', {"type": "string"}, "北京"),
        ("[1, [2, [3]]]", TREE, [1, [2, [3]]]),
    ],
)
def test_any_type_may_stand_at_the_root(text: str, schema: JsonObject, expected: object) -> None:
    """Field bug B73."""
    assert value(text, schema) == expected


def test_the_answer_is_one_line_with_every_character_as_it_is() -> None:
    """Field bug B72."""
    reading = read('{\n "city": "\\u5317京"\n}', {"type": "object"})

    assert isinstance(reading, Answer)
    assert reading.message.text == '{"city": "北京"}'


@pytest.mark.parametrize(("schema", "good", "bad"), [(AGE, {"age": 1}, {}), (WORDS, ["a"], [1]), (TREE, [[1]], ["a"])])
@pytest.mark.parametrize("tools", [(), (NOW,)])
@pytest.mark.parametrize("mode", ["native", "json"])
def test_what_is_sent_to_the_provider_holds_replies_to_the_schema(
    mode: str, tools: tuple[ToolDefinition, ...], schema: JsonObject, good: object, bad: object
) -> None:
    request = mode_for(mode, schema, *tools, response_format=True).request([], AUTO)

    if mode == "native" and tools:
        sent = request.tools[-1]["function"]["parameters"]
        assert request.tools[-1]["function"]["name"] == "final_answer"
    else:
        assert request.response_format is not None
        sent = request.response_format["json_schema"]["schema"]

    def wrapped(content: object) -> object:
        if mode == "json" and tools:
            return {"type": "text", "content": content}
        return content if isinstance(content, dict) else {"value": content}

    valid = jsonschema.Draft202012Validator(sent).is_valid
    assert sent["type"] == "object"
    assert valid(wrapped(good))
    assert not valid(wrapped(bad))


@pytest.mark.parametrize(
    ("mode", "tools", "response_format", "told"),
    [
        ("native", (), True, False),
        ("native", (), None, True),
        ("native", (NOW,), None, False),
        ("json", (NOW,), True, True),
        ("react", (NOW,), None, True),
        ("text", (NOW,), None, True),
    ],
)
def test_the_prompt_explains_the_schema_where_nothing_else_asks_for_it(
    mode: str, tools: tuple[ToolDefinition, ...], response_format: bool | None, told: bool
) -> None:
    system = mode_for(mode, AGE, *tools, response_format=response_format).system("Be brief.")

    assert (json.dumps(AGE) in system) == told
    assert system.startswith("Be brief.")


def native_calls(*calls: tuple[str, str]) -> Reading:
    raw = tuple(RawToolCall(id=name, name=name, arguments=arguments) for name, arguments in calls)
    return mode_for("native", WORDS, NOW).read(ModelReply(tool_calls=raw, finish_reason="tool_calls"), AUTO)


def test_a_call_of_final_answer_is_the_answer() -> None:
    assert native_calls(("final_answer", '{"value": ["北"]}')) == Answer(
        message=AssistantMessage(text='["北"]'), output=["北"]
    )


def test_a_final_answer_that_does_not_fit_is_answered_like_any_call() -> None:
    reading = native_calls(("final_answer", '{"value": [1]}'))

    assert isinstance(reading, Calls)
    assert (reading.message.calls[0].problem or "").startswith("the answer does not fit its schema: ")


def test_a_final_answer_beside_other_calls_is_not_believed() -> None:
    reading = native_calls(("now", "{}"), ("final_answer", '{"value": ["a"]}'))

    assert isinstance(reading, Calls)
    assert [call.problem is None for call in reading.message.calls] == [True, False]


def test_while_a_tool_is_demanded_the_final_answer_is_not_on_offer() -> None:
    tools = mode_for("native", AGE, NOW).request([], ToolChoice(mode="required")).tools

    assert [tool["function"]["name"] for tool in tools] == ["now"]


@pytest.fixture(params=VOICES)
def voice(request: pytest.FixtureRequest) -> Voice:
    return VOICES[request.param]


async def test_a_run_ends_with_the_value_after_as_many_corrections_as_it_takes(voice: Voice) -> None:
    """Field bug B69."""
    script = [voice.answer('{"age":"x"}'), voice.answer('{"age":-1}'), voice.answer('{"age":3}')]

    ran = await play(voice.mode, script, [returning("now", "12:00")], schema=AGE, max_retries=2)

    assert (ran.finished.status, ran.finished.output, ran.finished.answer) == ("completed", {"age": 3}, '{"age": 3}')
    assert "expected a whole number" in ran.model.requests[1].messages[-1]["content"]
    assert "age" in ran.model.requests[2].messages[-1]["content"]


async def test_a_run_whose_answer_never_fits_says_why_and_what_was_said_last(voice: Voice) -> None:
    script = [voice.answer('{"age":"x"}'), voice.answer('{"age":-1}')]

    ran = await play(voice.mode, script, [returning("now", "12:00")], schema=AGE, max_retries=1)

    assert ran.finished.status == "invalid_output"
    assert ran.finished.output is None
    assert "no valid action or answer after 2 replies" in (ran.finished.error or "")
    assert "-1" in (ran.finished.error or "")
