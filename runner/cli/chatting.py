"""Carries out a chat for the command line: puts its parts together and returns its exit code."""

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TextIO

import click

from runner.agent import InvalidAgent
from runner.chat.chat import Chat
from runner.chat.commands import COMMANDS
from runner.chat.conversation import Conversation
from runner.chat.lines import Lines
from runner.chat.standby import OpenFor, Standby, model_for
from runner.cli.approving import choose_approver
from runner.cli.chat_place import CommandLine
from runner.cli.chat_signals import ChatSignals
from runner.cli.desk import command_again
from runner.cli.errors import complain
from runner.cli.event_loop import to_the_end
from runner.cli.hiding import hiding
from runner.cli.orders import Agent, Load, Order
from runner.cli.stores import open_store
from runner.cli.streams import Output, claim_stdout, colours
from runner.cli.terminal import Terminal
from runner.inputs import InputError, parse_assignments, resolve_inputs
from runner.language.overrides import Override
from runner.report.phrases import counted, visible
from runner.report.text import render_text
from runner.sessions.folder import prepare
from runner.sessions.ports import SessionError, SessionInUse, StoreError
from runner.spec import AgentSpec, Json

_HISTORY = "chat-history"
_INVALID = 1


def chat_alone(order: Order, *, load: Load, open_for: OpenFor = model_for) -> int:
    """Execute `order` as the only thing this process still does; its stdout is claimed for good."""
    execution = ChatExecution(order, out=claim_stdout(), err=sys.stderr)
    # The loop is left open: closing it waits for its threads, and the process ends now.
    return to_the_end(asyncio.new_event_loop(), execution.execute(hiding(load), open_for))


class ChatExecution:
    """An order being carried out, on the standard input of the process."""

    def __init__(self, order: Order, *, out: Output, err: TextIO) -> None:
        self._order = order
        self._out = out
        self._err = err
        self._terminal = Terminal.of(err)

    async def execute(self, load: Load, open_for: OpenFor) -> int:
        """Chat, and return the exit code.

        Raises:
            click.UsageError: the agent cannot be talked to with these arguments.
            ReaderGone, UnwritableError: stdout cannot be written.
        """
        order = self._order
        try:
            agent = load(order.file, overrides=order.overrides)
            inputs = _inputs(agent, order.assignments)
            conversation = self._conversation(agent.spec)
        except InvalidAgent as invalid:
            self._err.write(render_text(invalid.diagnostics, colour=colours(self._err)))
            return _INVALID
        except InputError as error:
            if not error.refused:
                raise click.UsageError(str(error)) from None
            complain(str(error), to=self._err)
            return _INVALID
        except SessionError as error:
            waits = isinstance(error, SessionInUse) and order.wait is None
            complain(str(error), hint="--wait waits for it" if waits else None, to=self._err)
            return _INVALID
        signals = ChatSignals(person=self._terminal is not None)
        chat = Chat(
            load=lambda model: load(order.file, overrides=[*order.overrides, _answering(model)]),
            agent=agent,
            inputs=inputs,
            conversation=conversation,
            place=self._place(agent, signals),
            standby=Standby(open_for),
            hints=self._terminal is not None and not order.quiet,
            elsewhere=command_again if self._terminal is None else None,
        )
        self._greet(agent.spec, conversation)
        with signals.heard():
            code = await chat.run()
        if signals.code is not None:
            return signals.code
        # A person has seen how the last turn went, and leaves because they want to.
        return code if self._terminal is None else 0

    def _place(self, agent: Agent, signals: ChatSignals) -> CommandLine:
        return CommandLine(
            read=self._reader(agent),
            out=self._out,
            err=self._err,
            approver=choose_approver(self._order.approve, terminal=self._terminal, saved=True),
            signals=signals,
            manner=self._order,
            person=self._terminal is not None,
        )

    def _conversation(self, spec: AgentSpec) -> Conversation:
        conversation = Conversation(open_store(Path(spec.project.state_dir)))
        if self._order.session is not None:
            conversation.open(self._order.session, wait=self._order.wait)
        elif self._order.approve == "ask" and self._terminal is None:
            conversation.keep()  # what waits for approval when the chat ends must be there afterwards
        return conversation

    def _reader(self, agent: Agent) -> Callable[[], Coroutine[object, object, str]]:
        if self._terminal is None:
            return Lines(open(0, "rb", closefd=False)).read
        if os.environ.get("TERM") == "dumb":  # such as a shell inside an editor, which edits lines itself
            return Lines(open(0, "rb", closefd=False), prompt=self._prompt).read
        from runner.chat.editor import Editor  # noqa: PLC0415 - only for people

        editor = Editor(
            commands={command.name: command.does for command in COMMANDS.values()},
            history=_history(agent.spec),
            stdin=open(0, encoding="utf-8", errors="surrogateescape", closefd=False),  # noqa: SIM115 - as above
            stderr=self._err,
            colour=colours(self._err),
            mask=lambda text: agent.secrets.mask(text),  # noqa: PLW0108 - a turn may find more, which are a new object
            cleared=lambda: self._note("Ctrl-D leaves the chat"),
        )
        return editor.read

    def _prompt(self) -> None:
        self._err.write("> ")
        self._err.flush()

    def _greet(self, spec: AgentSpec, conversation: Conversation) -> None:
        if self._terminal is not None:
            self._note(f"{spec.name} · {spec.model.name} · /help shows the commands, Ctrl-D leaves")
        if conversation.turns:
            self._note(f"session {conversation.id} goes on after {counted(conversation.turns, 'turn')}")
        elif conversation.keeping:
            self._note(f"session {conversation.id}")
        if conversation.agent not in (None, spec.name):
            self._note(f"its last turn is one of the agent {conversation.agent}; {spec.name} is told what was said")
        if (unfinished := conversation.unfinished) is not None:
            ended = "broke off" if unfinished.status is None else f"ended with status {unfinished.status}"
            self._note(f"its last turn {ended}; /continue goes on with it")

    def _note(self, text: str) -> None:
        if not self._order.quiet:
            self._err.write(f"  {visible(text)}\n")


def _answering(model: str) -> Override:
    return Override(option="/model", data={"model": model})


def _inputs(agent: Agent, assignments: Sequence[str]) -> dict[str, Json]:
    """The inputs of every turn.

    Raises:
        click.UsageError: the agent does not listen.
        InputError: they are not what it takes.
    """
    if not agent.needs_text:
        raise click.UsageError(f"{agent.spec.name} cannot chat: none of its templates has {{{{ input }}}}")
    inputs = parse_assignments(agent.spec, assignments)
    resolve_inputs(agent.spec, inputs, text="")
    return inputs


def _history(spec: AgentSpec) -> Path | None:
    """The file of what was written in chats of the project; None when there can be none."""
    folder = Path(spec.project.state_dir)
    try:
        prepare(folder)
    except StoreError:
        return None
    return folder / _HISTORY
