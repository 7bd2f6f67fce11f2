"""What is written never waits for its reader, and arrives in order."""

import os
import threading
import time
from collections.abc import Iterator

import pytest

from runner.cli.outlet import Outlet, Unheld

SECONDS = 20.0
# More than any pipe holds by itself.
MUCH = b"0123456789" * 200_000


class Pipe:
    """A pipe whose reader reads when it is told to."""

    def __init__(self) -> None:
        self.reading, self.writing = os.pipe()

    def read(self, count: int) -> bytes:
        """Read exactly so many bytes."""
        got = bytearray()
        while len(got) < count and (piece := os.read(self.reading, count - len(got))):
            got += piece
        return bytes(got)

    def close_reading(self) -> None:
        """Stop reading for good."""
        os.close(self.reading)
        self.reading = -1


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    made = Pipe()
    yield made
    # A thread that still writes ends with an error once nobody can read.
    if made.reading >= 0:
        made.close_reading()
    os.close(made.writing)


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "outlet"]


def test_a_reader_that_keeps_up_is_written_to_at_once_and_without_a_thread(pipe: Pipe) -> None:
    before = threads()
    outlet = Outlet(pipe.writing)
    for number in range(100):
        outlet.write(b"%d\n" % number)
        assert os.read(pipe.reading, 100) == b"%d\n" % number
    outlet.finish()
    assert threads() == before


def test_writing_does_not_wait_for_a_reader_and_everything_arrives_in_order(pipe: Pipe) -> None:
    outlet = Outlet(pipe.writing)
    outlet.write(MUCH)
    outlet.write(b"then this")
    expected = MUCH + b"then this"
    assert pipe.read(len(expected)) == expected
    outlet.finish()
    outlet.write(b"and at last this")
    assert pipe.read(16) == b"and at last this"


def test_at_the_end_a_reader_is_waited_for(pipe: Pipe) -> None:
    outlet = Outlet(pipe.writing)
    outlet.write(MUCH)
    got: list[bytes] = []

    def read_late() -> None:
        time.sleep(0.2)
        got.append(pipe.read(len(MUCH)))

    reader = threading.Thread(target=read_late)
    reader.start()
    outlet.finish()
    reader.join(SECONDS)
    assert got == [MUCH]


def test_a_reader_that_takes_nothing_is_not_waited_for_longer_than_we_are_patient(pipe: Pipe) -> None:
    outlet = Outlet(pipe.writing, patience=0.05)
    outlet.write(MUCH)
    begun = time.monotonic()
    outlet.finish()
    assert time.monotonic() - begun < SECONDS


def test_a_slow_reader_is_waited_for_as_long_as_it_takes_something(pipe: Pipe) -> None:
    outlet = Outlet(pipe.writing, patience=2.0)
    outlet.write(MUCH[:400_000])
    got = bytearray()

    def read_slowly() -> None:
        while len(got) < 400_000:
            got.extend(os.read(pipe.reading, 20_000))
            time.sleep(0.005)

    reader = threading.Thread(target=read_slowly)
    reader.start()
    outlet.finish()
    reader.join(SECONDS)
    assert bytes(got) == MUCH[:400_000]


def test_what_is_too_much_is_left_out_with_a_note(pipe: Pipe) -> None:
    outlet = Outlet(pipe.writing)
    stream = Unheld(outlet, most=100_000)
    for _ in range(10):
        assert stream.write(MUCH[:100_000]) == 100_000
    note = b"\n[nobody read for so long that some of this was left out]\n"
    got = bytearray()
    while not got.endswith(note):
        got += os.read(pipe.reading, 65_536)
    assert 100_000 <= len(got) < 1_000_000
    assert (len(got) - len(note)) % 100_000 == 0
    stream.write(b"heard again")
    assert pipe.read(11) == b"heard again"


def test_a_reader_that_has_gone_is_told_at_the_next_write_and_at_the_end(pipe: Pipe) -> None:
    outlet = Outlet(pipe.writing)
    outlet.write(MUCH)
    pipe.close_reading()
    with pytest.raises(BrokenPipeError):
        outlet.finish()
    with pytest.raises(BrokenPipeError):
        outlet.write(b"x")


def test_a_descriptor_that_cannot_be_written_is_told_at_once() -> None:
    reading = os.open(os.devnull, os.O_RDONLY)
    with pytest.raises(OSError, match="Bad file descriptor"):
        Outlet(reading).write(b"x")
    os.close(reading)


def test_a_pipe_that_our_parent_made_non_blocking_gets_everything(pipe: Pipe) -> None:
    os.set_blocking(pipe.writing, False)
    outlet = Outlet(pipe.writing)
    outlet.write(MUCH)
    assert pipe.read(len(MUCH)) == MUCH
    outlet.finish()


def test_many_threads_may_write(pipe: Pipe) -> None:
    outlet = Outlet(pipe.writing)
    line = b"x" * 99 + b"\n"

    def write() -> None:
        for _ in range(500):
            outlet.write(line)

    writers = [threading.Thread(target=write) for _ in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(SECONDS)
    assert pipe.read(8 * 500 * len(line)) == line * 8 * 500
    outlet.finish()


def test_a_stream_knows_what_it_is(pipe: Pipe) -> None:
    stream = Unheld(Outlet(pipe.writing))
    assert (stream.writable(), stream.isatty(), stream.fileno()) == (True, False, pipe.writing)
