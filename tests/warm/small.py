"""A warm process that loads nothing, and the command it stands for: `python -m tests.warm.small run ACTION …`.

What the command does shows what a run has of its process: whether it was handed over must make no difference.
"""

import json
import locale
import os
import random
import resource
import signal
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

# ruff: noqa: T201 - it is a command
from runner.warm.client import hand_over
from runner.warm.process import live
from runner.warm.terms import Terms

MODULE = "tests.warm.small"


def main(terms: Terms) -> None:
    """Be the warm process."""
    live(terms, load=load, run=run)


def load() -> Iterable[Path]:
    """Read what a library might, when it is imported."""
    if "LEAVE_A_THREAD" in os.environ:
        threading.Thread(target=time.sleep, args=[60], daemon=True).start()
    for each in (1, 2):
        os.write(each, b"x" * int(os.environ.get("PRINT_SO_MUCH", "0")))
    time.sleep(float(os.environ.get("LOAD_SECONDS", "0")))
    watched = os.environ.get("WATCHED")
    if watched and "CHANGED_WHILE_LOADING" in os.environ:
        Path(watched).write_text("changed", encoding="ascii")
    os.environ["SET_BY_LOADING"] = "yes"
    return [Path(watched)] if watched else []


def stream(each: Any) -> list[object]:
    return [each.encoding, each.errors, each.line_buffering, each.newlines, each.isatty(), each.fileno()]


def portrait() -> None:
    """All that a process has from its parent, and all that Python makes of it."""
    open_ones = [number for number in range(100) if Path(f"/proc/self/fd/{number}").exists()]
    shown = {
        "arguments": sys.argv,
        "path": sys.path,
        "flags": list(sys.flags),
        "folder": str(Path.cwd()),
        "environ": {**os.environ, "SET_BY_LOADING": ""},
        "umask": os.umask(0),
        "signals": {number.name: str(signal.getsignal(number)) for number in signal.Signals},
        "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        "descriptors": {number: (os.fstat(number).st_ino, os.get_inheritable(number)) for number in open_ones},
        "streams": [stream(each) for each in (sys.stdin, sys.stdout, sys.stderr)],
        "originals": [sys.stdin is sys.__stdin__, sys.stdout is sys.__stdout__, sys.stderr is sys.__stderr__],
        "zone": time.tzname,
        "locale": locale.setlocale(locale.LC_ALL),
        "limits": [resource.getrlimit(number) for number in range(10)],
        "threads": threading.active_count(),
        "text": sys.stdin.read(),
    }
    print(json.dumps(shown, default=str))


def wait() -> None:
    """Wait, and tell which signals come; the second SIGINT ends it."""
    heard: list[int] = []

    def hear(number: int, frame: object) -> None:
        heard.append(number)
        os.write(1, f"{signal.Signals(number).name}\n".encode())  # a print may be in the middle of one
        if heard.count(signal.SIGINT) > 1:
            os._exit(130)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGWINCH, signal.SIGCONT):
        signal.signal(number, hear)
    print("waiting", os.getpid(), flush=True)
    while signal.SIGTERM not in heard:
        time.sleep(0.05)
    os._exit(143)


def deaf() -> None:
    """Wait, and hear nothing."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("waiting", os.getpid(), flush=True)
    time.sleep(60)


def note() -> None:
    """Note down that it was run."""
    with Path(os.environ["COUNTED"]).open("a", encoding="ascii") as file:
        file.write("run\n")


def count() -> None:
    """The same, and wait."""
    note()
    print("counted", os.getpid(), flush=True)
    time.sleep(60)


ACTIONS: dict[str, Callable[..., None]] = {
    "portrait": portrait,
    "wait": wait,
    "deaf": deaf,
    "note": note,
    "count": count,
    "exit": lambda code: os._exit(int(code)),
    "die": lambda number: os.kill(os.getpid(), int(number)),
    "dice": lambda: print(random.random(), uuid.uuid4(), tempfile.mktemp()),
    "say": lambda text: print(text, os.getppid()),
    "read": lambda file: print(Path(file).read_text(encoding="utf-8"), end=""),
}


def run(arguments: Sequence[str]) -> NoReturn:
    """Carry out an action."""
    _, action, *more = arguments
    ACTIONS[action](*more)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    hand_over(sys.argv[1:])
    run(sys.argv[1:])
