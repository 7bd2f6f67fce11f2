"""A person at a terminal who talks with a program: types, and waits for what they want to see."""

import os
import pty
import re
import selectors
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).parents[2]
# What a terminal obeys and nobody sees: control sequences, settings, and carriage returns.
_UNSEEN = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x1b\][^\x07]*\x07|\r")
# What line editors say to the terminal when they begin to listen, and how a person notices.
_LISTENS = "\x1b[?2004h"
READY = "[ready]"
_PATIENCE_SECONDS = 30.0


class Person:
    """Runs `python -m MODULE …` on a terminal of its own."""

    def __init__(self, module: str, *arguments: str, environ: Mapping[str, str] | None = None) -> None:
        self._terminal, theirs = pty.openpty()
        self._written = ""
        self._seen = 0
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "100", **(environ or {})},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            # Only what is the controlling terminal turns Ctrl-C into a signal.
            preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)),  # noqa: PLW1509 - no threads in the test
        )
        os.close(theirs)

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End the program if it has not ended."""
        self._process.kill()
        self._process.wait()
        os.close(self._terminal)

    @property
    def written(self) -> str:
        """All that was to be seen so far."""
        return _UNSEEN.sub("", self._written.replace(_LISTENS, READY))

    def types(self, keys: str) -> None:
        """Press some keys."""
        os.write(self._terminal, keys.encode())

    def signals(self, number: signal.Signals) -> None:
        """Send the program a signal."""
        self._process.send_signal(number)

    def sees(self, *texts: str) -> str:
        """Wait until these texts have appeared one after the other, behind what was seen before; all that is new."""
        start = self._seen
        for text in texts:
            deadline = time.monotonic() + _PATIENCE_SECONDS
            while (at := self.written.find(text, self._seen)) < 0:
                assert self._read(deadline), f"never saw {text!r}; saw {self.written[self._seen :]!r}"
            self._seen = at + len(text)
        return self.written[start : self._seen]

    def cooked(self) -> bool:
        """Whether the terminal shows what is typed, and waits for whole lines, as shells expect it."""
        modes = termios.tcgetattr(self._terminal)[3]
        return bool(modes & termios.ECHO and modes & termios.ICANON)

    def leaves(self) -> int:
        """Wait until the program has ended; its exit code."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while self._read(deadline):
            pass
        return self._process.wait(_PATIENCE_SECONDS)

    def _read(self, deadline: float) -> bool:
        with selectors.DefaultSelector() as selector:
            selector.register(self._terminal, selectors.EVENT_READ)
            if not selector.select(max(0.0, deadline - time.monotonic())):
                return False
        try:
            data = os.read(self._terminal, 65_536)
        except OSError:  # Linux says so when nobody writes to it any more
            return False
        self._written += data.decode("utf-8", "replace")
        return bool(data)


def piped(module: str, *arguments: str, text: str) -> "subprocess.CompletedProcess[str]":
    """Run `python -m MODULE …` with `text` on standard input and no terminal."""
    return _run([sys.executable, "-m", module, *arguments], text)


def _run(words: Sequence[str], text: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        words,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        input=text,
        capture_output=True,
        text=True,
        timeout=_PATIENCE_SECONDS,
        check=False,
    )
