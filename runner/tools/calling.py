"""Runs one call of a callable, synchronous or not, without ever holding up the event loop or the process."""

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar, cast

T = TypeVar("T")

# How long an async tool that was cancelled may take to clean up before the run goes on without it.
GRACE_SECONDS = 0.2

# Tools that would not let themselves be cancelled; an event loop by itself does not keep its tasks.
_left_behind: set[asyncio.Task[object]] = set()


def runs_on_loop(function: Callable[..., object]) -> bool:
    """Whether calling the function only makes a coroutine or an asynchronous generator, so needs no thread."""
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)


def in_new_thread(work: Callable[[], None], name: str) -> None:
    """Do it in a thread of its own.

    Not in one of a pool: a thread of a pool that hangs would be waited for when the process ends, and would take a
    place from the calls after it. (Nor is one that waits for the next call any faster: what costs is to wake the event
    loop.)

    Raises:
        RuntimeError: the system has no more threads.
    """
    threading.Thread(target=work, name=name, daemon=True).start()


Start = Callable[[Callable[[], None], str], None]


async def in_thread(work: Callable[[], T], *, name: str, start: Start = in_new_thread) -> T:
    """What `work` returns, or the exception it raises, from another thread that sees the caller's context variables.

    A caller that is cancelled goes on at once; the thread ends when it ends. `start` has the work done somewhere else
    than on the event loop.

    Raises:
        RuntimeError: the system has no more threads.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def deliver(result: T | None, error: BaseException | None) -> None:
        if done.done():
            return
        if error is None:
            done.set_result(cast("T", result))
        elif isinstance(error, Exception) and not isinstance(error, StopIteration):
            done.set_exception(error)
        else:  # a future takes no StopIteration, and exit() in one would end the event loop
            done.set_exception(RuntimeError(f"a thread was ended by {type(error).__name__}"))

    def run() -> None:
        result: T | None = None
        failure: BaseException | None = None
        try:
            result = context.run(work)
        except BaseException as error:  # noqa: BLE001 - whoever waits must be told, or would wait for ever
            failure = error
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(deliver, result, failure)

    start(run, name)
    return await done


async def in_task(work: Callable[[], Awaitable[T]]) -> T | BaseException:
    """What `work` returns, or whatever it raises, from a task of its own.

    A tool may cancel the task it runs in, or raise what the event loop takes for its own end: in a task of its own
    neither reaches the run. A caller that is cancelled cancels the task, and goes on after a short while even if that
    does not end.
    """
    task = asyncio.create_task(_contained(work))
    try:
        await asyncio.wait((task,))
    except asyncio.CancelledError:
        task.cancel()
        _left_behind.add(task)
        task.add_done_callback(_left_behind.discard)
        await asyncio.wait((task,), timeout=GRACE_SECONDS)
        raise
    return asyncio.CancelledError() if task.cancelled() else task.result()


async def _contained(work: Callable[[], Awaitable[T]]) -> T | BaseException:
    try:
        return await work()
    except BaseException as error:  # noqa: BLE001 - whatever a tool raises, exit() included, is its result
        return error
