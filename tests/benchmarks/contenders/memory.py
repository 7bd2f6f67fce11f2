"""How much memory this process has and had."""

import resource
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


def resting_mb() -> float:
    """Memory now, in MB; where the system can, the peak is counted from here on.

    Without that, what the imports needed for a moment would hide what the work needs.
    """
    if not _STATUS.exists():
        return peak_mb()
    _CLEAR.write_text("5", encoding="ascii")
    return _status_mb("VmRSS")


def peak_mb() -> float:
    """The most memory since `resting_mb`, in MB, or since the process began where that cannot be told.

    Not `ru_maxrss` on Linux: a child begins with that of its parent.
    """
    if _STATUS.exists():
        return _status_mb("VmHWM")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


def _status_mb(name: str) -> float:
    line = next(line for line in _STATUS.read_text(encoding="ascii").splitlines() if line.startswith(name))
    return int(line.split()[1]) * 1024 / 1e6
