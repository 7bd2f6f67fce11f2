"""Ends everything that a tool's process has started, also what has left its process group.

A process can leave its group (`setpgid`) but not its session without making one of its own, which is what daemons do.
"""

import os
import signal
import sys
from contextlib import suppress

# A process that starts others without end is outrun or left.
_MAX_ROUNDS = 100


def kill_session(leader: int) -> None:
    """Send SIGKILL to all processes of the session that `leader` has made, which must not have been reaped yet.

    Elsewhere than on Linux only to its process group; not for Windows, which has none.
    """
    with suppress(ProcessLookupError, PermissionError):  # nobody is left, or only zombies are (macOS)
        os.killpg(leader, signal.SIGKILL)
    if sys.platform == "linux":
        for _ in range(_MAX_ROUNDS):
            if not _kill_members(leader):
                return


if sys.platform == "linux":

    def _kill_members(leader: int) -> bool:
        """Whether there was anybody to kill; who was started meanwhile is found in the next round."""
        found = False
        for name in os.listdir("/proc"):  # noqa: PTH208 - it is read after every call, and Path is slow
            if name.isdigit() and _is_member(name, leader):
                found = True
                _kill(int(name), leader)
        return found

    def _kill(pid: int, leader: int) -> None:
        with suppress(OSError):  # it has ended
            # Held by a descriptor, the number cannot pass to another process between the look and the signal.
            descriptor = os.pidfd_open(pid)
            try:
                if _is_member(str(pid), leader):
                    signal.pidfd_send_signal(descriptor, signal.SIGKILL)
            finally:
                os.close(descriptor)

    def _is_member(pid: str, leader: int) -> bool:
        """Whether a process is of the session and alive: `pid (name) state ppid pgrp session …`, see proc(5)."""
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123 - as above
                fields = file.read().rpartition(b")")[2].split()
        except OSError:  # it has ended
            return False
        return int(fields[3]) == leader and fields[0] not in (b"Z", b"X")
