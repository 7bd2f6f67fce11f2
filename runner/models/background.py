"""Slow loading off the event loop, in threads that never keep the process from ending."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def in_background(work: Callable[[], T], *, name: str) -> "Future[T]":
    """Start `work` in a daemon thread; the future gets its result or whatever it raised.

    Not `asyncio.to_thread`: the end of an event loop, and then of the process, waits for the threads of that pool.
    """
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()  # it cannot be cancelled, only no longer waited for

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - a border: whoever waits for the future gets it
            future.set_exception(error)

    threading.Thread(target=run, name=name, daemon=True).start()
    return future
