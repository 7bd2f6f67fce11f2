"""Kills runs at random moments and goes on with them: `python -m tests.crash --kills 300`."""

import argparse
import json
import random
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

from tests.crash.killing import kill_runs


def main() -> int:
    """Print what happened as JSON; 1 when anything did that must not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    given = parser.parse_args()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        tally = kill_runs(Path(folder), given.kills, given.seed)
    seconds = round(time.perf_counter() - began, 1)
    print(json.dumps({"seed": given.seed, "seconds": seconds, **asdict(tally)}, indent=2))  # noqa: T201 - a script
    return 1 if tally.faults else 0


if __name__ == "__main__":
    sys.exit(main())
