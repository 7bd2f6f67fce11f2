"""Keeps the secrets of the agents that are loaded out of what the process prints."""

from collections.abc import Sequence
from pathlib import Path

from runner.cli.orders import Agent, Load
from runner.cli.streams import hide_in_prints
from runner.language.overrides import Override


def hiding(load: Load) -> Load:
    """Load as `load` does; from then on nothing that is printed shows what the agent must not show."""

    def loading(path: Path, *, overrides: Sequence[Override] = ()) -> Agent:
        agent = load(path, overrides=overrides)

        def hide(text: str) -> str:
            return agent.secrets.mask(text)  # asked for each time: a run may find more of them

        hide_in_prints(hide)
        return agent

    return loading
