"""Functions that tests call as tools, one per kind of behaviour."""

import asyncio
import contextvars
import datetime as dt
import functools
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Any

from runner.engine.messages import ToolResult

# Set by a test, read by a tool.
WHO = contextvars.ContextVar("WHO", default="nobody")


class Color(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Point:
    x: int
    y: int = 0


def add(left: int, right: int = 1) -> int:
    """Add two numbers.

    Args:
        left: The first.
    """
    return left + right


async def add_async(left: int) -> int:
    return left + 1


def add_later(left: int) -> Awaitable[int]:
    """A plain function that returns a coroutine."""
    return add_async(left)


async def fails_async() -> str:
    raise LookupError("nothing there")


def fails(kind: str) -> str:
    if kind == "group":
        raise ExceptionGroup("several", [ValueError("one"), KeyError("two")])
    if kind == "path":
        raise ValueError(f"cannot read {__file__}")
    if kind == "silent":
        raise ValueError
    if kind == "unprintable":
        raise UnprintableError
    if kind == "stop":
        raise StopIteration("early")
    raise {"interrupt": KeyboardInterrupt, "cancelled": asyncio.CancelledError}.get(kind, ValueError)("the reason")


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


def leave(code: Any = None) -> None:
    sys.exit(code)


async def leave_async() -> None:
    sys.exit(3)


async def cancels_itself() -> None:
    raise asyncio.CancelledError


async def waits() -> str:
    await asyncio.sleep(60)
    return "late"


def blocks(seconds: float) -> str:
    time.sleep(seconds)
    return threading.current_thread().name


def meets(barrier: str = "") -> str:
    """Returns only when eight calls are inside at the same time."""
    MEETING.wait(timeout=30)
    return "met"


MEETING = threading.Barrier(8)


def who() -> str:
    return WHO.get()


def is_daemon() -> bool:
    return threading.current_thread().daemon


def paint(color: Color, point: Point) -> str:
    return f"{color!r} {point!r}"


def changes(items: list[Any]) -> int:
    items.append("changed")
    items[0]["deep"] = "changed"
    return len(items)


def verdict() -> ToolResult:
    return ToolResult(content="as it is", is_error=True)


def nothing() -> None:
    return None


def odd_values() -> dict[Any, Any]:
    return {
        "t": dt.datetime(2024, 1, 2, 3, 4, tzinfo=dt.UTC),
        "d": Decimal("1.10"),
        "b": b"\xff",
        "s": {1},
        ("k", 1): 1,
    }


def itself() -> list[Any]:
    items: list[Any] = []
    items.append(items)
    return items


def huge() -> str:
    return "é" * 5_000_000


def endless() -> Iterator[int]:
    number = 0
    while True:
        yield number
        number += 1


CLOSED: list[str] = []


async def endless_async() -> AsyncIterator[str]:
    try:
        while True:
            yield "tick"
    finally:
        CLOSED.append("endless_async")


async def few_async() -> AsyncIterator[int]:
    yield 1
    yield 2


add_two: Callable[..., int] = functools.partial(add, right=2)


class Multiplier:
    def __call__(self, left: int) -> int:
        return left * 10


multiply = Multiplier()


class Greeting:
    """A greeting, made by calling its class.

    Args:
        name: Who is greeted.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return f"Hello {self.name}"


def takes_anything(**values: Any) -> str:
    return repr(values)


NOT_CALLABLE = 3
