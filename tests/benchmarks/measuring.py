"""Runs the contenders of a workload by turns, each in a process of its own, and collects their figures."""

import json
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from tests.benchmarks.contenders.task import LEFT_OUT
from tests.benchmarks.figures import Failure, Figures, Round

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 300.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Ground:
    """Where a workload takes place: the address of the mock server, and a folder for files."""

    server: str
    folder: Path


# Makes the command line of a contender.
Command = Callable[[Ground], Sequence[str]]


def rounds_of(contenders: Mapping[str, Command], ground: Ground, *, rounds: int, warm_ups: int = 0) -> list[Round]:
    """Have every contender work once in each round, each time another one first.

    Args:
        contenders: by name.
        ground: where.
        rounds: how many are measured.
        warm_ups: how many come before, and are forgotten.
    """
    names = list(contenders)
    measured: list[Round] = []
    for number in range(-warm_ups, rounds):
        first = number % len(names)
        found = {name: run(contenders[name](ground), ground.folder) for name in names[first:] + names[:first]}
        if number >= 0:
            measured.append({name: found[name] for name in names})
    return measured


def run(command: Sequence[str], folder: Path, *, patience: float = PATIENCE_SECONDS) -> Figures | Failure:
    """The figures of one process, which works in `folder` and may take `patience` seconds.

    Those that it prints on its last line, if that is JSON, and what is seen from outside: `process` and `process_cpu`
    in seconds, and `ended`, the seconds from the moment `began` that it names to its end.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        began = time.monotonic()
        try:
            process = subprocess.Popen(
                command, cwd=folder, env=_environment(), stdin=subprocess.DEVNULL, stdout=out, stderr=errors
            )
        except OSError as error:
            return Failure(reason=str(error))
        alarm = threading.Timer(patience, process.kill)
        alarm.start()
        # Not `process.wait`, which does not tell what the process has used.
        _, status, usage = os.wait4(process.pid, 0)
        ended = time.monotonic()
        alarm.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        printed, complaint = _last_line(out), _last_line(errors)
    if process.returncode == LEFT_OUT:
        return Failure(reason=f"left out: {complaint}")
    if process.returncode:
        late = f"not done after {patience:g} s" if ended - began >= patience else ""
        return Failure(reason=late or complaint or printed or f"exit code {process.returncode}")
    try:
        inside: Figures = json.loads(printed) if printed.startswith("{") else {}
    except ValueError:
        return Failure(reason=f"its last line is no JSON object: {printed}")
    outside = {
        "process": ended - began,
        "process_cpu": usage.ru_utime + usage.ru_stime,
    }
    return {**inside, **outside} | ({"ended": ended - inside["began"]} if "began" in inside else {})


def _environment() -> Mapping[str, str]:
    """That of a person's terminal, with our code to be found, bytecode allowed, and no warm process."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(ROOT), "TERM": "xterm", "RUNNER_WARM": "off"}


def _last_line(file: BinaryIO) -> str:
    file.seek(0)
    lines = file.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1].strip() if lines else ""
