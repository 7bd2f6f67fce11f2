import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.engine.messages import AssistantMessage, ToolCall, ToolResult, ToolResults, UserMessage
from runner.engine.ports import Answer, Calls, Capabilities, Malformed, ModelReply, Reading, ToolDefinition
from runner.parsing.patterns import Pattern
from runner.parsing.text_mode import TextMode
from runner.parsing.text_protocol import TextProtocol
from runner.spec import ToolChoice

ADD = ToolDefinition(
    name="add",
    description="Adds.",
    parameters={"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}},
)
SAY = ToolDefinition(
    name="say", description="Says.", parameters={"type": "object", "properties": {"text": {"type": "string"}}}
)
NOW = ToolDefinition(name="now", description="The time in 北京.", parameters={"type": "object", "properties": {}})
TOOLS = [ADD, SAY, NOW]
AUTO = ToolChoice()


def instructions(variables: Any) -> str:
    return "Tools: " + ", ".join(f"{tool['name']} ({tool['description']})" for tool in variables["tools"])


TAGS = TextProtocol(
    instructions=instructions,
    call=Pattern(r'(?s)<call tool="(?P<name>[^"]*)">\s*(?P<arguments>.*?)\s*</call>'),
    answer=Pattern(r"(?s)<answer>(?P<answer>.*?)</answer>"),
)
LINES = TextProtocol(
    instructions=instructions,
    call=Pattern(r"^CALL (?P<name>[\w-]+)(?: (?P<arguments>.+))?$"),
    answer=Pattern(r"(?s)^ANSWER: (?P<answer>.*)"),
    arguments="pairs",
    result=lambda variables: f"RESULT {variables['name']}{json.dumps(variables['arguments'])} {variables['result']}",
    stop=("\nRESULT",),
)
UNMARKED = TextProtocol(
    instructions=instructions,
    call=Pattern(r"^!(?P<name>\w+)$"),
    answer=Pattern(r"(?s)(?P<answer>.+)"),
    arguments="none",
)
MODES = {
    name: TextMode(TOOLS, Capabilities(), protocol=protocol) for name, protocol in (("tags", TAGS), ("lines", LINES))
}
UNMARKED_MODE = TextMode(TOOLS, Capabilities(), protocol=UNMARKED)


def read(mode: TextMode, text: str, choice: ToolChoice = AUTO, finish: str = "stop") -> Reading:
    return mode.read(ModelReply(text=text, finish_reason=finish), choice)


def calls(mode: TextMode, text: str) -> list[tuple[str, object]]:
    reading = read(mode, text)
    assert isinstance(reading, Calls), reading
    assert [call.problem for call in reading.message.calls] == [None] * len(reading.message.calls)
    return [(call.name, call.arguments) for call in reading.message.calls]


def answer(mode: TextMode, text: str) -> str:
    reading = read(mode, text)
    assert isinstance(reading, Answer), reading
    return reading.message.text


def problem(mode: TextMode, text: str, choice: ToolChoice = AUTO) -> str:
    reading = read(mode, text, choice)
    assert isinstance(reading, Malformed), reading
    return reading.problem


@pytest.mark.parametrize(
    ("mode", "text"),
    [
        ("tags", 'I will.\n<call tool="add">{"a": 1, "b": 2}</call>'),
        ("tags", '<call tool="Add">\n```json\n{"a": 1, "b": 2}\n```\n</call> bye'),
        ("lines", "I will.\nCALL add a=1, b=2\nbye"),
        ("lines", 'CALL add {"a": 1, "b": 2}'),
    ],
)
def test_a_call_is_found_anywhere(mode: str, text: str) -> None:
    assert calls(MODES[mode], text) == [("add", {"a": 1, "b": 2})]


@pytest.mark.parametrize(("mode", "text"), [("tags", '<call tool="now"></call>'), ("lines", "CALL now")])
def test_a_tool_without_arguments_needs_none(mode: str, text: str) -> None:
    assert calls(MODES[mode], text) == [("now", {})]


def test_with_arguments_none_nothing_is_read_as_arguments() -> None:
    assert calls(UNMARKED_MODE, "!now") == [("now", {})]


def test_several_calls_run_in_order() -> None:
    reading = read(MODES["lines"], "First.\nCALL now\nthen\nCALL add a=1\n")

    assert isinstance(reading, Calls)
    assert reading.in_order
    assert [call.name for call in reading.message.calls] == ["now", "add"]
    assert reading.message.text == "First."


def test_json_is_read_to_its_end_whatever_the_pattern_takes() -> None:
    """Field bugs B05 and B06."""
    lazy = TextProtocol(
        instructions=instructions,
        call=Pattern(r"CALL (?P<name>\w+) (?P<arguments>\{.*?\})"),
        answer=Pattern("ANSWER (?P<answer>.*)"),
    )
    mode = TextMode(TOOLS, Capabilities(), protocol=lazy)

    assert calls(mode, 'CALL say {"text": "{}} CALL now {}",\n "o": {"p": {}}} CALL now {}') == [
        ("say", {"text": "{}} CALL now {}", "o": {"p": {}}}),
        ("now", {}),
    ]


@pytest.mark.parametrize(
    ("mode", "text", "kept"),
    [
        ("tags", '<call tool="now"></call>\n<answer>12:00</answer>', '<call tool="now"></call>'),
        ("tags", '<call tool="now"></call><answer>1</answer><call tool="add"></call>', '<call tool="now"></call>'),
        ("lines", "CALL now\nANSWER: 12:00\nCALL add", "CALL now"),
        ("lines", "CALL now\nRESULT now{} 12:00\nANSWER: 12:00", "CALL now"),
    ],
)
def test_an_answer_behind_a_call_is_never_believed(mode: str, text: str, kept: str) -> None:
    """Field bug B01."""
    assert calls(MODES[mode], text) == [("now", {})]
    assert read(MODES[mode], text).message.raw == kept


def test_what_only_looks_like_an_answer_inside_of_a_call_changes_nothing() -> None:
    text = '<call tool="say">{"text": "<answer>x</answer>"}</call> <call tool="now"></call>'

    assert calls(MODES["tags"], text) == [("say", {"text": "<answer>x</answer>"}), ("now", {})]


def test_an_answer_that_comes_first_wins_even_if_it_speaks_of_calls() -> None:
    assert answer(MODES["lines"], "ANSWER: Write this:\nCALL now") == "Write this:\nCALL now"


def test_where_any_text_is_an_answer_a_call_in_it_is_a_call() -> None:
    assert calls(UNMARKED_MODE, "I will look.\n!now\n!now\nI wait.") == [("now", {}), ("now", {})]
    assert answer(UNMARKED_MODE, "It is late.") == "It is late."


@pytest.mark.parametrize(("mode", "text"), [("tags", "<answer> 晴\n☀ </answer> bye"), ("lines", "So:\nANSWER: 晴\n☀")])
def test_an_answer_of_several_lines(mode: str, text: str) -> None:
    assert answer(MODES[mode], text) == "晴\n☀"


def test_a_reply_that_is_neither_is_told_the_forms() -> None:
    assert problem(MODES["lines"], "Hmm.") == (
        'found neither a call nor an answer; write a call like \'CALL add a="…", b="…"\' '
        "or an answer like 'ANSWER: your answer'"
    )


def test_arguments_that_cannot_be_read_are_a_problem_of_that_call() -> None:
    broken, good = read(MODES["tags"], '<call tool="add">{"a": list}</call><call tool="now"></call>').message.calls
    assert broken.arguments is None
    assert broken.problem == (
        "add was not run: invalid JSON at line 1 column 7: Expecting value; "
        'write it like \'<call tool="add">{"name": "value"}</call>\''
    )
    assert good.problem is None

    (pairs,) = read(MODES["lines"], "CALL add one").message.calls
    assert (pairs.problem or "").startswith(
        "add was not run: expected name=value, found 'one'; write it like 'CALL add"
    )


def test_a_name_that_no_tool_has_stays_as_it_was_written() -> None:
    """Field bug B30."""
    assert calls(MODES["tags"], '<call tool="list sites">{"a": 1}</call>') == [("list sites", {"a": 1})]


@pytest.mark.parametrize("text", ["", "  ", "ANSWER:  ", "\nRESULT add"])
def test_an_empty_reply_is_no_answer(text: str) -> None:
    assert isinstance(read(MODES["lines"], text), Malformed)


@pytest.mark.parametrize("text", ["CALL add a=1", "ANSWER: It is", ""])
def test_a_reply_that_was_cut_off_is_not_used(text: str) -> None:
    """Field bug B23."""
    reading = read(MODES["lines"], text, finish="length")

    assert isinstance(reading, Malformed)
    assert "max_tokens" in reading.problem
    assert isinstance(read(MODES["lines"], "CALL now\nRESULT and on", finish="length"), Calls)


def test_an_answer_where_a_call_is_demanded_is_refused() -> None:
    demanded = problem(MODES["lines"], "ANSWER: 5", ToolChoice(mode="now"))

    assert demanded.startswith("call the tool now before you answer, like 'CALL add")
    assert isinstance(read(MODES["lines"], "ANSWER: 5", ToolChoice(mode="none")), Answer)


def test_stop_strings_are_sent_unless_the_model_is_known_not_to_take_them() -> None:
    for known, sent in ((True, ("\nRESULT",)), (None, ("\nRESULT",)), (False, ())):
        assert TextMode(TOOLS, Capabilities(stop=known), protocol=LINES).request([], AUTO).stop == sent


def test_without_tools_there_is_no_protocol() -> None:
    bare = TextMode([], Capabilities(), protocol=LINES)

    assert bare.system("Be brief.") == "Be brief."
    assert bare.request([], AUTO).stop == ()
    assert answer(bare, "CALL now\nRESULT") == "CALL now\nRESULT"
    assert bare.encode(AssistantMessage(text="Hi")) == [{"role": "assistant", "content": "Hi"}]


def test_the_authors_templates_are_rendered_with_the_tools_and_the_results() -> None:
    call = ToolCall(id="1", name="add", arguments={"a": 1})
    results = ToolResults(results=((call, ToolResult(content="3")), (call, ToolResult(content="no b", is_error=True))))

    assert (
        MODES["lines"].system("Be brief.\n") == "Be brief.\n\nTools: add (Adds.), say (Says.), now (The time in 北京.)"
    )
    assert MODES["lines"].encode(results) == [
        {"role": "user", "content": 'RESULT add{"a": 1} 3\nRESULT add{"a": 1} no b'}
    ]
    assert MODES["tags"].encode(results) == [{"role": "user", "content": "Result of add: 3\nResult of add: no b"}]
    assert MODES["tags"].encode(UserMessage(text="Hi")) == [{"role": "user", "content": "Hi"}]


def written(mode: TextMode, message: AssistantMessage) -> str:
    return str(mode.encode(message)[0]["content"])


def test_an_authors_example_is_written_in_the_form_of_the_patterns() -> None:
    one, two = ToolCall(id="", name="say", arguments={"text": "北京"}), ToolCall(id="", name="now", arguments={})

    assert written(MODES["lines"], AssistantMessage(calls=(one, two))) == 'CALL say text="北京"\nCALL now'
    assert written(MODES["tags"], AssistantMessage(text="So", calls=(two,))) == 'So\n<call tool="now">{}</call>'
    assert written(MODES["lines"], AssistantMessage(text="晴")) == "ANSWER: 晴"
    assert written(MODES["lines"], AssistantMessage(text="t", raw="ANSWER:  t")) == "ANSWER:  t"


given_arguments = st.fixed_dictionaries({}, optional={"a": st.integers(), "b": st.integers() | st.none()})


@given(st.sampled_from(list(MODES)), st.lists(given_arguments, min_size=1, max_size=3))
def test_calls_that_the_mode_writes_it_reads_back(name: str, wanted: list[dict[str, object]]) -> None:
    message = AssistantMessage(calls=tuple(ToolCall(id="", name="add", arguments=arguments) for arguments in wanted))

    assert calls(MODES[name], written(MODES[name], message)) == [("add", arguments) for arguments in wanted]


@given(st.sampled_from(list(MODES)), st.text().filter(lambda text: text.strip()))
def test_answers_that_the_mode_writes_it_reads_back(name: str, text: str) -> None:
    assert answer(MODES[name], written(MODES[name], AssistantMessage(text=text))) == text.strip()


PIECES = [
    '<call tool="',
    '">',
    "</call>",
    "<answer>",
    "</answer>",
    "CALL add ",
    "ANSWER: ",
    "\nRESULT",
    "\n",
    "!now",
    "a=1",
    "{",
    '"',
]


@given(
    st.sampled_from([*MODES.values(), UNMARKED_MODE]),
    st.text() | st.lists(st.sampled_from([*PIECES, "}", ",", "\ud800", "北"])).map("".join),
    st.sampled_from(["auto", "required"]),
)
def test_any_text_gives_a_reading(mode: TextMode, text: str, choice: str) -> None:
    reading = read(mode, text, ToolChoice(mode=choice))

    assert isinstance(reading, Answer | Calls | Malformed)
    assert text.startswith(reading.message.raw or "")


def test_more_calls_than_anyone_makes_are_refused() -> None:
    assert problem(UNMARKED_MODE, "!now\n" * 100_000).startswith("there are too many calls in one reply")


CATASTROPHIC = TextProtocol(
    instructions=instructions,
    call=Pattern(r"(?s)(?P<name>(a+)+)(?P<arguments>(.*,)*.*)!|a"),
    answer=Pattern(r"(?s)(?P<answer>(x+x+)+y.*?z|.)$"),
)


@pytest.mark.parametrize(
    "unit",
    [
        *[
            "a",
            "x",
            "a,",
            '<call tool="',
            '<call tool="a">{"a":',
            "CALL a {",
            "CALL add a=1\n",
            "ANSWER: ",
            "\n",
            "!now\n",
            "北",
        ],
        *["CALL add a='\n", '<call tool="a">{}</call>\n', "<answer>"],
    ],
)
def test_a_megabyte_of_anything_is_read_in_linear_time(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    started = time.process_time()

    for mode in (*MODES.values(), UNMARKED_MODE, TextMode(TOOLS, Capabilities(), protocol=CATASTROPHIC)):
        read(mode, text)

    assert time.process_time() - started < 10  # quadratic work would take minutes
