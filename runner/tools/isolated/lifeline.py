"""Ends a tool's process, with its children, when the runner dies: a `kill -9` of the runner must leave nothing behind.

The runner's end of the request pipe closes with the runner, whatever ends it. On Linux the kernel is told to send
SIGKILL to the process group then, which also reaches code that never lets go of the interpreter, and children of the
tool; PR_SET_PDEATHSIG reaches no children, and would fire already when a thread of the runner ends. Elsewhere a thread
watches the pipe, which code that holds the interpreter can keep from acting.
"""

import os
import select
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

if sys.platform == "linux":
    import fcntl

    @contextmanager
    def tied_while_reading_nothing(descriptor: int) -> Iterator[None]:
        """Die with the runner during the block, in which the runner must not write: what it writes kills, too."""
        before = fcntl.fcntl(descriptor, fcntl.F_GETFL)
        fcntl.fcntl(descriptor, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(descriptor, fcntl.F_SETFL, before | os.O_ASYNC)
        if _is_closed(descriptor):  # the signal tells of changes only
            os.killpg(0, signal.SIGKILL)
        try:
            yield
        finally:
            fcntl.fcntl(descriptor, fcntl.F_SETFL, before)

    def _is_closed(descriptor: int) -> bool:
        poll = select.poll()
        poll.register(descriptor, 0)
        return any(events & select.POLLHUP for _, events in poll.poll(0))

else:

    @contextmanager
    def tied_while_reading_nothing(descriptor: int) -> Iterator[None]:
        """Die with the runner from now on; nothing else may read the pipe any more."""
        threading.Thread(target=_watch, args=[descriptor], name="lifeline", daemon=True).start()
        yield

    def _watch(descriptor: int) -> None:
        os.read(descriptor, 1)
        if hasattr(os, "killpg"):
            os.killpg(0, signal.SIGKILL)
        os._exit(1)
