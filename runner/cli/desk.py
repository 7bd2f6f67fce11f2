"""What a run on the command line begins with, and what it gives back when it has begun."""

import asyncio
import shlex
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from runner.cli.terminal import Terminal
from runner.engine.events import Event
from runner.engine.scope import Interrupted, RunControl
from runner.language.project import find_root
from runner.report.phrases import visible
from runner.sessions.ports import SessionInUse, Store
from runner.sessions.session import Session
from runner.sessions.trust import require_unchanged
from runner.spec import AgentSpec

_POLL_SECONDS = 0.1


class RefusedError(Exception):
    """A run cannot begin like this, and nothing was done; the message is one line for a person."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Desk:
    """What a run on the command line begins with.

    Attributes:
        watch: whether somebody sees the model write.
        control: ends the run from outside.
        err: where notes for the person go.
        quiet: whether they want none.
        terminal: where they can be asked, None when they cannot.
    """

    watch: bool
    control: RunControl
    err: TextIO
    quiet: bool
    terminal: Terminal | None = None

    def note(self, text: str) -> None:
        """Tell the person something."""
        if not self.quiet:
            self.err.write(f"{visible(text)}\n")


@dataclass(frozen=True, kw_only=True, slots=True)
class Begun:
    """A run that has begun.

    Attributes:
        model: the name of its model.
        events: what happens in it; whoever gets this closes it.
        again: the command that goes on with it from the current folder, None when it belongs to no session.
    """

    model: str
    events: AsyncGenerator[Event, None]
    again: str | None = None


async def open_session(  # noqa: PLR0913 - what it takes
    store: Store, name: str, *, create: bool, wait: float | None, control: RunControl, stack: AsyncExitStack
) -> Session:
    """The session, once nobody else has it; other than in the store's own wait an interrupt is heard.

    Raises:
        RefusedError: somebody still has it after `wait` seconds.
        SessionError: it cannot be had, or was changed after it was written.
        Interrupted: the person ended the wait.
    """
    give_up = time.monotonic() + (wait or 0)
    while True:
        if control.signal is not None:
            raise Interrupted
        try:
            opened = stack.enter_context(store.open(name, create=create))
        except SessionInUse as error:
            if time.monotonic() >= give_up:
                hint = "" if wait is not None else "; --wait waits for it"
                raise RefusedError(f"{error}{hint}") from None
        else:
            require_unchanged(store, name)
            return opened.session
        await asyncio.sleep(_POLL_SECONDS)


def command_again(session: str, spec: AgentSpec) -> str:
    """The command that goes on with a session of the agent's project."""
    try:
        here = str(find_root(Path.cwd())) == spec.project.root
    except OSError:  # the current folder has gone
        here = False
    return f"runner sessions resume {session}" + ("" if here else f" --project {shlex.quote(spec.project.root)}")
