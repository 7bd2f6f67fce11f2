"""What a line of a chat is: something said to the agent, or a command to the chat."""

import re
from dataclasses import dataclass

from runner.suggest import did_you_mean

# A path, such as /etc/hosts, is no command.
_COMMAND = re.compile(r"/([A-Za-z?]*)(?:\s+(.*))?", re.DOTALL)
_ESCAPE = "//"


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """A command there is: `takes` names its argument, empty when it has none."""

    name: str
    does: str
    takes: str = ""

    @property
    def form(self) -> str:
        """How it is written: `/save [ID]`."""
        return f"/{self.name} [{self.takes}]" if self.takes else f"/{self.name}"


COMMANDS = {
    command.name: command
    for command in (
        Command(name="help", does="show this"),
        Command(name="tools", does="show what the agent can call"),
        Command(name="model", takes="NAME", does="show the model, or go on with another one"),
        Command(name="continue", does="go on with a turn that was interrupted, failed, or waits for approval"),
        Command(name="undo", does="take the last turn back"),
        Command(name="reset", does="begin a new conversation"),
        Command(name="save", takes="ID", does="keep the conversation, and what follows, as a session"),
        Command(name="exit", does="leave; so does Ctrl-D"),
    )
}
_ALIASES = {"quit": "exit", "?": "help"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """Something for the agent."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Ordered:
    """A command: a key of `COMMANDS`, and its argument, None when there is none."""

    command: str
    argument: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Wrong:
    """A command that cannot be carried out, and why."""

    problem: str
    hint: str


def read(text: str) -> Said | Ordered | Wrong | None:
    """What `text` is; None when it is blank.

    A text that begins with `//` is said to the agent with one slash less.
    """
    stripped = text.strip()
    if not stripped:
        return None
    if stripped.startswith(_ESCAPE):
        return Said(text=stripped[1:])
    match = _COMMAND.fullmatch(stripped)
    if match is None:
        return Said(text=text)
    name, argument = match[1].lower(), (match[2] or "").strip() or None
    name = _ALIASES.get(name, name)
    if name not in COMMANDS:
        hint = did_you_mean(f"/{name}", [f"/{each}" for each in COMMANDS]) or "/help shows the commands"
        return Wrong(problem=f"there is no command /{name}", hint=f"{hint} (a text that begins with / is written //…)")
    if argument is not None and not COMMANDS[name].takes:
        return Wrong(problem=f"/{name} takes nothing", hint=f"write {COMMANDS[name].form}")
    return Ordered(command=name, argument=argument)


def help_lines() -> list[str]:
    """The commands and what they do, one a line."""
    width = max(len(command.form) for command in COMMANDS.values()) + 2
    return [f"{command.form:<{width}}{command.does}" for command in COMMANDS.values()]
