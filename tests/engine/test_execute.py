"""The border to tools: whatever one does, its call is answered and the run goes on."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import pytest

from runner.engine.events import ToolLogged, ToolReturned
from runner.engine.execute import MAX_LOG_CHARACTERS, MAX_LOG_MESSAGES, Executor
from runner.engine.messages import ToolCall, ToolResult
from runner.engine.ports import CallContext, ToolDefinition
from runner.engine.scope import RunControl, Scope
from runner.spec import JsonObject, Limits, Risk

Body = Callable[[CallContext], Awaitable[str]]


@dataclass(frozen=True, kw_only=True)
class Borderless:
    """A tool that keeps no promise of its port."""

    body: Body
    definition: ToolDefinition = ToolDefinition(name="t", description="", parameters={"type": "object"})  # noqa: RUF009 - it is frozen
    timeout: float | None = None
    return_direct: bool = False
    risk: Risk = "low"
    idempotent: bool = False
    secrets: frozenset[str] = frozenset()

    def mended(self, arguments: JsonObject) -> JsonObject:
        return arguments

    def check(self, arguments: JsonObject) -> str | None:
        del arguments
        return None

    async def call(self, arguments: JsonObject, context: CallContext) -> ToolResult:
        del arguments
        return ToolResult(content=await self.body(context))


async def run(
    body: Body, *, mask: Callable[[str], str] = str, seconds: float = 20
) -> tuple[ToolReturned, list[ToolLogged]]:
    """One call of the tool, and what it told."""
    results: dict[str, ToolResult] = {}
    executor = Executor({"t": Borderless(body=body)}, Limits(tool_timeout=seconds), Scope(RunControl()), mask=mask)
    events = [each async for each in executor.execute(1, [ToolCall(id="1", name="t", arguments={})], results)]
    (returned,) = (each for each in events if isinstance(each, ToolReturned))
    assert results["1"].content == returned.content
    return returned, [each for each in events if isinstance(each, ToolLogged)]


class WordlessError(Exception):
    """Fails once more when it is shown."""

    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OverflowError("too big"), "t failed: OverflowError: too big"),
        (RecursionError(), "t failed: RecursionError"),
        (TimeoutError("of the tool itself"), "t failed: TimeoutError: of the tool itself"),
        (WordlessError(), "t failed: WordlessError"),
        (ValueError("x" * 10_000), f"t failed: ValueError: {'x' * 500}"),
    ],
)
async def test_an_exception_of_a_tool_is_an_error_for_the_model(error: Exception, told: str) -> None:
    async def body(_: CallContext) -> str:
        raise error

    returned, _ = await run(body)

    assert (returned.is_error, returned.content) == (True, told)


async def test_a_secret_in_an_exception_is_masked() -> None:
    async def body(_: CallContext) -> str:
        raise ValueError("the key hunter22 is wrong")

    returned, _ = await run(body, mask=lambda text: text.replace("hunter22", "***"))

    assert returned.content == "t failed: ValueError: the key *** is wrong"


async def test_a_tool_that_cancels_its_own_task_is_answered() -> None:
    async def body(_: CallContext) -> str:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(0)
        return "never"

    returned, _ = await run(body)

    assert (returned.is_error, returned.content) == (True, "t was cancelled")


async def test_a_tool_that_is_late_is_told_so() -> None:
    async def body(_: CallContext) -> str:
        await asyncio.sleep(20)
        return "late"

    returned, _ = await run(body, seconds=0.05)

    assert returned.content == "t did not finish within 0.05 s, so the run goes on without it"


async def test_a_flood_of_messages_is_cut_off_and_says_so() -> None:
    async def body(context: CallContext) -> str:
        for number in range(MAX_LOG_MESSAGES + 500):
            context.log("info", str(number))
        return "done"

    returned, logged = await run(body)

    assert returned.content == "done"
    assert [each.message for each in logged[-2:]] == ["999", "… (what the tool logs further is not shown)"]
    assert len(logged) == MAX_LOG_MESSAGES + 1


async def test_large_messages_are_cut_off_together() -> None:
    async def body(context: CallContext) -> str:
        for _ in range(100):
            context.log("info", "x" * 30_000)
        return "done"

    _, logged = await run(body)

    assert [len(each.message) for each in logged[:-1]] == [30_000, 30_000, 30_000, 10_000]
    assert sum(len(each.message) for each in logged[:-1]) == MAX_LOG_CHARACTERS


async def test_a_message_is_masked_before_it_is_cut() -> None:
    async def body(context: CallContext) -> str:
        context.log("info", "x" * (MAX_LOG_CHARACTERS - 3) + "hunter22")
        return "done"

    _, logged = await run(body, mask=lambda text: text.replace("hunter22", "***"))

    assert logged[0].message.endswith("x***")


async def test_messages_of_many_threads_are_counted_together() -> None:
    async def body(context: CallContext) -> str:
        def flood() -> None:
            for _ in range(MAX_LOG_MESSAGES):
                context.log("info", "x")

        threads = [threading.Thread(target=flood) for _ in range(4)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):  # noqa: ASYNC110 - threads tell no event
            await asyncio.sleep(0.01)
        return "done"

    _, logged = await run(body)

    assert len(logged) == MAX_LOG_MESSAGES + 1
