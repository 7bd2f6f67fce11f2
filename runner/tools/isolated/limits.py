"""Bounds the memory and the processor time of this process; where the system cannot (Windows), nothing is bounded."""

import math
import sys
from contextlib import suppress

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment] # the module is optional, and mypy knows it as always there


def limit_memory(most: int) -> None:
    """Let this process take at most so many bytes; an allocation beyond fails."""
    if resource is not None:
        # On Linux what is really taken is counted: many libraries reserve gigabytes of addresses that they never use,
        # and a limit on those (RLIMIT_AS) would fail them for nothing. Elsewhere only addresses can be limited.
        _lower(resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS, most, beyond=0)


def limit_cpu(seconds: float) -> None:
    """Let this process take so many more seconds of processor time, rounded up; then SIGXCPU ends it."""
    if resource is not None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        # A tool that handles SIGXCPU is killed one second later.
        _lower(resource.RLIMIT_CPU, math.ceil(used.ru_utime + used.ru_stime + seconds), beyond=1)


def _lower(which: int, soft: int, *, beyond: int) -> None:
    _, hard = resource.getrlimit(which)
    most = soft + beyond if hard == resource.RLIM_INFINITY else min(hard, soft + beyond)
    with suppress(ValueError, OSError):  # macOS has limits that it does not let anybody set
        resource.setrlimit(which, (min(soft, most), most))
