"""Calls one tool as the engine does in a run, without a model."""

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass

from runner.engine.events import ToolLogged, ToolReturned
from runner.engine.execute import Executor
from runner.engine.messages import ToolCall, ToolResult
from runner.engine.ports import Tool
from runner.engine.scope import Interrupted, RunControl, Scope
from runner.environment import Secrets
from runner.masking import masked
from runner.spec import JsonObject, Limits

_ID = "call_1"


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """How the call went; `result` is None when somebody interrupted it."""

    result: ToolResult | None
    seconds: float = 0.0


async def call_once(
    tool: Tool, arguments: JsonObject, limits: Limits, control: RunControl, tell: Callable[[ToolLogged], None]
) -> Outcome:
    """Call a tool once.

    Args:
        tool: the opened tool.
        arguments: as a model would give them.
        limits: `tool_timeout` holds for a tool without a timeout of its own.
        control: interrupts the call.
        tell: is given what the tool logs, secrets masked.
    """
    name = tool.definition.name
    secrets = Secrets(tool.secrets)
    executor = Executor({name: tool}, limits, Scope(control), mask=secrets.mask_cut)
    results: dict[str, ToolResult] = {}
    seconds = 0.0
    call = ToolCall(id=_ID, name=name, arguments=arguments)
    try:
        async with aclosing(executor.execute(1, [call], results)) as events:
            async for event in events:
                if isinstance(event, ToolLogged):
                    tell(masked(event, secrets))
                elif isinstance(event, ToolReturned):
                    seconds = event.seconds
    except Interrupted:
        return Outcome(result=None)
    finally:
        control.bind(None)
        await executor.close()
    return Outcome(result=results[_ID], seconds=seconds)
