"""Runs an agent through `runner warm`: `warm.py AGENT TIMES` starts it, times so many runs, and ends it."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNNER = str(Path(sys.executable).with_name("runner"))


def main(agent: str, times: int) -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder  # not the one that whoever measures may have
        os.environ.pop("RUNNER_WARM", None)
        _done("warm", "start")
        try:
            _timed(agent)
            seconds = [_timed(agent) for _ in range(times)]
            status = _done("warm", "status")
        finally:
            _done("warm", "stop")
    if f"{times + 1} runs" not in status:
        raise SystemExit(f"some runs were cold: {status}")
    print(json.dumps({"seconds": statistics.median(seconds)}))


def _timed(agent: str) -> float:
    began = time.perf_counter()
    _done("run", agent, "Look it up.")
    return time.perf_counter() - began


def _done(*arguments: str) -> str:
    return subprocess.run([RUNNER, *arguments], check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
