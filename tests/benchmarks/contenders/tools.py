"""The tools that every contender offers: they do next to nothing, and write down when they were called."""

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

Tool = Callable[..., Any]

TEXT = "A result of the usual length, as a tool gives it: some words that say little, but that are carried along."
SLOW_SECONDS, ENDLESS_SECONDS = 0.5, 30.0


class Call(NamedTuple):
    """When a tool was called, by two clocks, in seconds."""

    wall: float
    processor: float


calls: list[Call] = []
"""The calls so far, of the whole process."""


def lookup(number: int) -> str:
    """Look up the entry with this number."""
    calls.append(Call(time.perf_counter(), time.process_time()))
    # The server reads the number to know how far a conversation is.
    return f"Entry {number}: {TEXT}"


async def wait(number: int) -> str:
    """Look up the entry with this number, which takes a while."""
    await asyncio.sleep(SLOW_SECONDS)
    return lookup(number)


def block(number: int) -> str:
    """Look up the entry with this number, which takes a while."""
    time.sleep(SLOW_SECONDS)
    return lookup(number)


def hang(number: int) -> str:
    """Look up the entry with this number, which takes very long."""
    time.sleep(ENDLESS_SECONDS)
    return lookup(number)


TOOLS: Mapping[str, Tool] = {tool.__name__: tool for tool in (lookup, wait, block, hang)}
