"""Makes the environments that peers run in: outside the repository, and kept until their requirements change."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

NAMES = ("pydantic-ai", "langchain", "openai-agents", "llama-index", "smolagents", "google-adk", "strands")
"""The peers there are."""

_ALSO_TOLD = frozenset({"litellm", "openai"})  # whose versions matter besides those of what was required
_METADATA = re.compile(r"^# /// script\n(?P<toml>(?:#.*\n)+?)# ///$", re.MULTILINE)
_STAMP = "made-for.json"


class PeerError(Exception):
    """An environment could not be made: one line that says why."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Peer:
    """A framework that is ready to take part.

    Attributes:
        name: one of `NAMES`.
        python: the interpreter of its environment.
        script: what to run with it.
        versions: of the packages that tell what was measured.
    """

    name: str
    python: Path
    script: Path
    versions: Mapping[str, str]


def prepare(name: str, *, scripts: Path = Path(__file__).parent) -> Peer:
    """The peer of this name, in an environment that is made unless it is there.

    Args:
        name: of the peer.
        scripts: the folder of `with_NAME.py`.

    Raises:
        PeerError: it cannot be installed.
    """
    script = scripts / f"with_{name.replace('-', '_')}.py"
    requirements = requirements_of(script)
    folder = _cache() / name
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    # A newer Python is another environment too. The stamp is written last, so one that was cut short is made anew.
    stamp = json.dumps({"python": sys.version, "requirements": requirements}, indent=2)
    made_for = folder / _STAMP
    if not made_for.exists() or made_for.read_text(encoding="utf-8") != stamp:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _make(folder, python, requirements)
        made_for.write_text(stamp, encoding="utf-8")
    return Peer(name=name, python=python, script=script, versions=_versions(folder, requirements))


def requirements_of(script: Path) -> list[str]:
    """What a script says that it needs, in its inline metadata.

    Raises:
        PeerError: it does not say so.
    """
    found = _METADATA.search(script.read_text(encoding="utf-8"))
    if not found:
        raise PeerError(f"{script.name} does not begin with its requirements, as `# /// script` (PEP 723)")
    metadata = tomllib.loads("".join(line[2:] + "\n" for line in found["toml"].splitlines()))
    return list(metadata["dependencies"])


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "yaml-agent-runner-bench"


def _make(folder: Path, python: Path, requirements: Sequence[str]) -> None:
    """Make an environment with bytecode, without which a cold start would be that of the compiler."""
    beside = Path(sys.executable).with_name("uv")
    if uv := shutil.which("uv") or (beside.exists() and str(beside)):
        _run(folder, uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(folder))
        _run(folder, uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", str(python), *requirements)
    else:
        _run(folder, sys.executable, "-m", "venv", str(folder))
        _run(folder, str(python), "-m", "pip", "install", "--quiet", "--compile", *requirements)


def _run(folder: Path, *command: str) -> None:
    # Elsewhere than in the repository, as uv would take its settings for those of the peer.
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = " ".join(done.stderr.split()) or f"exit code {done.returncode}"
        raise PeerError(f"`{Path(command[0]).name} {command[1]}` failed: {reason}"[:500])


def _versions(folder: Path, requirements: Sequence[str]) -> dict[str, str]:
    told = _ALSO_TOLD | {re.split(r"[^\w.-]", requirement)[0] for requirement in requirements}
    packages = sysconfig.get_path("purelib", "venv", {"base": str(folder), "installed_base": str(folder)})
    found = {each.metadata["Name"]: each.version for each in distributions(path=[packages])}
    return {name: found[name] for name in sorted(told & found.keys())}
