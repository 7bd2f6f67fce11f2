"""A chat on the command line: turns shown as `runner run` shows them, and what the chat says on stderr."""

from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import TextIO

from runner.chat.ports import Turn, Turning
from runner.cli.chat_signals import ChatSignals
from runner.cli.errors import complain, internal_message
from runner.cli.orders import Manner
from runner.cli.outputs import OUTPUTS
from runner.cli.running import present
from runner.cli.streams import Output, ReaderGone, UnwritableError, colours
from runner.cli.surfaces import Shared, surface_on
from runner.diagnostics import Diagnostic
from runner.engine.approval import Approver
from runner.engine.events import Event, RunFinished
from runner.engine.scope import RunControl
from runner.inputs import InputError
from runner.report.progress import Progress
from runner.report.text import render_text

_INDENT = "  "


class CommandLine:
    """The place of a chat: answers go to `out`, everything else to `err`.

    Args:
        read: gives what is written next.
        out: for answers.
        err: for progress and what the chat says.
        approver: decides about tool calls.
        signals: stop turns, and the chat.
        manner: how turns are shown.
        person: whether there is one, who knows that they have interrupted a turn.
    """

    def __init__(  # noqa: PLR0913 - the parts of a command line
        self,
        *,
        read: Callable[[], Coroutine[object, object, str]],
        out: Output,
        err: TextIO,
        approver: Approver,
        signals: ChatSignals,
        manner: Manner,
        person: bool,
    ) -> None:
        self._read = read
        self._out = out
        self._err = err
        self._approver = approver
        self._signals = signals
        self._manner = manner
        self._person = person
        self._surface = surface_on(err, quiet=manner.quiet)
        seen = manner.output == "text" or self._surface.live
        self._watch = manner.output == "events" or (out.isatty() and seen)

    async def read(self) -> str:
        """What the person writes next; see `Place.read`."""
        return await self._signals.read(self._read())

    async def show(self, turn: Turn, *, model: str) -> RunFinished:
        """Let a turn happen; see `Place.show`. A mistake of ours ends the turn only.

        Raises:
            InputError: the turn cannot begin.
            ReaderGone, UnwritableError: stdout cannot be written, so there is nobody to talk to.
        """
        try:
            finished = await self._shown(turn, model)
        except (InputError, ReaderGone, UnwritableError):
            raise
        except Exception as error:  # noqa: BLE001 - the border of a turn: the chat, and all that was said, goes on
            finished = RunFinished(status="internal_error", answer=None, error=internal_message(error))
        if finished.error is not None and not (self._person and finished.status == "interrupted"):
            complain(finished.error, to=self._err)
        return finished

    async def _shown(self, turn: Turn, model: str) -> RunFinished:
        control = RunControl()
        progress = Progress(self._surface, verbose=self._manner.verbose)
        shared = self._out.isatty() and self._err.isatty()
        write = OUTPUTS[self._manner.output](Shared(self._out, progress) if shared else self._out)
        with self._signals.steering(control):
            events: AsyncGenerator[Event, None] = turn(
                Turning(watch=self._watch, control=control, approver=self._approver)
            )
            try:
                progress.opening(model)
                finished = await present(events, [write, progress])
            finally:
                self._surface.rest()
            progress.close(finished)
            await events.aclose()
        return finished

    def tell(self, *lines: str) -> None:
        """Say something about the chat."""
        self._err.write("".join(f"{_INDENT}{line}\n" for line in lines))

    def complain(self, message: str, *, hint: str | None = None) -> None:
        """Say that something cannot be done."""
        complain(message, hint=hint, to=self._err)

    def diagnose(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        """Say what is wrong with a file."""
        self._err.write(render_text(diagnostics, colour=colours(self._err)))
