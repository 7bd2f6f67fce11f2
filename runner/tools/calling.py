"""Runs one call of a callable, synchronous or not, without ever holding up the event loop or the process."""

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


def runs_on_loop(function: Callable[..., object]) -> bool:
    """Whether calling the function only makes a coroutine or an asynchronous generator, so needs no thread."""
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)


async def in_thread(work: Callable[[], T], *, name: str) -> T:
    """The result of `work`, which must not raise, from a thread of its own that sees the caller's context variables.

    Not from a pool: a thread of a pool that hangs would be waited for when the process ends, and would take a place
    from the calls after it. A caller that is cancelled goes on at once; the thread ends when it ends.

    Raises:
        RuntimeError: the system has no more threads.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def deliver(result: T) -> None:
        if not done.done():
            done.set_result(result)

    def run() -> None:
        result = context.run(work)
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(deliver, result)

    threading.Thread(target=run, name=name, daemon=True).start()
    return await done
