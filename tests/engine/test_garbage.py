"""A run that is over is freed at once: its conversation does not wait for the garbage collector."""

import asyncio
import gc
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from runner.engine.ports import ModelError
from runner.models.scripted import Delayed
from runner.spec import Limits
from tests.engine.voices import NativeVoice, play, returning

CALL = NativeVoice().calls(("now", {}))
NONSENSE = NativeVoice().nonsense()


@pytest.fixture
def kept() -> Iterator[list[Any]]:
    """What only the collector would free; it is off meanwhile."""
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        yield gc.garbage
    finally:
        gc.set_debug(0)
        gc.enable()
        gc.garbage.clear()


@pytest.mark.parametrize(
    ("status", "script", "limits"),
    [
        ("completed", [CALL, CALL, "12"], Limits()),
        ("max_steps", [CALL, CALL], Limits(max_steps=2)),
        ("max_tool_calls", [CALL, CALL], Limits(max_tool_calls=1)),
        ("repeated_calls", [CALL, CALL], Limits(max_repeat_calls=1)),
        ("timeout", [CALL, Delayed(seconds=20, line="12")], Limits(timeout=0.05)),
        ("invalid_output", [CALL, NONSENSE, NONSENSE, NONSENSE], Limits()),
        ("model_error", [CALL, ModelError("no")], Limits()),
    ],
)
async def test_a_run_leaves_nothing_for_the_garbage_collector(
    kept: list[Any], status: str, script: list[Any], limits: Limits
) -> None:
    ran = await play("native", script, [returning("now", "12")], limits=limits)
    assert ran.finished.status == status
    del ran
    await asyncio.sleep(0)

    gc.collect()
    assert Counter(f"{type(each).__qualname__}" for each in kept if type(each).__module__.startswith("runner.")) == {}
