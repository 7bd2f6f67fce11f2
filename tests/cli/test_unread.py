"""A run before pipes that nobody reads: it keeps its time, hears signals, and loses nothing that is read later."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from typing import IO

import pytest

from tests.cli.test_process import DRIVER, ROOT, environment, shell

SECONDS = 30


class Unread:
    """A process that writes stdout or stderr into a pipe that nobody reads."""

    def __init__(self, unread: str, *arguments: str) -> None:
        self._reading, writing = os.pipe()
        self.process = subprocess.Popen(
            [*DRIVER, *arguments],
            cwd=ROOT,
            env=environment({}),
            stdout=writing if unread == "stdout" else subprocess.PIPE,
            stderr=writing if unread == "stderr" else subprocess.PIPE,
        )
        os.close(writing)

    def close(self) -> None:
        """End it."""
        os.close(self._reading)
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def flooding() -> Iterator[Unread]:
    unread = Unread("stdout", "flooding", "events", "quiet")
    yield unread
    unread.close()


def line_of(stream: IO[bytes] | None) -> bytes:
    assert stream is not None
    return stream.readline()


def test_the_time_limit_holds_when_nobody_reads_the_events(flooding: Unread) -> None:
    assert line_of(flooding.process.stderr) == b"asked\n"
    assert flooding.process.wait(SECONDS) == 5
    assert line_of(flooding.process.stderr) == b"error: time limit of 2 s reached in step 1\n"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_the_first_signal_is_heard_when_nobody_reads_the_events(
    flooding: Unread, number: signal.Signals, code: int
) -> None:
    line_of(flooding.process.stderr)
    time.sleep(0.3)  # the pipe is full by now
    flooding.process.send_signal(number)
    assert flooding.process.wait(SECONDS) == code
    assert line_of(flooding.process.stderr) == b"error: interrupted in step 1\n"


def test_a_stderr_that_nobody_reads_holds_neither_the_answer_nor_the_process() -> None:
    unread = Unread("stderr", "chatty", "text")
    try:
        assert line_of(unread.process.stdout) == b"Hello.\n"
        assert unread.process.wait(SECONDS) == 0
    finally:
        unread.close()


def test_a_reader_that_comes_late_gets_the_whole_document() -> None:
    done = shell("$DRIVER big json quiet | (sleep 2; cat)")
    assert done.returncode == 0
    assert len(json.loads(done.stdout)["answer"]) == 1_000_000


def test_a_reader_that_goes_without_reading_is_told_by_the_exit_code() -> None:
    done = shell("$DRIVER big json quiet | sleep 1")
    assert (done.returncode, done.stderr) == (141, b"")


def test_in_one_pipe_everything_stays_in_order_for_a_reader_that_comes_late() -> None:
    done = shell("$DRIVER chatty text quiet 2>&1 | (sleep 2; cat)")
    lines = done.stdout.decode().splitlines()
    assert done.returncode == 0
    assert [line.partition(" ")[0] for line in lines[:-1]] == [str(number) for number in range(5_000)]
    assert lines[-1] == "Hello."
