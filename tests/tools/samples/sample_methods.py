"""Classes, instances and functions with a context, that tests call as tools."""

from __future__ import annotations

import asyncio
import datetime as dt  # noqa: TC003 - the runner evaluates the annotations
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from runner import ToolContext


class Tracker:
    """Finds tickets."""

    made = 0

    def __init__(self, project: str, *, page_size: int = 20, since: dt.date | None = None) -> None:
        Tracker.made += 1
        self.project = project
        self.page_size = page_size
        self.since = since
        self.calls = 0

    def search(self, q: str) -> str:
        """Search the tickets.

        Args:
            q: What to look for.
        """
        self.calls += 1
        return f"{self.project}/{self.page_size}/{self.since!r}: {q} ({self.calls})"

    async def later(self, q: str, ctx: ToolContext) -> str:
        return f"{self.search(q)} {ctx.call_id}"

    def many(self) -> Iterator[int]:
        yield from (1, 2)

    async def stream(self) -> AsyncIterator[str]:
        yield self.project

    @staticmethod
    def add(left: int, right: int) -> int:
        return left + right

    @classmethod
    def name(cls) -> str:
        return cls.__name__


@dataclass(slots=True)
class Settings:
    url: str
    options: dict[str, Any] = field(default_factory=dict)

    def show(self) -> str:
        return f"{self.url} {self.options}"


class Failing:
    def __init__(self, token: str) -> None:
        raise ConnectionError(f"no access with {token}")

    def use(self) -> None: ...


class Leaving:
    def __init__(self) -> None:
        raise SystemExit(2)

    def use(self) -> None: ...


class Asking:
    def __init__(self, ctx: ToolContext) -> None: ...

    def use(self) -> None: ...


tracker = Tracker("shared")


def told(q: str, ctx: ToolContext, limit: int = 5) -> str:
    ctx.log.info("looking for %s, %d at most", q, limit)
    return f"{ctx.call_id} {ctx.session} {ctx.remaining > 0} {dict(ctx.secrets)}"


def maybe(ctx: ToolContext | None = None, *, q: str = "x") -> str:
    return f"{q} {ctx is not None}"


def first(ctx: ToolContext, q: str, /, n: int = 1) -> str:
    return f"{ctx.call_id} {q} {n}"


def annotated(context: Annotated[ToolContext, "the run"], **more: Any) -> str:
    return f"{context.call_id} {more}"


def two(a: ToolContext, b: ToolContext | None) -> None: ...


def starred(*contexts: ToolContext) -> None: ...


async def async_told(ctx: ToolContext) -> float:
    return ctx.remaining


def logs_from_a_thread(ctx: ToolContext) -> str:
    ctx.log.debug("a")
    ctx.log.warning("%d")
    ctx.log.error("%d", "no number")
    ctx.log.info({"k": 1})
    return "done"


ATTEMPTS: list[float] = []


def flaky(times: int, kind: str = "error") -> str:
    """Fails so many times."""
    ATTEMPTS.append(time.monotonic())
    if len(ATTEMPTS) > times:
        return f"at attempt {len(ATTEMPTS)}"
    if kind == "exit":
        raise SystemExit(1)
    raise ConnectionError("try later")


async def flaky_async(times: int) -> str:
    return flaky(times)


def changes_and_fails(items: list[int]) -> str:
    items.append(0)
    return flaky(1) + str(items)


def unwritable() -> object:
    ATTEMPTS.append(0)
    return object()


async def raises_generator_exit() -> None:
    raise GeneratorExit("closing")


async def cancels_its_task(*, sleep: bool = True) -> str:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    if sleep:
        await asyncio.sleep(0)
    return "not cancelled"


CLEANED: list[str] = []


async def cleans_up() -> None:
    try:
        await asyncio.sleep(60)
    finally:
        await asyncio.sleep(0.01)
        CLEANED.append("cleaned up")


async def will_not_be_cancelled(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            await asyncio.sleep(end - time.monotonic())
        except asyncio.CancelledError:
            continue
