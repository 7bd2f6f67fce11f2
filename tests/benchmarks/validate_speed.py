"""How fast `runner validate` is, and how much memory it takes: `python -m tests.benchmarks.validate_speed [--rival X]`.

Every figure is that of a whole process, the start of Python included. `--rival` is the path of check-jsonschema, to
measure it on the same files. On a busy machine the processor's time says more than the wall clock's.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
SCHEMA = REPOSITORY / "schemas" / "agent.schema.json"
TOOLS = """\
version: "1"
kind: toolset
tools:
  - {name: lookup, type: python, function: "bench_tools:lookup"}
"""
PYTHON = '''\
def lookup(city: str, days: int = 1) -> str:
    """Look a city up."""
    return city * days
'''
AGENT = """\
version: "1"
name: agent-{number}
description: Agent number {number} of many.
model:
  name: openai/gpt-5-mini
  temperature: 0.2
  max_tokens: 800
  timeout: 60s
inputs:
  city: {{type: string, default: Oslo, description: City to report on}}
  days: {{type: integer, minimum: 1, maximum: 7, default: 3}}
instructions: |
  You report the weather for {{{{ city }}}}.
  Look {{{{ days }}}} days ahead.
prompt: "Number {number}: {{{{ input }}}}"
examples:
{examples}
tools: [lookup, calculator, current_time]
tool_choice: auto
parsing:
  mode: auto
  max_retries: 2
limits:
  max_steps: 10
  timeout: 2m
  tool_timeout: 20s
  max_tool_calls: 20
  max_cost: 0.5
on_limit: fail
"""
EXAMPLE = """\
  - user: How is it in city {number}?
    calls:
      - tool: lookup
        arguments: {{city: City {number}, days: 2}}
        result: "{number} C"
    answer: It is {number} degrees."""
BOMB = "name: a\nx-0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
    f"x-{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 10)
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """One run: seconds of the wall clock and of the processor, megabytes at its peak, and the exit code."""

    seconds: float
    cpu: float
    peak: float
    code: int


def write_project(root: Path, files: int, examples: int) -> Path:
    """A project with so many agents; about 34 lines and 6 more for each example."""
    for folder in ("agents.d", "tools.d"):
        (root / folder).mkdir(parents=True)
    (root / "tools.d" / "bench.yaml").write_text(TOOLS, encoding="utf-8")
    (root / "tools.d" / "bench_tools.py").write_text(PYTHON, encoding="utf-8")
    for number in range(files):
        told = "\n".join(EXAMPLE.format(number=each) for each in range(examples))
        text = AGENT.format(number=number, examples=told)
        (root / "agents.d" / f"agent-{number:04}.yaml").write_text(text, encoding="utf-8")
    return root


def measure(command: Sequence[str], cwd: Path, *, runs: int = 3) -> Measured:
    """The fastest of some runs."""
    return min((_once(command, cwd) for _ in range(runs)), key=lambda measured: measured.cpu)


def _once(command: Sequence[str], cwd: Path) -> Measured:
    """Run it in a child of a child, whose peak of memory is then that of the largest of its own children."""
    script = (
        "import resource, subprocess, sys, time; started = time.perf_counter();"
        "done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL);"
        "seconds = time.perf_counter() - started;"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN);"
        "print(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, done.returncode)"
    )
    # the commands are our own
    done = subprocess.run([sys.executable, "-c", script, *command], cwd=cwd, capture_output=True, text=True, check=True)
    seconds, cpu, peak, code = done.stdout.split()
    return Measured(seconds=float(seconds), cpu=float(cpu), peak=float(peak), code=int(code))


def main() -> None:
    """Measure everything and print a line for each."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.validate_speed")
    parser.add_argument("--rival", help="path of check-jsonschema, to measure it on the same files")
    options = parser.parse_args()
    validate = [sys.executable, "-m", "runner", "validate"]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        one = write_project(root / "one", 1, 1)
        _say("one file", measure([*validate, "agents.d/agent-0000.yaml"], one), 1)
        _say("200 files of ~165 lines", measure(validate, write_project(root / "long", 200, 22)), 200)
        for files in (250, 500, 1000):
            project = write_project(root / f"many-{files}", files, 1)
            _say(f"{files} files of ~40 lines", measure(validate, project), files)
        if options.rival:
            paths = sorted(str(path) for path in (root / "many-1000" / "agents.d").iterdir())
            command = [options.rival, "--schemafile", str(SCHEMA), *paths]
            _say("check-jsonschema, same 1000", measure(command, root, runs=1), 1000)
        (root / "large.yaml").write_text("name: a\nx-list:\n" + "  - some text\n" * 750_000, encoding="utf-8")
        _say("10 MB in one file", measure([*validate, "large.yaml"], root), 1)
        (root / "bomb.yaml").write_text(BOMB, encoding="utf-8")
        _say("alias bomb", measure([*validate, "bomb.yaml"], root), 1)


def _say(what: str, measured: Measured, files: int) -> None:
    rate = f"{files / measured.cpu:8.0f} files/s" if files > 1 else " " * 16
    times = f"{measured.seconds:6.2f} s {measured.cpu:6.2f} s cpu"
    print(f"{what:<28} {times} {rate} {measured.peak:6.0f} MB  exit {measured.code}")


if __name__ == "__main__":
    main()
