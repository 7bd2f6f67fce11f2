"""The whole loop in react mode: what the model is told after a bad reply, and what never becomes the answer."""

from collections.abc import Sequence

from runner.engine.events import RunFinished, exit_code
from runner.engine.run import run
from runner.engine.task import Task
from runner.models.scripted import ScriptedModel
from runner.parsing.react import ReactMode
from runner.spec import Limits
from tests.engine.voices import FakeTool, Ran, returning


async def play(replies: Sequence[str], *tools: FakeTool, max_steps: int = 20) -> Ran:
    model = ScriptedModel(replies)
    definitions = [tool.definition for tool in tools]
    events = [
        event
        async for event in run(
            Task(agent="tested", instructions="", prompt="Hello", limits=Limits(max_steps=max_steps)),
            model=model,
            tools={tool.name: tool for tool in tools},
            choose_mode=lambda capabilities, *, tools=True: ReactMode(definitions if tools else [], capabilities),
        )
    ]
    model.assert_complete()
    return Ran(events=events, model=model)


def said(ran: Ran, request: int) -> list[tuple[object, object]]:
    return [(message["role"], message["content"]) for message in ran.model.requests[request - 1].messages[1:]]


async def test_the_tool_runs_and_its_result_is_what_counts() -> None:
    """Field bug B01."""
    query = returning("query", "7")

    ran = await play(
        [
            'Thought: look it up\nAction: query\nAction Input: {"sql":"select 1"}\nObservation: 42\nFinal Answer: 42',
            "Final Answer: 7",
        ],
        query,
    )

    assert query.received == [{"sql": "select 1"}]
    assert said(ran, 2)[1:] == [
        ("assistant", 'Thought: look it up\nAction: query\nAction Input: {"sql":"select 1"}'),
        ("user", "Observation: 7"),
    ]
    assert ran.finished.answer == "7"


async def test_a_null_action_gets_one_correction() -> None:
    """Field bug B03."""
    ran = await play(
        ["Thought: no tool fits.\nAction: None\nAction Input: None", "Final Answer: hi"], returning("add", "3")
    )

    assert ran.finished.answer == "hi"
    assert ran.finished.tool_calls == 0
    assert said(ran, 2)[2][1] == (
        '"Action: None" calls no tool; to call a tool write the lines "Action: <one of add>" and '
        '"Action Input: <JSON object>", to answer write the line "Final Answer: <your answer>"'
    )


async def test_a_format_error_goes_back_to_the_model_and_is_never_the_answer() -> None:
    """Field bug B10."""
    ran = await play(['Action Input: {"a":1}', "Final Answer: ok"], returning("add", "3"))

    assert [role for role, _ in said(ran, 2)] == ["user", "assistant", "user"]
    assert said(ran, 2)[1] == ("assistant", 'Action Input: {"a":1}')
    assert ran.finished.answer == "ok"


async def test_a_model_that_never_follows_the_format_ends_the_run_with_an_error() -> None:
    """Field bug B11."""
    ran = await play(["Hmm."] * 3, returning("add", "3"), max_steps=5)

    finished: RunFinished = ran.finished
    assert (finished.status, finished.answer) == ("invalid_output", None)
    assert "no valid action or answer after 3 replies" in (finished.error or "")
    assert exit_code(finished) == 6


async def test_an_unknown_tool_is_answered_with_the_names_there_are() -> None:
    ran = await play(["Action: sum\nAction Input: {}", "Final Answer: ok"], returning("add", "3"))

    assert said(ran, 2)[2] == ("user", "Observation: there is no tool 'sum'; the tools are: add")


async def test_actions_of_one_reply_run_one_after_the_other() -> None:
    ran = await play(
        ["Action: slow\nAction: fast", "Final Answer: ok"], returning("slow", "1", seconds=0.05), returning("fast", "2")
    )

    assert [type(event).__name__ for event in ran.events if "Tool" in type(event).__name__] == [
        *["ToolCalled", "ToolReturned"] * 2
    ]
    assert said(ran, 2)[2] == ("user", "Observation: 1\nObservation: 2")
