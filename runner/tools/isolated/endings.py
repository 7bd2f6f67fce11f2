"""Says in words how a tool's process ended."""

import signal

from runner.tools.isolated.settings import Isolation

_UNITS = (("GiB", 2**30), ("GB", 10**9), ("MiB", 2**20), ("MB", 10**6), ("KiB", 2**10), ("kB", 10**3))


def how_it_ended(code: int | None, isolation: Isolation, *, during: str = "") -> str:
    """What to tell of a process that ended before it gave a result.

    Args:
        code: its exit code; negative is the number of the signal that ended it, None that it could not be ended.
        isolation: its limits.
        during: what it was doing, for the end of the sentence (" while it was imported").
    """
    if code is None:
        return "the tool's process hangs in the system and cannot be ended"
    if code >= 0:
        return f"the tool's process ended without a result (exit code {code}){during}"
    if isolation.max_cpu is not None and -code == getattr(signal, "SIGXCPU", None):
        return f"the tool's process used more than {isolation.max_cpu:g} s of processor time{during}"
    bounded = isolation.max_memory is not None
    # Libraries written in C often crash where an allocation fails.
    why = f"; it may take at most {_size(isolation.max_memory)} of memory" if isolation.max_memory else ""
    if not bounded and -code == getattr(signal, "SIGKILL", None):
        why = ", perhaps because the system had no memory left"
    return f"the tool's process was killed by signal {-code}{_name(-code)}{during}{why}"


def too_much_memory(most: int) -> str:
    """What to tell of a process that needed more than so many bytes."""
    return f"the tool's process used more than {_size(most)} of memory"


def _size(number: int) -> str:
    for unit, factor in _UNITS:
        if number % factor == 0:
            return f"{number // factor}{unit}"
    return f"{number:,} bytes"


def _name(number: int) -> str:
    try:
        return f" ({signal.Signals(number).name})"
    except ValueError:  # a real-time signal
        return ""
