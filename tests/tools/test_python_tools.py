"""Calling Python tools: every kind of function, every way to fail, and never a call without an answer."""

import asyncio
import contextlib
import gc
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runner.engine.messages import ToolResult
from runner.engine.ports import Tool
from runner.tools import ToolLoadError
from tests.tools.conftest import SAMPLES, Open, context, open_in

# A bound so generous that only a hang exceeds it.
HANG_SECONDS = 20


async def answered(tool: Tool, **arguments: Any) -> str:
    result = await tool.call(arguments, context())
    assert not result.is_error, result.content
    return result.content


async def failed(tool: Tool, **arguments: Any) -> str:
    result = await tool.call(arguments, context())
    assert result.is_error, result.content
    return result.content


def test_the_model_is_told_the_docstring_and_the_signature(sample: Open) -> None:
    definition = sample("add").definition

    assert (definition.name, definition.description) == ("sample", "Add two numbers.")
    assert definition.parameters["properties"]["left"] == {"type": "integer", "description": "The first."}


def test_what_is_declared_wins_over_the_docstring(sample: Open) -> None:
    tool = sample("add", description="Sum.", timeout=2.5, return_direct=True)

    assert (tool.definition.description, tool.timeout, tool.return_direct) == ("Sum.", 2.5, True)


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        ("add", {"left": "2"}, "3"),
        ("add_async", {"left": 1}, "2"),  # field bug B34
        ("add_later", {"left": 1}, "2"),
        ("few_async", {}, "[1,2]"),
        ("nothing", {}, "(no result)"),
        ("add_two", {"left": 1}, "3"),
        ("multiply", {"left": 4}, "40"),
        ("Greeting", {"name": "Ada"}, '"Hello Ada"'),
        ("takes_anything", {"a": 1}, "{'a': 1}"),
        ("paint", {"color": "RED", "point": '{"x": "1"}'}, "<Color.RED: 'red'> Point(x=1, y=0)"),
    ],
)
async def test_every_kind_of_callable_is_called(
    sample: Open, function: str, arguments: dict[str, Any], expected: str
) -> None:
    assert await answered(sample(function), **arguments) == expected


async def test_a_tool_without_parameters_takes_an_empty_object(sample: Open) -> None:  # field bug B21
    tool = sample("nothing")

    assert tool.definition.parameters == {"type": "object", "properties": {}, "additionalProperties": False}
    assert await answered(tool) == "(no result)"


async def test_wrong_arguments_are_answered_with_everything_that_is_wrong_and_nothing_runs(sample: Open) -> None:
    assert await failed(sample("add"), lefd=1, right="x") == (
        "sample was not run, its arguments are wrong:\n"
        "- lefd: there is no such argument, did you mean 'left'?\n"
        "- left: missing, expected an integer\n"
        '- right: expected a valid integer, found "x"\n'
        "sample: its arguments are: left (required), right"
    )


async def test_what_a_tool_changes_is_its_own_copy(sample: Open) -> None:
    arguments = {"items": [{"deep": "as it was"}]}

    assert await answered(sample("changes"), **arguments) == "2"
    assert arguments == {"items": [{"deep": "as it was"}]}


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("other", "ValueError: the reason"),  # field bug B27
        ("silent", "ValueError"),
        ("interrupt", "KeyboardInterrupt: the reason"),
        ("cancelled", "CancelledError: the reason"),
        ("stop", "StopIteration: early"),
        ("group", "ValueError: one; KeyError: 'two'"),
        ("path", "ValueError: cannot read sample_tools.py"),
        ("unprintable", "UnprintableError"),
    ],
)
async def test_an_exception_is_told_by_its_kind_and_message(sample: Open, kind: str, told: str) -> None:
    assert await failed(sample("fails"), kind=kind) == told


async def test_an_exception_of_an_async_tool_is_told_the_same_way(sample: Open) -> None:
    assert await failed(sample("fails_async")) == "LookupError: nothing there"


@pytest.mark.parametrize(("code", "told"), [(0, "exit(0)"), (None, "exit()"), ("bye", "exit(bye)")])
async def test_a_tool_that_exits_does_not_end_the_process(sample: Open, code: Any, told: str) -> None:  # field bug B36
    assert await failed(sample("leave"), code=code) == f"tool called {told}"
    assert await failed(sample("leave_async")) == "tool called exit(3)"


async def test_an_exception_with_a_huge_message_is_cut(sample: Open) -> None:
    content = await failed(sample("fails", max_result_chars=10), kind="other")

    assert content == "ValueError… [cut: 10 of 22 characters shown]"


async def test_a_result_made_by_the_tool_passes_as_it_is(sample: Open) -> None:
    assert await sample("verdict").call({}, context()) == ToolResult(content="as it is", is_error=True)


async def test_results_that_json_cannot_hold_reach_the_model(sample: Open) -> None:  # field bug B32
    assert await answered(sample("odd_values")) == (
        '{"t":"2024-01-02T03:04:00Z","d":"1.10","b":"/w==","s":[1],"k,1":1}'
    )
    assert (
        await failed(sample("itself")) == "sample ran, but the result contains itself, so it cannot be written as JSON"
    )


@pytest.mark.parametrize("function", ["huge", "endless", "endless_async"])  # field bug B33
async def test_huge_and_endless_results_are_cut(sample: Open, function: str) -> None:
    shown, _, note = (await answered(sample(function, max_result_chars=1000))).partition("… [cut: ")

    assert len(shown) == 1000
    assert note


async def test_a_tool_that_cancels_itself_has_failed(sample: Open) -> None:
    assert await failed(sample("cancels_itself")) == "CancelledError"


async def test_cancelling_the_call_cancels_the_tool(sample: Open) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await sample("waits").call({}, context())


async def test_a_call_that_is_cancelled_does_not_wait_for_a_blocking_tool(sample: Open) -> None:  # field bug B55
    started = time.monotonic()

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await sample("blocks").call({"seconds": 3}, context())

    assert time.monotonic() - started < 2.5


async def test_eight_blocking_calls_run_at_the_same_time(sample: Open) -> None:
    tool = sample("meets")

    async with asyncio.timeout(HANG_SECONDS):
        results = await asyncio.gather(*(tool.call({}, context()) for _ in range(8)))

    assert [result.content for result in results] == ["met"] * 8


async def test_a_blocking_tool_runs_in_a_daemon_thread_that_sees_the_context(sample: Open) -> None:
    tool = sample("who")
    module = sys.modules["sample_tools"]
    token = module.WHO.set("Ada")
    try:
        assert await answered(tool) == "Ada"
    finally:
        module.WHO.reset(token)
    assert await answered(sample("is_daemon")) == "true"


async def test_a_system_without_more_threads_is_a_tool_error(sample: Open) -> None:
    before = threading.stack_size(2**45)  # more than there are addresses for: no thread can start
    try:
        told = await failed(sample("add"), left=1)
    finally:
        threading.stack_size(before)

    assert told == "RuntimeError: can't start new thread"


def test_a_tool_that_ends_after_its_event_loop_disturbs_nobody(sample: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    raised: list[object] = []
    monkeypatch.setattr(threading, "excepthook", raised.append)
    tool = sample("blocks")

    async def give_up() -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.01):
                await tool.call({"seconds": 0.2}, context())

    before = set(threading.enumerate())
    asyncio.run(give_up())
    for thread in set(threading.enumerate()) - before:
        thread.join(HANG_SECONDS)

    assert raised == []


def test_the_process_can_end_while_a_tool_still_blocks() -> None:
    code = (
        "import asyncio, contextlib, sys\n"
        "from tests.tools.conftest import SAMPLES, context, open_in\n"
        "async def main():\n"
        "    with contextlib.suppress(TimeoutError):\n"
        "        async with asyncio.timeout(0.05):\n"
        "            await open_in(SAMPLES, 'sample_tools:blocks').call({'seconds': 600}, context())\n"
        "asyncio.run(main())\n"
        "print('done')"
    )

    ended = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60, cwd=Path.cwd()
    )

    assert (ended.stdout, ended.stderr) == ("done\n", "")


def test_the_same_tool_serves_several_event_loops(sample: Open) -> None:
    tools = [sample("add_async"), sample("add")]

    assert [asyncio.run(answered(tool, left=1)) for tool in tools for _ in range(2)] == ["2", "2", "2", "2"]


async def test_closing_a_call_is_not_taken_for_a_failure_of_the_tool(sample: Open) -> None:
    call = sample("waits").call({}, context())
    task = asyncio.ensure_future(call)
    await asyncio.sleep(0)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    gc.collect()


# `parameters` in YAML replaces the schema; the function still gets its own types.
PAINT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "color": {"type": "string", "enum": ["red"], "description": "Only red."},
        "point": {"type": "object", "default": {"x": 7}},
    },
    "required": ["color"],
}


def test_declared_parameters_are_what_the_model_sees_and_they_are_closed(sample: Open) -> None:
    parameters = sample("paint", parameters=PAINT).definition.parameters

    assert parameters == {**PAINT, "additionalProperties": False}


def test_declared_parameters_stay_open_where_the_author_says_so(sample: Open) -> None:
    open_ones = {"type": "object", "additionalProperties": {"type": "integer"}}

    assert sample("takes_anything", parameters=open_ones).definition.parameters == {**open_ones, "properties": {}}


async def test_declared_defaults_are_filled_in_and_types_converted(sample: Open) -> None:
    tool = sample("paint", parameters=PAINT)

    assert await answered(tool, color="RED") == "<Color.RED: 'red'> Point(x=7, y=0)"


async def test_values_are_held_against_declared_parameters(sample: Open) -> None:
    tool = sample("paint", parameters=PAINT)

    told = await failed(tool, color="blue", pont={})

    assert "- pont: there is no such argument, did you mean 'point'?" in told
    assert "color" in told
    assert "red" in told


async def test_a_problem_with_a_declared_parameter_is_told_once(sample: Open) -> None:
    numbers = {"left": {"type": "integer"}, "right": {"type": "integer"}}
    schema = {"type": "object", "properties": numbers, "required": ["left"]}

    told = await failed(sample("add", parameters=schema), left=True, right="NaN")

    assert (told.count("- left"), told.count("- right")) == (1, 1)


@pytest.mark.parametrize(
    ("properties", "told"),
    [
        ({"left": {}, "rihgt": {}}, "it does not take the declared parameter 'rihgt'; it takes: left, right"),
        ({"right": {}}, "it needs 'left', which is not among the declared parameters"),
        ({"left": {}}, "it needs 'left', which the declared parameters do not require"),
        (
            {"left": {"type": "string", "default": "1"}},
            "'left' is declared as a string, and the function takes a number",
        ),
    ],
)
def test_declared_parameters_that_cannot_reach_the_function_are_an_error(
    sample: Open, properties: dict[str, Any], told: str
) -> None:
    with pytest.raises(ToolLoadError, match=told):
        sample("add", parameters={"type": "object", "properties": properties})


async def test_declared_bounds_hold_and_slips_are_mended(sample: Open) -> None:
    schema = {"type": "object", "properties": {"left": {"type": "integer", "maximum": 5}}, "required": ["left"]}
    tool = sample("add", parameters=schema)

    assert await answered(tool, left="5") == "6"
    assert "left" in await failed(tool, left=6)


async def test_declared_parameters_make_a_callable_without_a_signature_usable(write: Callable[..., Path]) -> None:
    root = write("a", odd_types="class Odd: ...\n\ndef tool(x: Odd): return repr(x)\n")
    tool = open_in(root, "odd_types:tool", parameters={"type": "object", "properties": {"x": {"type": "integer"}}})

    assert await answered(tool, x="3") == "3"


async def test_the_example_toolset_works() -> None:
    root = SAMPLES.parent.parent.parent / "tools.d"

    assert await answered(open_in(root, "weather_tools:get_weather"), city="oslo", unit="Fahrenheit") == (
        '{"city":"Oslo","temperature":26.6,"unit":"fahrenheit","sky":"snow"}'
    )
    assert await failed(open_in(root, "weather_tools:get_weather"), city="Atlantis") == (
        "ValueError: no weather for 'Atlantis'; there is weather for "
        "Cairo, Lima, London, Nairobi, Oslo, Rome, São Paulo, Tokyo"
    )
    assert (await answered(open_in(root, "weather_tools:get_forecast"), city="Rome", days="2")).count("Rome") == 2


SLOW_WORDS = """
import time


class SlowError(Exception):
    def __str__(self):
        time.sleep(0.5)
        return "slow"


class ExitingError(Exception):
    def __str__(self):
        raise SystemExit(9)


class Slow:
    def __str__(self):
        time.sleep(0.5)
        return "slow"


async def fails():
    raise SlowError


async def exits():
    raise ExitingError


async def gives():
    return Slow()


async def nests():
    error = ValueError("inside")
    for _ in range(5000):
        error = ExceptionGroup("g", [error])
    raise error


async def nests_many():
    raise ExceptionGroup("g", [ValueError(str(n)) for n in range(100_000)])


async def gives_an_exception():
    return ValueError("as a value")
"""


@pytest.mark.parametrize("function", ["fails", "gives"])
async def test_the_words_of_a_tool_take_their_time_without_holding_the_others_up(
    write: Callable[..., Path], function: str
) -> None:
    tool = open_in(write("a", slow_words=SLOW_WORDS), f"slow_words:{function}")
    call = asyncio.ensure_future(tool.call({}, context()))
    turns = 0
    while not call.done():
        await asyncio.sleep(0.01)
        turns += 1

    assert "slow" in call.result().content
    assert turns > 5


@pytest.mark.parametrize(
    ("function", "told"),
    [
        ("exits", "ExitingError"),
        ("nests", "ValueError: inside"),
        ("nests_many", "; ".join(f"ValueError: {n}" for n in range(20)) + "; …"),
    ],
)
async def test_exceptions_that_cannot_be_told_in_full_are_told_in_short(
    write: Callable[..., Path], function: str, told: str
) -> None:
    assert await failed(open_in(write("a", slow_words=SLOW_WORDS), f"slow_words:{function}")) == told


async def test_an_exception_that_is_given_and_not_raised_is_a_result(write: Callable[..., Path]) -> None:
    tool = open_in(write("a", slow_words=SLOW_WORDS), "slow_words:gives_an_exception")

    assert await answered(tool) == '"as a value"'


async def test_a_validator_that_raises_anything_ends_only_its_call(write: Callable[..., Path]) -> None:
    text = (
        "from typing import Annotated\nfrom pydantic import BeforeValidator\n"
        "def bad(value):\n    raise RuntimeError('no')\n"
        "def tool(x: Annotated[int, BeforeValidator(bad)]):\n    return x\n"
    )
    tool = open_in(write("a", bad_validator=text), "bad_validator:tool")

    assert tool.check({"x": 1}) is None
    assert await failed(tool, x=1) == "RuntimeError: no"


async def test_a_declared_default_stands_for_a_required_parameter(sample: Open) -> None:
    schema = {"type": "object", "properties": {"left": {"type": ["number", "null"], "default": 4}}}

    assert await answered(sample("add", parameters=schema)) == "5"
