"""Runs a coroutine to its end on an event loop that tools share with us."""

import asyncio
import math
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def to_the_end(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T]) -> T:
    """What `work` returns. An async tool may stop the loop, which is not its own: then it is started again."""
    # In Python's development mode asyncio would report on stderr, which is ours, what took a tenth of a second.
    loop.slow_callback_duration = math.inf
    task = loop.create_task(work)
    while not task.done():
        try:
            loop.run_until_complete(task)
        except RuntimeError:  # the loop was stopped, or it is what the work has come to
            continue
    return task.result()
