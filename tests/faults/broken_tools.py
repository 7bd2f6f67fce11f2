"""Tools that do everything a tool should not."""

import asyncio
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator


class Nasty(BaseException):
    """No ordinary exception."""


class Unprintable(Exception):  # noqa: N818 - one of many
    """Fails once more when it is shown."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


def sleeps() -> str:
    time.sleep(20)
    return "late"


async def awaits() -> str:
    await asyncio.sleep(20)
    return "late"


async def refuses_to_stop() -> str:
    end = time.monotonic() + 3
    while time.monotonic() < end:
        try:
            await asyncio.sleep(0.05)
        except asyncio.CancelledError:
            continue
    return "late"


def raises() -> str:
    raise ValueError("no such city")


def exits() -> str:
    sys.exit(3)


def interrupts() -> str:
    raise KeyboardInterrupt


def raises_nastily() -> str:
    raise Nasty("out")


def raises_without_words() -> str:
    raise Unprintable


async def is_cancelled() -> str:
    raise asyncio.CancelledError


async def cancels_itself() -> str:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(0)
    return "never"


async def closes_its_generator() -> str:
    raise GeneratorExit


def recurses() -> str:
    return recurses()


def returns_much() -> str:
    return "é" * 5_000_000


def never_ends() -> Iterator[str]:
    while True:
        yield "more"


async def never_ends_slowly() -> AsyncIterator[str]:
    while True:
        await asyncio.sleep(0.05)
        yield "more"


def returns_a_circle() -> list[object]:
    circle: list[object] = []
    circle.append(circle)
    return circle


def returns_what_json_has_not() -> dict[str, object]:
    return {"thread": threading.current_thread(), "nan": float("nan"), "bytes": b"\xff\xfe"}


def returns_lone_surrogates() -> str:
    return "\ud800 and \udfff"


def takes(number: int) -> str:
    return str(number)
