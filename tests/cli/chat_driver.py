"""A process like `runner chat` whose model is scripted: `python -m tests.cli.chat_driver FOLDER [KEY=VALUE…]`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from runner.agent import Agent, InvalidAgent
from runner.cli.chatting import chat_alone
from runner.cli.endings import ending
from runner.cli.orders import Approve, Order
from runner.cli.streams import leave, prepare
from runner.diagnostics import Diagnostic, Location
from runner.language.overrides import Override
from tests.chat.talker import agent_in


def main(folder: str, *options: str) -> None:
    """Chat as the options say, and end the process; a model that is not called `scripted/…` is refused."""
    prepare()

    def load(path: Path, *, overrides: Sequence[Override] = ()) -> Agent:
        named = [str(override.data["model"]) for override in overrides if "model" in override.data]
        if named and not named[-1].startswith("scripted/"):
            message = f"no model is called '{named[-1]}'"
            raise InvalidAgent((Diagnostic(code="RUN999", message=message, location=Location(file="/model")),))
        return agent_in(Path(folder), model=named[-1] if named else "scripted/model", name=given.get("name", "clock"))

    given = dict(option.split("=") for option in options)
    order = Order(
        file=Path("agent.yaml"),
        session=given.get("session"),
        approve=cast("Approve | None", given.get("approve")),
        output=given.get("output", "text"),
        quiet="quiet" in given,
    )
    leave(ending(lambda: chat_alone(order, load=load, open_for=lambda spec: None)))


if __name__ == "__main__":
    main(*sys.argv[1:])
