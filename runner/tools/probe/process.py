"""The outside of the process: starts it, watches it, and goes on with a new one where a tool has ended it."""

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby
from typing import IO

from runner.language.imports import Opened, Opening
from runner.spec import Json
from runner.tools.isolated.endings import how_it_ended
from runner.tools.isolated.protocol import Setup, encoded
from runner.tools.isolated.session import kill_session
from runner.tools.isolated.settings import Isolation

SECONDS = 30.0
_COMMAND = ("-P", "-m", "runner.tools.probe")
_MAX_LINE_BYTES = 1_000_000
_ANY_LENGTH = 20_000


def open_apart(openings: Sequence[Opening], *, seconds: float = SECONDS) -> list[Opened]:
    """Open tools in a process for each project; nothing a module does reaches this process.

    Args:
        openings: the tools.
        seconds: how long one tool may take.

    Returns:
        What came of each, in the same order. Tools of a module that hangs or ends the process are told so without
        another try.
    """
    outcomes: list[Opened] = []
    for _, group in groupby(openings, key=lambda opening: opening.project.root):
        outcomes += _project(list(group), seconds)
    return outcomes


def _project(openings: Sequence[Opening], seconds: float) -> list[Opened]:
    outcomes: dict[int, Opened] = {}
    fatal: dict[str, Opened] = {}
    while waiting := [index for index in range(len(openings)) if index not in outcomes]:
        for index in waiting:
            if (known := fatal.get(_module(openings[index]))) is not None:
                outcomes[index] = known
        asked = [index for index in waiting if index not in outcomes]
        with _process([openings[index] for index in asked]) as process:
            for index in asked:
                outcomes[index] = process.next(seconds)
                if process.over:
                    fatal[_module(openings[index])] = outcomes[index]
                    break
    return [outcomes[index] for index in range(len(openings))]


def _module(opening: Opening) -> str:
    return str(opening.spec.settings["function"]).partition(":")[0]


class _Process:
    """One process, asked about some tools; `over` tells that it can say no more."""

    def __init__(self, popen: "subprocess.Popen[bytes]", openings: Sequence[Opening]) -> None:
        self.over = False
        self._popen = popen
        self._replies: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        for work, argument in ((self._ask, openings), (self._read, None)):
            threading.Thread(target=work, args=[] if argument is None else [argument], daemon=True).start()

    def next(self, seconds: float) -> Opened:
        """What came of the next tool."""
        try:
            while True:
                reply = _reply(self._replies.get(timeout=seconds))
                if reply is None:
                    return self._ended()
                if "begin" not in reply:
                    examples = {int(number): str(told) for number, told in reply.get("examples", {}).items()}
                    return Opened(
                        problem=reply.get("problem"),
                        unset=reply.get("unset", False),
                        described=reply.get("described", True),
                        examples=examples,
                    )
        except queue.Empty:
            self.over = True
            return Opened(problem=f"its module was not imported within {seconds:g} s")

    def _ended(self) -> Opened:
        self.over = True
        with suppress(subprocess.TimeoutExpired):
            self._popen.wait(1)
        return Opened(problem=how_it_ended(self._popen.returncode, Isolation(), during=" while it was imported"))

    def _ask(self, openings: Sequence[Opening]) -> None:
        stream = _there(self._popen.stdin)
        with suppress(OSError, ValueError), stream:  # it has ended: whoever waits for the reply tells how
            for opening in openings:
                stream.write(_request(opening))

    def _read(self) -> None:
        with _there(self._popen.stdout) as stream:
            while line := stream.readline(_MAX_LINE_BYTES):
                self._replies.put(line)
        self._replies.put(b"")


@contextmanager
def _process(openings: Sequence[Opening]) -> Iterator[_Process]:
    popen = subprocess.Popen(  # noqa: S603 - our own module
        [sys.executable, *_COMMAND],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield _Process(popen, openings)
    finally:
        if hasattr(os, "killpg"):
            kill_session(popen.pid)
        else:
            popen.kill()
        popen.wait()


def _request(opening: Opening) -> bytes:
    setup = Setup(spec=opening.spec, project=opening.project, isolation=Isolation(), max_result_chars=_ANY_LENGTH)
    return json.dumps({"setup": json.loads(encoded(setup)), "examples": opening.examples}).encode("ascii") + b"\n"


def _reply(line: bytes) -> Mapping[str, Json] | None:
    """A message of the process; None when it has ended or, with a module that found our pipe, talks nonsense."""
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message if isinstance(message, dict) else None


def _there(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None  # noqa: S101 - both streams are asked to be pipes
    return stream
