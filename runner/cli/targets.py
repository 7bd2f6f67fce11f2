"""Finds the agent file that FILE or NAME on the command line means."""

import os
from pathlib import Path

import click

from runner.cli.arguments import NAME_CHARACTERS, here
from runner.language.listing import AgentNames, agent_names
from runner.language.project import AGENTS_FOLDER, find_root
from runner.report.phrases import shortened
from runner.suggest import did_you_mean

_SUFFIXES = (".yaml", ".yml")


def find_agent(target: str, *, folder: Path | None = None) -> Path:
    """The file of the agent: `target` itself, or for a bare name that of the agent of the project around `folder`.

    Without a folder the current one is meant.

    Raises:
        click.UsageError: there is no such file, or several agents have the name.
    """
    if "/" in target or os.sep in target or target.lower().endswith(_SUFFIXES):
        return _existing(Path(target), target)
    agents = agent_names(find_root(folder or here()))
    files = [Path(os.path.relpath(path)) for path in agents.files(target)]
    if len(files) > 1:
        raise click.UsageError(
            f"the name {target!r} is not unique; name one of the files: {', '.join(map(str, files))}"
        )
    if files:
        return files[0]
    if os.path.isfile(target):  # noqa: PTH113 - the method raises for a name that is too long
        return Path(target)
    shown = shortened(target, NAME_CHARACTERS)
    raise click.UsageError(f"there is no agent {shown!r}; {_advice(target, agents)}")


def _existing(path: Path, target: str) -> Path:
    shown = shortened(target, NAME_CHARACTERS)
    if os.path.isdir(path):  # noqa: PTH112 - the methods raise where nobody may look, and for a name that is too long
        raise click.UsageError(f"{shown} is a folder; give the file of one agent")
    if not os.path.exists(path):  # noqa: PTH110 - as above
        raise click.UsageError(f"there is no file {shown}")
    if not path.is_absolute():
        here()
    return path  # what is no regular file is told when it is read


def _advice(target: str, agents: AgentNames) -> str:
    if not agents.all:
        return f"the project here has no {AGENTS_FOLDER}/*.yaml (runner init writes one)"
    return did_you_mean(target, agents.all) or f"the agents here are {', '.join(agents.all)}"
