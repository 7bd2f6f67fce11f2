import pytest

from runner.engine.messages import AssistantMessage, ToolCall, ToolResult, ToolResults
from runner.engine.ports import (
    Answer,
    Calls,
    Capabilities,
    Malformed,
    ModelReply,
    RawToolCall,
    Reading,
    ToolDefinition,
)
from runner.parsing.modes import MODES, Setting, choose_mode
from runner.parsing.native import NativeMode
from runner.spec import ParsingSpec, ToolChoice
from tests.engine.voices import parsing_of

NOW = ToolDefinition(name="now", description="The time.", parameters={"type": "object", "properties": {}})
MODE = NativeMode([NOW], Capabilities())
AUTO = ToolChoice()


def read(arguments: str, *, name: str | None = "now", finish: str = "tool_calls") -> ToolCall:
    reply = ModelReply(tool_calls=(RawToolCall(id="c1", name=name, arguments=arguments),), finish_reason=finish)
    reading: Reading = MODE.read(reply, AUTO)
    assert isinstance(reading, Calls)
    return reading.message.calls[0]


@pytest.mark.parametrize("arguments", ["", "{}", "null", "  ", '"{}"'])
def test_no_arguments_in_any_form_is_an_empty_object(arguments: str) -> None:
    """Field bug B21."""
    call = read(arguments)

    assert (call.arguments, call.problem) == ({}, None)
    sent = MODE.encode(AssistantMessage(calls=(call,)))[0]
    assert sent["tool_calls"][0]["function"]["arguments"] == "{}"


def test_broken_arguments_are_a_problem_of_that_call_with_its_position() -> None:
    """Field bug B22."""
    call = read('{"action": list}')

    assert call.arguments is None
    assert call.problem == "invalid JSON at line 1 column 12: Expecting value"


@pytest.mark.parametrize("arguments", ['{"path":"a","text":"half', '{"path":"a"}'])
def test_a_truncated_call_is_refused_whether_or_not_its_json_is_whole(arguments: str) -> None:
    """Field bug B23."""
    assert "max_tokens" in (read(arguments, finish="length").problem or "")


def test_a_call_without_a_name_is_a_problem() -> None:
    assert read("{}", name=None).problem == "the tool call has no name"


def test_reasoning_goes_back_untouched() -> None:
    """Field bug B46."""
    extra = {"reasoning_content": "r", "thinking_blocks": [{"signature": "s"}]}
    call = RawToolCall(id="c", name="now", arguments="{}", extra={"provider_specific_fields": {"signature": "t"}})

    reading = MODE.read(ModelReply(tool_calls=(call,), extra=extra, finish_reason="tool_calls"), AUTO)

    (sent,) = MODE.encode(reading.message)
    assert sent["reasoning_content"] == "r"
    assert sent["thinking_blocks"] == [{"signature": "s"}]
    assert sent["content"] is None
    assert sent["tool_calls"][0]["provider_specific_fields"] == {"signature": "t"}


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_reply_is_no_answer(text: str) -> None:
    """Field bug B47."""
    reading = MODE.read(ModelReply(text=text, finish_reason="stop"), AUTO)

    assert isinstance(reading, Malformed)
    assert reading.problem.startswith("the model returned no content")


def test_text_is_the_answer_word_for_word() -> None:
    reading = MODE.read(ModelReply(text=' {"a": 1} \n', finish_reason="stop"), AUTO)

    assert isinstance(reading, Answer)
    assert reading.message.text == ' {"a": 1} \n'


def test_tools_are_sent_as_the_provider_knows_them() -> None:
    request = MODE.request([], AUTO)

    assert request.tools == (
        {"type": "function", "function": {"name": "now", "description": "The time.", "parameters": NOW.parameters}},
    )
    assert request.tool_choice == "auto"


@pytest.mark.parametrize(
    ("mode", "sent"),
    [
        ("none", "none"),
        ("required", "required"),
        ("now", {"type": "function", "function": {"name": "now"}}),
    ],
)
def test_the_tool_choice_is_sent(mode: str, sent: object) -> None:
    assert MODE.request([], ToolChoice(mode=mode)).tool_choice == sent


def test_nothing_about_tools_is_sent_without_tools() -> None:
    request = NativeMode([], Capabilities()).request([], ToolChoice(mode="required"))

    assert (request.tools, request.tool_choice) == ((), None)


def test_every_call_gets_its_own_result_message() -> None:
    one, two = (ToolCall(id=id_, name="now", arguments={}) for id_ in ("a", "b"))

    assert MODE.encode(ToolResults(results=((one, ToolResult(content="1")), (two, ToolResult(content="2"))))) == [
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "tool", "tool_call_id": "b", "content": "2"},
    ]


@pytest.mark.parametrize(("known", "mode"), [(True, "native"), (None, "native"), (False, "json")])
def test_auto_is_native_unless_the_model_is_known_not_to_call_functions(known: bool | None, mode: str) -> None:
    capabilities = Capabilities(function_calling=known)
    assert choose_mode(Setting(spec=ParsingSpec(mode="auto"), tools=[], capabilities=capabilities)).name == mode


@pytest.mark.parametrize("name", MODES)
def test_a_mode_is_registered_under_its_own_name(name: str) -> None:
    assert choose_mode(Setting(spec=parsing_of(name), tools=[NOW], capabilities=Capabilities())).name == name
