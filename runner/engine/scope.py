"""A run's hold on time: one absolute deadline for every wait, and a way to end the wait from outside."""

import asyncio
import time
from collections.abc import Awaitable
from typing import Literal, TypeVar

Signal = Literal["SIGINT", "SIGTERM"]
T = TypeVar("T")


class OutOfTime(Exception):  # noqa: N818 - an outcome of the run, not an error
    """The run's deadline has passed."""


class Interrupted(Exception):  # noqa: N818 - an outcome of the run, not an error
    """Somebody asked the run to end."""


class Stopwatch:
    """Time spent on a run; `before` are the seconds of its earlier parts."""

    def __init__(self, before: float = 0.0) -> None:
        self._before = before
        self.start()

    def start(self) -> None:
        """Count from now."""
        self._began = time.perf_counter()

    def seconds(self) -> float:
        """All of the time so far."""
        return self._before + time.perf_counter() - self._began


class RunControl:
    """Ends a run from outside; make one, hand it to the run, and keep it."""

    def __init__(self) -> None:
        self.signal: Signal | None = None
        self._scope: Scope | None = None

    def interrupt(self, signal: Signal) -> None:
        """End the run now with status `interrupted`; only the first call counts.

        Safe from signal handlers and other threads.
        """
        self.signal = self.signal or signal
        if self._scope is not None:
            self._scope.wake()

    def bind(self, scope: "Scope | None") -> None:
        """Called by the run that this control steers, and with None when it is over."""
        self._scope = scope


class Scope:
    """Waits of one run. Until `start` there is no deadline, but an interrupt is heard."""

    def __init__(self, control: RunControl) -> None:
        self._loop = asyncio.get_running_loop()
        self._control = control
        self._deadline: float | None = None
        self._timers: set[asyncio.Timeout] = set()
        control.bind(self)

    @property
    def signal(self) -> Signal | None:
        """The signal that interrupted the run, if any."""
        return self._control.signal

    def start(self, seconds: float) -> None:
        """Set the deadline, counted from now."""
        self._deadline = self._loop.time() + seconds

    def extend(self, seconds: float) -> None:
        """Put the deadline off."""
        if self._deadline is not None:
            self._deadline += seconds

    def remaining(self) -> float:
        """Seconds until the deadline, never below 0."""
        return float("inf") if self._deadline is None else max(0.0, self._deadline - self._loop.time())

    def until(self, seconds: float) -> float:
        """When a wait of so many seconds that starts now has to end, by the loop's clock: never after the deadline."""
        end = self._loop.time() + seconds
        return end if self._deadline is None else min(end, self._deadline)

    def wake(self) -> None:
        """End every wait at once because of an interrupt. Safe from other threads."""
        self._loop.call_soon_threadsafe(self._expire)

    def _expire(self) -> None:
        for timer in self._timers:
            if not timer.expired():
                timer.reschedule(self._loop.time())

    def check(self) -> None:
        """Raise what `wait` would raise, without waiting."""
        if self._control.signal is not None:
            raise Interrupted
        if self._deadline is not None and self._loop.time() >= self._deadline:
            raise OutOfTime

    async def wait(self, awaitable: Awaitable[T]) -> T:
        """Wait for `awaitable`, cancelling it at the deadline or at an interrupt.

        Raises:
            OutOfTime: the deadline passed.
            Interrupted: the run was interrupted.
        """
        timer = asyncio.timeout_at(self._deadline)
        self._timers.add(timer)
        try:
            async with timer:
                if self._control.signal is not None:
                    timer.reschedule(self._loop.time())
                return await awaitable
        except Exception:
            # TimeoutError, or what a library made of our cancellation: the reason is the deadline either way.
            if timer.expired():
                raise (Interrupted if self._control.signal else OutOfTime) from None
            raise
        finally:
            self._timers.discard(timer)
