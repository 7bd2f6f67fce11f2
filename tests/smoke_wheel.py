"""Builds the wheel, installs it alone in a clean environment, and uses it as a newcomer would.

Run by `make wheel`; not collected by pytest, because it needs the package index.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
UV = os.environ.get("UV", "uv")
UV = str(ROOT / UV) if "/" in UV else UV


def call(*command: str | Path, cwd: Path = ROOT, expected: int = 0) -> str:
    """Run a command; stop with its output when the exit code is not the expected one."""
    environment = {key: value for key, value in os.environ.items() if key not in ("VIRTUAL_ENV", "PYTHONPATH")}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, encoding="utf-8"
    )
    if done.returncode != expected:
        print(done.stdout, done.stderr, sep="\n", file=sys.stderr)
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}, expected {expected}")
    return done.stdout


def main() -> None:
    """Build, install, and try the commands that need no model."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        call(UV, "build", "--quiet", "--wheel", "--out-dir", place)
        (wheel,) = place.glob("*.whl")
        call(UV, "venv", "--quiet", place / "venv", "--python", sys.executable)
        binaries = place / "venv" / ("Scripts" if os.name == "nt" else "bin")
        call(UV, "pip", "install", "--quiet", "--python", binaries / "python", wheel)
        runner = binaries / "runner"
        assert call(runner, "--version").startswith("runner "), "no version"
        call(runner, "init", "project", cwd=place)
        project = place / "project"
        assert "no problems" in call(runner, "validate", cwd=project), "the skeleton does not validate"
        assert json.loads(call(runner, "schema", "agent", cwd=project))["type"] == "object", "no schema in the wheel"
        call(runner, "validate", "nowhere.yaml", cwd=project, expected=2)
        # The embedded model is an extra: without it the message must say how to get it.
        call(runner, "run", "agents.d/assistant.yaml", "Hello", cwd=project, expected=1)
        print(f"{wheel.name}: installs alone, and init, validate, schema and run behave")


if __name__ == "__main__":
    main()
