"""A process that runs the agent of a `Mailbox`: `python -m tests.cli.mailer run|resume FOLDER APPROVE|- SCRIPT…`.

It is what the command does, with a scripted model and the session `trip`; the lines of the script are keys of `LINES`.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from runner.agent import Agent, load_agent
from runner.cli.endings import ending
from runner.cli.orders import Order, Resumption
from runner.cli.running import run_alone
from runner.cli.streams import leave, prepare
from runner.language.overrides import Override
from runner.models.scripted import Line, ScriptedModel
from tests.cli.driver import endless
from tests.cli.mailbox import SEND

LINES: dict[str, Line] = {"send": SEND, "done": "It is sent.", "endless": endless}


def main(verb: str, folder: str, approve: str, *script: str) -> None:
    """Carry it out and end the process."""
    prepare()

    def load(path: Path, *, overrides: Sequence[Override] = ()) -> Agent:
        return Agent(load_agent(path, overrides=overrides).spec, model=ScriptedModel([LINES[line] for line in script]))

    file = Path(folder) / "agents.d" / "mail.yaml"
    order: Order | Resumption
    if verb == "resume":
        order = Resumption(session="trip", states=Path(load_agent(file).spec.project.state_dir), wait=10.0)
    else:
        who = approve if approve in ("ask", "all", "none") else None
        order = Order(file=file, text="Write to Anna", session="trip", approve=who)  # type: ignore[arg-type] # one of them
    leave(ending(lambda: run_alone(order, load=load)))


if __name__ == "__main__":
    main(*sys.argv[1:])
