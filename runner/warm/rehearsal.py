"""Finds out in a process of its own which modules an action loads, and loads them here."""

import importlib
import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress

_SECONDS = 30


def load_what_is_loaded_by(action: Callable[[], object]) -> None:
    """Carry out `action` in a fork of this process, and import here whatever was imported there.

    Of what the action does, nothing is left here: no event loop, thread, connection or cache. If it fails there, what
    it had loaded by then is loaded.
    """
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        _carry_out(action, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read()
    os.waitpid(pid, 0)
    for name in json.loads(told or b"[]"):
        # Some are made by libraries and cannot be imported by their name. They are part of modules that can.
        with suppress(ImportError):
            importlib.import_module(name)


def _carry_out(action: Callable[[], object], writing: int) -> None:
    try:
        signal.alarm(_SECONDS)
        before = set(sys.modules)
        with suppress(Exception):  # a rehearsal that fails makes runs slower, and nothing worse
            action()
        with os.fdopen(writing, "w", encoding="utf-8") as pipe:
            json.dump([name for name in sys.modules if name not in before], pipe)
    finally:
        os._exit(0)
