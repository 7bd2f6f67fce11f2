"""What a tool is told of its call, how it tries again, and what it cannot do to the run."""

import asyncio
import subprocess
import sys
import time
from typing import Any

import pytest

import runner
from runner.engine.execute import Executor
from runner.engine.messages import ToolCall, ToolResult
from runner.engine.ports import Tool
from runner.engine.scope import RunControl, Scope
from runner.spec import Limits, ProjectSpec, ToolSpec
from runner.tools import ToolLoadError, open_tool
from runner.tools.annotations import UnreadableSignatureError
from runner.tools.context import ToolContext, ToolLog
from runner.tools.signature import read_signature
from tests.tools.conftest import SAMPLES, context

MODULE = "sample_methods"


def opened(
    function: str, *, env: dict[str, str] | None = None, environ: dict[str, str] | None = None, **declared: Any
) -> Tool:
    settings = {"function": f"{MODULE}:{function}", **({"env": env} if env else {})}
    spec = ToolSpec(name="sample", type="python", settings=settings, folder=str(SAMPLES), origin="x.yaml:3", **declared)
    project = ProjectSpec(root=str(SAMPLES), tools_folder=str(SAMPLES))
    tool = open_tool(spec, project, max_result_chars=20_000, environ=environ or {})
    sys.modules[MODULE].ATTEMPTS.clear()
    return tool


async def content(tool: Tool, **arguments: Any) -> str:
    return (await tool.call(arguments, context())).content


def test_the_public_name_is_the_class() -> None:
    assert runner.ToolContext is ToolContext


def test_importing_the_public_name_is_cheap() -> None:
    heavy = "{'pydantic', 'litellm', 'yaml', 'click'}"
    code = f"import sys; from runner import ToolContext; print({heavy} & sys.modules.keys())"

    ended = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60)

    assert ended.stdout == "set()\n"


@pytest.mark.parametrize(
    ("function", "properties"), [("told", ["q", "limit"]), ("maybe", ["q"]), ("first", ["q", "n"]), ("annotated", [])]
)
def test_a_context_never_shows_in_the_schema(function: str, properties: list[str]) -> None:
    assert list(opened(function).definition.parameters["properties"]) == properties


async def test_a_tool_is_told_its_call_its_time_and_its_secrets() -> None:
    tool = opened("told", env={"KEY": "${API_KEY}", "MODE": "fast"}, environ={"API_KEY": "s3cret"})

    assert await content(tool, q="x") == "call_1 None True {'KEY': 's3cret', 'MODE': 'fast'}"
    assert tool.secrets == {"s3cret"}
    assert "s3cret" not in repr(tool)


async def test_a_context_goes_where_the_function_takes_it() -> None:
    assert await content(opened("maybe"), q="y") == "y True"
    assert await content(opened("first"), q="x", n=2) == "call_1 x 2"
    assert 0 < float(await content(opened("async_told"))) <= 60


async def test_a_model_cannot_give_the_context() -> None:
    assert "ctx: there is no such argument" in await content(opened("told"), q="x", ctx={"call_id": "mine"})
    assert "context: there is no such argument" in await content(opened("annotated"), context=1)
    assert await content(opened("annotated"), other=1) == "call_1 {'other': 1}"


async def test_a_context_is_given_with_declared_parameters_too() -> None:
    declared = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}

    assert (await content(opened("told", parameters=declared), q="x")).startswith("call_1")


@pytest.mark.parametrize(
    ("function", "told"),
    [
        ("two", "parameters 'a' and 'b' both ask for the ToolContext: keep one"),
        ("starred", r"asks for many ToolContexts: remove the '\*'"),
    ],
)
def test_more_than_one_context_is_an_error(function: str, told: str) -> None:
    with pytest.raises(ToolLoadError, match=told):
        opened(function)


def test_a_list_of_contexts_is_nothing_a_model_can_give() -> None:
    def wrong(contexts: list[ToolContext]) -> None: ...

    with pytest.raises(UnreadableSignatureError, match="'contexts'"):
        read_signature(wrong, {})


async def test_what_a_tool_logs_is_told_with_its_level_and_never_fails() -> None:
    seen: list[tuple[str, str]] = []

    await opened("logs_from_a_thread").call({}, context(log=lambda *entry: seen.append(entry)))

    assert seen == [
        ("debug", "a"),
        ("warning", "%d"),
        ("error", "(a message that cannot be written: TypeError)"),
        ("info", "{'k': 1}"),
    ]


def test_the_time_that_remains_is_never_negative() -> None:
    late = ToolContext(call_id="c", deadline=time.monotonic() - 5, log=ToolLog(write=lambda *_: None))

    assert late.remaining == 0


@pytest.mark.parametrize("function", ["flaky", "flaky_async"])
async def test_an_idempotent_tool_is_tried_again_with_growing_pauses(function: str) -> None:
    tool = opened(function, retries=2, idempotent=True)
    seen: list[tuple[str, str]] = []

    result = await tool.call({"times": 2}, context(log=lambda *entry: seen.append(entry)))

    assert result == ToolResult(content="at attempt 3")
    first, second, third = sys.modules[MODULE].ATTEMPTS
    assert third - second > second - first >= 0.2
    assert seen == [
        ("warning", "ConnectionError: try later; trying again in 0.2 s (1 of 2)"),
        ("warning", "ConnectionError: try later; trying again in 0.4 s (2 of 2)"),
    ]


@pytest.mark.parametrize(
    ("function", "arguments", "declared", "attempts"),
    [
        ("flaky", {"times": 9}, {"retries": 1, "idempotent": True}, 2),
        ("flaky", {"times": 9}, {"retries": 1}, 1),
        ("flaky", {"times": 9, "kind": "exit"}, {"retries": 1, "idempotent": True}, 1),
        ("flaky", {"times": "many"}, {"retries": 1, "idempotent": True}, 0),
        ("unwritable", {}, {"retries": 1, "idempotent": True}, 1),
    ],
)
async def test_only_what_may_pass_is_tried_again(
    function: str, arguments: dict[str, Any], declared: dict[str, Any], attempts: int
) -> None:
    tool = opened(function, **declared)

    assert (await tool.call(arguments, context())).is_error
    assert len(sys.modules[MODULE].ATTEMPTS) == attempts


async def test_a_tool_is_not_tried_again_past_the_deadline() -> None:
    tool = opened("flaky", retries=5, idempotent=True)

    assert (await tool.call({"times": 9}, context(seconds=0.1))).content == "ConnectionError: try later"
    assert len(sys.modules[MODULE].ATTEMPTS) == 1


async def test_every_attempt_gets_the_arguments_as_they_were() -> None:
    tool = opened("changes_and_fails", retries=1, idempotent=True)

    assert await content(tool, items=[1]) == "at attempt 2[1, 0]"


async def executed(tool: Tool, *, limits: Limits, **arguments: Any) -> ToolResult:
    """The result of a call as the engine makes it."""
    scope = Scope(RunControl())
    scope.start(60)
    results: dict[str, ToolResult] = {}
    call = ToolCall(id="c1", name="sample", arguments=arguments)
    async for _ in Executor({"sample": tool}, limits, scope, mask=str).execute(1, [call], results):
        pass
    return results["c1"]


@pytest.mark.parametrize(
    ("function", "arguments", "told"),
    [
        ("raises_generator_exit", {}, "GeneratorExit: closing"),
        ("cancels_its_task", {}, "CancelledError"),
        ("cancels_its_task", {"sleep": False}, "CancelledError"),
    ],
)
async def test_an_async_tool_cannot_end_the_run(function: str, arguments: dict[str, Any], told: str) -> None:
    result = await executed(opened(function), limits=Limits(), **arguments)

    assert result == ToolResult(content=told, is_error=True)


async def test_an_async_tool_that_is_cancelled_may_clean_up() -> None:
    assert (await executed(opened("cleans_up"), limits=Limits(tool_timeout=0.05))).is_error
    assert sys.modules[MODULE].CLEANED == ["cleaned up"]


async def test_an_async_tool_that_will_not_be_cancelled_is_left_behind() -> None:
    started = time.monotonic()

    result = await executed(opened("will_not_be_cancelled"), limits=Limits(tool_timeout=0.05), seconds=3)

    assert time.monotonic() - started < 2.5
    assert result.is_error
    assert "did not finish within 0.05 s" in result.content
    left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    await asyncio.wait(left)
