"""A run that is killed goes on where it was; `python -m tests.crash --kills 300` does this for longer."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_nothing_is_lost_or_done_twice_when_processes_are_killed() -> None:
    # In a process of its own, for forking one with threads is not safe.
    ran = subprocess.run(
        [sys.executable, "-m", "tests.crash", "--kills", "15"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert ran.stderr == ""
    tally = json.loads(ran.stdout)
    assert (tally["faults"], ran.returncode) == ([], 0), f"seed {tally['seed']}"
    assert tally["kills"] >= 15
    assert tally["runs"] >= 1
