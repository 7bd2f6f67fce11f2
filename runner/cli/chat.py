"""`runner chat`: the command line of a chat."""

import click

from runner.agent import load_agent
from runner.cli.arguments import typed
from runner.cli.chatting import ChatOrder, chat_alone
from runner.cli.overrides import overrides
from runner.cli.targets import find_agent


@click.command(name="chat")
@click.argument("target", metavar="FILE|NAME")
def command(*, target: str) -> int:
    """Talk with an agent."""
    return 0
