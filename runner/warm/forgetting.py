"""Forgets environment variables, also where a process was given them and where /proc shows them to everybody."""

import ctypes
import os
from collections.abc import Collection

# In /proc/self/stat, after the name, which may have blanks: fields 50 and 51 of proc_pid_stat(5).
_START, _END = 47, 48


def forget_all_but(names: Collection[str]) -> None:
    """Keep only these variables. What a process got when it was started is overwritten: deleting does not do that.

    Raises:
        OSError: /proc cannot be read.
    """
    for name, value in list(os.environ.items()):
        if name in names:
            os.environ[name] = value  # a copy, for C libraries, of what is overwritten now
        else:
            del os.environ[name]
    with open("/proc/self/stat", encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - as everywhere here
        fields = file.read().rpartition(")")[2].split()
    start, end = int(fields[_START]), int(fields[_END])
    ctypes.memset(start, 0, end - start)  # both are 0 where the system does not tell
