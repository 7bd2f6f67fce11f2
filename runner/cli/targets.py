"""Finds the agent file that FILE or NAME on the command line means."""

import os
from pathlib import Path

import click

from runner.language.project import AGENTS_FOLDER, find_root
from runner.suggest import did_you_mean

_SUFFIXES = (".yaml", ".yml")


def find_agent(target: str, *, folder: Path) -> Path:
    """The file of the agent: `target` itself, or for a bare name `agents.d/NAME.yaml` of the project around `folder`.

    Raises:
        click.UsageError: there is no such file.
    """
    if "/" in target or os.sep in target or target.lower().endswith(_SUFFIXES):
        return _existing(Path(target), target)
    agents = _agents(find_root(folder))
    if target in agents:
        return agents[target]
    if Path(target).is_file():
        return Path(target)
    raise click.UsageError(f"there is no agent {target!r}; {_advice(target, agents)}")


def _existing(path: Path, target: str) -> Path:
    if path.is_file():
        return path
    if path.is_dir():
        raise click.UsageError(f"{target} is a folder; give the file of one agent")
    raise click.UsageError(f"there is no file {target}")


def _agents(root: Path) -> dict[str, Path]:
    files = [path for path in sorted((root / AGENTS_FOLDER).glob("*")) if path.suffix.lower() in _SUFFIXES]
    return {path.stem: Path(os.path.relpath(path)) for path in files}


def _advice(target: str, agents: dict[str, Path]) -> str:
    if not agents:
        return f"the project here has no {AGENTS_FOLDER}/*.yaml (runner init writes one)"
    return did_you_mean(target, agents) or f"the agents here are {', '.join(agents)}"
