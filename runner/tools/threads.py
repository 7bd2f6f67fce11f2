"""Threads for work that may block, kept for the next call when they are done."""

import os
import threading
from collections.abc import Callable
from queue import SimpleQueue

Work = Callable[[], None]

# So many wait at most; no run has more calls at once than a few.
_MOST_IDLE = 32


class Threads:
    """Gives each piece of work a thread at once: one that waits, or else a new one.

    Unlike those of a `ThreadPoolExecutor`, none is waited for when the process ends, and one that hangs takes no place
    from the work after it. To use one again costs half of what it costs to make one.
    """

    def __init__(self) -> None:
        self._idle: list[SimpleQueue[tuple[Work, str]]] = []
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._idle.clear)  # a forked process has none of these threads

    def start(self, work: Work, name: str) -> None:
        """Do `work`, which must not raise, in a thread that is called `name` meanwhile.

        Raises:
            RuntimeError: the system has no more threads.
        """
        try:
            inbox = self._idle.pop()
        except IndexError:
            inbox = SimpleQueue()
            threading.Thread(target=self._serve, args=(inbox,), name=name, daemon=True).start()
        inbox.put((work, name))

    def _serve(self, inbox: "SimpleQueue[tuple[Work, str]]") -> None:
        while True:
            work, name = inbox.get()
            threading.current_thread().name = name
            work()
            del work  # what it returned may be large, and nobody knows when the next one comes
            if len(self._idle) >= _MOST_IDLE:
                return
            threading.current_thread().name = "idle"
            self._idle.append(inbox)
