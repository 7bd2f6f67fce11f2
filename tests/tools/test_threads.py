"""Threads that are kept for the next call."""

import contextlib
import os
import threading
import weakref
from collections.abc import Callable
from queue import Empty, SimpleQueue

import pytest

from runner.tools.threads import Threads
from tests.tools.test_python_tools import HANG_SECONDS


class Place:
    """Takes part in each piece of work, and tells where it was done."""

    def __init__(self) -> None:
        self.told: SimpleQueue[tuple[int, str]] = SimpleQueue()
        self.ended = threading.Event()

    def tell(self) -> None:
        self.told.put((threading.get_ident(), threading.current_thread().name))

    def next(self) -> tuple[int, str]:
        return self.told.get(timeout=HANG_SECONDS)


def done_again(threads: Threads, work: Callable[[], None]) -> None:
    """Start it when the thread of the work before has come to rest."""
    deadline = threading.Event()
    while not any(thread.name == "idle" for thread in threading.enumerate()):
        assert not deadline.wait(0.001)
    threads.start(work, "tool again")


def test_a_thread_that_is_done_does_the_next_work_under_its_name() -> None:
    threads, place = Threads(), Place()

    threads.start(place.tell, "tool first")
    first, name = place.next()
    done_again(threads, place.tell)

    assert name == "tool first"
    assert place.next() == (first, "tool again")


def test_a_thread_that_hangs_holds_up_nothing() -> None:
    threads, place, hang = Threads(), Place(), threading.Event()

    def hangs() -> None:
        place.tell()
        hang.wait(HANG_SECONDS)

    for _ in range(40):
        threads.start(hangs, "tool hangs")
    hanging = {place.next()[0] for _ in range(40)}

    threads.start(place.tell, "tool")

    assert len(hanging) == 40
    assert place.next()[0] not in hanging
    hang.set()


def test_what_was_done_is_not_kept() -> None:
    class Large:
        pass

    threads, place, large = Threads(), Place(), Large()
    gone = threading.Event()
    weakref.finalize(large, gone.set)
    threads.start(lambda kept=large: place.tell(), "tool")  # type: ignore[misc]  # a default holds it
    place.next()
    del large

    assert gone.wait(HANG_SECONDS)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # what Python 3.12 says of every fork beside threads
def test_a_forked_process_makes_its_own() -> None:
    threads, place = Threads(), Place()
    threads.start(place.tell, "tool")
    place.next()
    done_again(threads, place.tell)
    place.next()
    child = os.fork()
    if child == 0:
        threads.start(place.tell, "tool")
        with contextlib.suppress(Empty):
            place.next()
            os._exit(7)
        os._exit(1)

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
