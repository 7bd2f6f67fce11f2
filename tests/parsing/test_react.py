# ruff: noqa: RUF001 - the full-width colons of Chinese keyboards are what is tested
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.engine.messages import AssistantMessage, ToolCall, ToolResult, ToolResults, UserMessage
from runner.engine.ports import Answer, Calls, Capabilities, Malformed, ModelReply, Reading, ToolDefinition
from runner.parsing.react import ReactMode
from runner.parsing.react_labels import CHINESE, LANGUAGES
from runner.spec import ToolChoice


def tool(name: str, required: tuple[str, ...] = (), **properties: str) -> ToolDefinition:
    schema = {"type": "object", "properties": {key: {"type": kind} for key, kind in properties.items()}}
    return ToolDefinition(name=name, description=f"The tool {name}.", parameters={**schema, "required": list(required)})


TOOLS = [
    tool("query", ("sql",), sql="string"),
    tool("add", ("a", "b"), a="integer", b="integer"),
    tool("run", ("code",), code="string"),
    tool("put", ("o",), expr="string", o="object"),
    tool("weather", ("city",), city="string"),
    tool("now"),
]
MODE = ReactMode(TOOLS, Capabilities())
AUTO = ToolChoice()


def read(text: str, choice: ToolChoice = AUTO, *, mode: ReactMode = MODE, finish: str = "stop") -> Reading:
    return mode.read(ModelReply(text=text, finish_reason=finish), choice)


def calls(text: str, *, mode: ReactMode = MODE) -> list[tuple[str, object]]:
    reading = read(text, mode=mode)
    assert isinstance(reading, Calls), reading
    assert [call.problem for call in reading.message.calls] == [None] * len(reading.message.calls)
    return [(call.name, call.arguments) for call in reading.message.calls]


def answer(text: str, *, mode: ReactMode = MODE) -> str:
    reading = read(text, mode=mode)
    assert isinstance(reading, Answer), reading
    return reading.message.text


def problem(text: str, choice: ToolChoice = AUTO) -> str:
    reading = read(text, choice)
    assert isinstance(reading, Malformed), reading
    return reading.problem


def test_an_answer_after_an_action_is_never_believed() -> None:
    """Field bug B01."""
    reading = read(
        'Thought: look it up\nAction: query\nAction Input: {"sql":"select 1"}\nObservation: 42\nFinal Answer: 42'
    )

    assert isinstance(reading, Calls)
    assert [(call.name, call.arguments) for call in reading.message.calls] == [("query", {"sql": "select 1"})]
    assert reading.message.raw == 'Thought: look it up\nAction: query\nAction Input: {"sql":"select 1"}'
    assert reading.message.text == "look it up"


@pytest.mark.parametrize(
    "text",
    [
        "Action: now\nFinal Answer: 12:00",
        "Thought: t. Action: now Observation: 12:00\nFinal Answer: 12:00",
        "Thought: t. Action: now Action Input: {} Observation: 12:00 Final Answer: 12:00",
        "- Action: now\n- Action Input: {}\nFinal Answer: 12:00",
        "**Action:** now\n\n**Final Answer:** 12:00",
        "Action: now\nAction Input: {} Final Answer: 12:00",
        "action: now\nOBSERVATION: 12:00\nfinal answer: 12:00",
    ],
)
def test_however_an_action_is_written_the_answer_behind_it_is_dropped(text: str) -> None:
    """Field bug B01."""
    reading = read(text)

    assert isinstance(reading, Calls)
    assert [(call.name, call.arguments) for call in reading.message.calls] == [("now", {})]
    assert "12:00" not in (reading.message.raw or "")


def test_a_final_answer_that_comes_first_is_the_answer_even_if_it_speaks_of_actions() -> None:
    text = "Final Answer: Write this:\nAction: now\nAction Input: {}"

    assert answer(text) == "Write this:\nAction: now\nAction Input: {}"


def test_what_a_model_makes_up_behind_its_answer_is_dropped() -> None:
    assert answer("Final Answer: 7\nObservation: 8\nFinal Answer: 9") == "7"


def test_several_actions_of_one_reply_run_in_order() -> None:
    reading = read('Action: now\nAction Input: {}\nThought: then\nAction: add\nAction Input: {"a": 1, "b": 2}')

    assert isinstance(reading, Calls)
    assert reading.in_order
    assert [call.name for call in reading.message.calls] == ["now", "add"]


@pytest.mark.parametrize(
    "name", ["None", "N/A", "none.", "`None`", "null", "No action needed", "None (I know it)", "无"]
)
def test_a_null_action_is_no_tool(name: str) -> None:
    """Field bug B03."""
    text = f"Thought: no tool fits.\nAction: {name}\nAction Input: None"

    assert problem(text).startswith('"Action: ')
    assert '" calls no tool; to call a tool write the lines' in problem(text)
    assert 'the line "Final Answer: <your answer>"' in problem(text)
    assert "query, add, run" in problem(text)
    assert answer(f"{text}\nFinal Answer: hi") == "hi"


def test_a_tool_may_be_called_none_all_the_same() -> None:
    assert calls("Action: None", mode=ReactMode([tool("none")], Capabilities())) == [("none", {})]


def test_final_answer_as_the_name_of_an_action_is_the_answer() -> None:
    assert answer("Thought: t\nAction: Final Answer\nAction Input: It is 12 C.") == "It is 12 C."
    assert calls("Action: now\nAction: Final Answer\nAction Input: 12:00") == [("now", {})]


@pytest.mark.parametrize(
    ("action", "called"),
    [
        ('add({"a": 1, "b": 2})', ("add", {"a": 1, "b": 2})),
        ("add(a=1, b=2)", ("add", {"a": 1, "b": 2})),
        ('`add({"a": 1, "b": 2})`', ("add", {"a": 1, "b": 2})),
        ('add ({"a": 1, "b": 2})', ("add", {"a": 1, "b": 2})),
        ('add {"a": 1, "b": 2}', ("add", {"a": 1, "b": 2})),
        ('add\n{"a": 1, "b": 2}', ("add", {"a": 1, "b": 2})),
        ('{"action": "add", "action_input": {"a": 1, "b": 2}}', ("add", {"a": 1, "b": 2})),
        ('```json\n{"name": "weather", "arguments": "Oslo"}\n```', ("weather", {"city": "Oslo"})),
        ('add({"a": 1,\n "b": 2}) and I wait', ("add", {"a": 1, "b": 2})),
        ('weather("Oslo")', ("weather", {"city": "Oslo"})),
        ("weather('New York')", ("weather", {"city": "New York"})),
        ("weather[Oslo]", ("weather", {"city": "Oslo"})),
        ("weather(city=New York)", ("weather", {"city": "New York"})),
        ('run("print(1)")', ("run", {"code": "print(1)"})),
        ('weather("Oslo") (I wait)', ("weather", {"city": "Oslo"})),
        ("weather(Oslo (Norway)).", ("weather", {"city": "Oslo (Norway)"})),
        ("weather(what's there)", ("weather", {"city": "what's there"})),
        ('weather("Oslo"', ("weather", {"city": "Oslo"})),
        ('run(code="a()\nb()")', ("run", {"code": "a()\nb()"})),
        ("now()", ("now", {})),
        ("add", ("add", {})),
        ("now\nI will wait for the result.", ("now", {})),
    ],
)
def test_call_syntax_on_the_action_line(action: str, called: tuple[str, object]) -> None:
    """Field bug B04. What `add` lacks is told by the check of its arguments."""
    assert calls(f"Thought: t\nAction: {action}") == [called]


def test_the_input_below_call_syntax_is_what_counts() -> None:
    assert calls('Action: add(a, b)\nAction Input: {"a": 1, "b": 2}') == [("add", {"a": 1, "b": 2})]
    assert calls('Action: add({"a": 1})\nAction Input: None') == [("add", {"a": 1})]


def test_an_object_without_a_name_is_no_tool() -> None:
    assert problem('Action: {"tool": 5}').startswith('"Action: " calls no tool')


def test_nested_braces_and_braces_in_strings_stay_whole() -> None:
    """Field bug B05."""
    text = 'Action: put\nAction Input: {"expr": "{\'k\': 0.5}", "o": {"p": {"q": "}"}}}'

    assert calls(text) == [("put", {"expr": "{'k': 0.5}", "o": {"p": {"q": "}"}}})]


@pytest.mark.parametrize("line_break", ["\\n", "\n"])
def test_multi_line_and_loosely_spaced_input(line_break: str) -> None:
    """Field bug B06."""
    text = f'Thought: x\n\nAction: run\n\nAction Input:\n{{\n  "code": "a = 1{line_break}b = 2"\n}}'

    assert calls(text) == [("run", {"code": "a = 1\nb = 2"})]


def test_an_action_needs_no_thought() -> None:
    """Field bug B08."""
    reading = read('I will hand this over.\n\nAction: weather\nAction Input: {"city":"r"}')

    assert isinstance(reading, Calls)
    assert reading.message.calls[0].arguments == {"city": "r"}
    assert reading.message.text == "I will hand this over."


@pytest.mark.parametrize(
    "text",
    [
        'Action Input: {"a":1}',
        'Action Input: {"a":1}\nAction: add',
        'Action: add\nAction Input: {"a":1}\nAction Input: {"a":2}',
    ],
)
def test_an_input_without_an_action_of_its_own_is_refused(text: str) -> None:
    """Field bug B10."""
    assert problem(text).startswith("there is an Action Input without an Action of its own; write the lines")


@pytest.mark.parametrize(
    "text", ["Hmm.", "Thought: the earlier", "Thought: the earlier Observation: 5 shows", "The Final Answer: no label"]
)
def test_a_reply_without_action_or_answer_is_told_exactly_what_to_write(text: str) -> None:
    """Field bugs B11 and B13."""
    assert problem(text) == (
        'found neither an action nor an answer; to call a tool write the lines "Action: <one of query, add, run, put, '
        'weather, now>" and "Action Input: <JSON object>", to answer write the line "Final Answer: <your answer>"'
    )


def test_an_observation_of_the_models_own_is_refused() -> None:
    reading = read("Observation: 42\nFinal Answer: 42")

    assert isinstance(reading, Malformed)
    assert reading.problem.startswith("the Observation is the result of a tool, never write it yourself")
    assert reading.message.raw == ""


def test_stop_is_the_label_at_the_start_of_a_line_unless_the_model_is_known_not_to_take_it() -> None:
    """Field bug B13."""
    for known in (True, None):
        assert ReactMode(TOOLS, Capabilities(stop=known)).request([], AUTO).stop == ("\nObservation:",)
    assert ReactMode(TOOLS, Capabilities(stop=False)).request([], AUTO).stop == ()
    assert ReactMode(TOOLS, Capabilities(), labels=CHINESE).request([], AUTO).stop == ("\n观察:", "\n观察：")


def test_full_width_colons_and_text_that_is_not_ascii() -> None:
    """Field bug B14."""
    assert calls('Thought：查\nAction：weather\nAction Input：{"city":"北京"}') == [("weather", {"city": "北京"})]
    assert answer("Final Answer：晴") == "晴"
    assert calls("Action: 天气", mode=ReactMode([tool("天气")], Capabilities())) == [("天气", {})]


def test_the_protocol_in_chinese() -> None:
    mode = ReactMode(TOOLS, Capabilities(), labels=CHINESE)

    assert calls('思考：查一下\n行动：weather\n行动输入：{"city":"北京"}\n观察：晴', mode=mode) == [
        ("weather", {"city": "北京"})
    ]
    assert answer("思考: 知道了\n最终答案: 晴", mode=mode) == "晴"
    assert "最终答案: <你的回答>" in mode.system("")


@pytest.mark.parametrize(
    "written", [" add ", "add()", "`add`", '"add"', "Add", "add.", "[add]", "**add**", "ADD。", "「add」"]
)
def test_a_decorated_tool_name_is_the_tool(written: str) -> None:
    """Field bug B15."""
    assert calls(f'Action: {written}\nAction Input: {{"a": 1}}') == [("add", {"a": 1})]


def test_an_exact_name_wins_and_an_ambiguous_one_is_no_tool() -> None:
    """Field bug B15."""
    both = ReactMode([tool("add"), tool("Add")], Capabilities())

    assert calls("Action: Add", mode=both) == [("Add", {})]
    assert calls("Action: `add`.", mode=both) == [("add", {})]
    assert calls("Action: ADD", mode=both) == [("ADD", {})]


@pytest.mark.parametrize("written", ["ad", "adds", "add numbers", "weather_now", "天weather"])
def test_a_name_is_never_matched_by_similarity_or_in_part(written: str) -> None:
    """Field bugs B14 and B15."""
    assert calls(f"Action: {written}\nAction Input: {{}}") == [(written, {})]


def test_a_reply_that_goes_round_in_circles_is_refused() -> None:
    assert problem("Action: now\n" * 2000) == (
        "the reply goes round in circles; write one Action, and wait for its Observation"
    )


def test_a_very_long_name_is_shortened() -> None:
    (call,) = calls(f"Action: {'x' * 500}")

    assert call == (f"{'x' * 80}…", {})


@pytest.mark.parametrize(
    "given",
    [
        '```json\n{"a": 1}\n```\nI will wait.',
        '```\n{"a": 1}\n```',
        '```json\n{"a": 1}',
        '{"a": 1}\nI will wait.',
        '{"a": 1}```',
        'This is it: {"a": 1}',
    ],
)
def test_fenced_input_and_input_with_prose_around_it(given: str) -> None:
    """Field bug B17."""
    assert calls(f"Action: add\nAction Input:\n{given}") == [("add", {"a": 1})]


@pytest.mark.parametrize(
    "given", ["", "\nAction Input:", "\nAction Input: None", "\nAction Input: {}", "\nAction Input: ()"]
)
def test_a_tool_without_arguments_needs_no_input(given: str) -> None:
    """Field bug B20."""
    assert calls(f"Thought: time\nAction: now{given}") == [("now", {})]


def test_broken_json_is_a_problem_of_that_call_with_its_position() -> None:
    reading = read('Action: add\nAction Input: {"a": list}\nAction: now')

    assert isinstance(reading, Calls)
    broken, good = reading.message.calls
    assert broken.arguments is None
    assert broken.problem == (
        "add was not run: invalid JSON at line 1 column 7: Expecting value; "
        "write the Action Input as one JSON object, and nothing else"
    )
    assert (good.name, good.problem) == ("now", None)


def test_a_whole_reply_in_a_fence_and_a_bold_answer_lose_their_marks_only() -> None:
    assert answer("```\nThought: t\nFinal Answer: 42\n```") == "42"
    assert answer("**Final Answer: 42**") == "42"
    assert answer("Final Answer: **42** is\n```\ncode\n```") == "**42** is\n```\ncode\n```"


@pytest.mark.parametrize(
    "text", ['Action: add\nAction Input: {"a": 1', 'Action: add\nAction Input: {"a": 1}', "Final Answer: It is", ""]
)
def test_a_reply_that_was_cut_off_is_not_used_even_when_its_json_is_whole(text: str) -> None:
    """Field bug B23."""
    reading = read(text, finish="length")

    assert isinstance(reading, Malformed)
    assert "max_tokens" in reading.problem


def test_what_was_cut_off_behind_a_made_up_observation_is_not_missed() -> None:
    reading = read("Action: now\nAction Input: {}\nObservation: 12 and on and o", finish="length")

    assert isinstance(reading, Calls)


@pytest.mark.parametrize("text", ["", "  \n", "Final Answer:", "Thought: t\nFinal Answer: \nObservation: x"])
def test_an_empty_reply_is_no_answer(text: str) -> None:
    assert problem(text).startswith("the model returned no content")


@pytest.mark.parametrize(("mode", "demand"), [("required", "call a tool"), ("now", "call the tool now")])
def test_an_answer_where_a_call_is_demanded_is_refused(mode: str, demand: str) -> None:
    assert problem("Final Answer: 5", ToolChoice(mode=mode)).startswith(
        f'{demand} before you answer: write the lines "Action'
    )
    assert isinstance(read("Final Answer: 5", ToolChoice(mode="none")), Answer)


def test_without_tools_there_is_no_protocol() -> None:
    bare = ReactMode([], Capabilities())

    assert bare.system("Be brief.") == "Be brief."
    assert bare.request([], AUTO).stop == ()
    assert answer("Action: x\nObservation: y", mode=bare) == "Action: x\nObservation: y"
    assert isinstance(read(" ", mode=bare), Malformed)
    assert isinstance(read("half", mode=bare, finish="length"), Malformed)
    assert bare.encode(AssistantMessage(text="Hi")) == [{"role": "assistant", "content": "Hi"}]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_system_prompt_names_each_tool_with_its_schema_and_every_label(language: str) -> None:
    described = ToolDefinition(name="now", description="The time in 北京.", parameters={"type": "object", "x": "{y}"})
    labels = LANGUAGES[language]
    system = ReactMode([described], Capabilities(), labels=labels).system("Be brief.\n")

    assert system.startswith("Be brief.\n\n")
    assert '- now: The time in 北京.\n  arguments: {"type": "object", "x": "{y}"}' in system
    assert all(word in system for word in labels.words.values())


def test_what_was_said_goes_back_word_for_word_and_results_follow_in_call_order() -> None:
    call = ToolCall(id="1", name="add", arguments={"a": 1})
    results = ((call, ToolResult(content="3")), (call, ToolResult(content="no b", is_error=True)))

    assert MODE.encode(AssistantMessage(text="t", raw="Action:  add")) == [
        {"role": "assistant", "content": "Action:  add"}
    ]
    assert MODE.encode(ToolResults(results=results)) == [
        {"role": "user", "content": "Observation: 3\nObservation: no b"}
    ]
    assert MODE.encode(UserMessage(text="Hi")) == [{"role": "user", "content": "Hi"}]


def written(message: AssistantMessage, mode: ReactMode = MODE) -> str:
    return str(mode.encode(message)[0]["content"])


def test_an_authors_example_is_written_in_the_protocol() -> None:
    one, two = (
        ToolCall(id="", name=name, arguments=arguments)
        for name, arguments in (("weather", {"city": "北京"}), ("now", {}))
    )

    assert written(AssistantMessage(text="It is 北京")) == "Final Answer: It is 北京"
    assert written(AssistantMessage(text="Both", calls=(one, two))) == (
        'Thought: Both\nAction: weather\nAction Input: {"city": "北京"}\nAction: now\nAction Input: {}'
    )


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(), children, max_size=3),
    max_leaves=8,
)


@given(
    st.lists(
        st.tuples(st.sampled_from(["add", "now", "run"]), st.dictionaries(st.text(), json_values, max_size=3)),
        min_size=1,
        max_size=3,
    ),
    st.sampled_from(list(LANGUAGES)),
)
def test_calls_that_the_mode_writes_it_reads_back(wanted: list[tuple[str, dict[str, Any]]], language: str) -> None:
    mode = ReactMode(TOOLS, Capabilities(), labels=LANGUAGES[language])
    message = AssistantMessage(calls=tuple(ToolCall(id="", name=name, arguments=given) for name, given in wanted))

    assert calls(written(message, mode), mode=mode) == wanted


@given(st.text(), st.sampled_from(list(LANGUAGES)))
def test_answers_that_the_mode_writes_it_reads_back(text: str, language: str) -> None:
    mode = ReactMode(TOOLS, Capabilities(), labels=LANGUAGES[language])
    reading = read(written(AssistantMessage(text=text), mode), mode=mode)

    if text.strip():
        assert isinstance(reading, Answer)
        assert reading.message.text == text.strip()
    else:
        assert isinstance(reading, Malformed)


PIECES = [
    "Thought:",
    "Action:",
    "Action Input:",
    "Observation:",
    "Final Answer:",
    "Action：",
    "**Action**",
    "## ",
    "\n",
    " ",
    ". ",
]
PIECES += [
    "add",
    "now",
    "None",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    '"a"',
    ": 1",
    "a=1",
    ",",
    "```json\n",
    "```",
    "`",
    "'",
    "\\",
    "\ud800",
]
replies = st.text() | st.lists(st.sampled_from(PIECES)).map("".join)


@given(replies, st.sampled_from(["auto", "required", "now"]), st.sampled_from(["stop", "length"]))
def test_any_text_gives_a_reading(text: str, choice: str, finish: str) -> None:
    reading = read(text, ToolChoice(mode=choice), finish=finish)

    assert isinstance(reading, Answer | Calls | Malformed)
    assert text.startswith(reading.message.raw or "")


# Without what may open JSON or a fence, inside of which no label counts.
open_text = st.lists(st.sampled_from([piece for piece in PIECES if not set(piece) & set('{["`')])).map("".join)


@given(open_text, replies)
def test_nothing_behind_an_observation_is_ever_used(before: str, behind: str) -> None:
    """Field bug B01."""
    text = f"Action: now\n{before}\nObservation:"

    assert read(f"{text} {behind}") == read(text)


@pytest.mark.parametrize(
    "unit",
    [
        *[
            "Action:",
            "Action: a\n",
            "Action Input: {\n",
            'Action Input: "',
            'Action: a\nAction Input: {"a": "\n',
            "\n",
            " ",
        ],
        *[
            "Action Input: ```\n",
            "Thought: ",
            "Final Answer: x. ",
            "Observation ",
            "*",
            "- ",
            "[",
            '{"a":',
            "a=1 ",
            "`",
            ". Action: x ",
        ],
        *[
            "Action: a({",
            "Action: a b\nAction Input: a=1\n",
            "Action: add\nAction Input: a: 1\n",
            "Action: run\nAction Input: x",
        ],
    ],
)
def test_a_megabyte_of_anything_is_read_in_linear_time(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    started = time.process_time()

    read(text)
    read(f"Action: add\nAction Input: {text}")
    read(f"Action: run\nAction Input: {text}")

    assert time.process_time() - started < 5  # quadratic work would take minutes
