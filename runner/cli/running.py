"""Carries out one run for the command line: shows its events and turns every ending into an exit code."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Sequence
from typing import TextIO

import click

from runner.agent import InvalidAgent
from runner.cli.desk import Begun, Desk, RefusedError
from runner.cli.errors import complain, internal_message
from runner.cli.event_loop import to_the_end
from runner.cli.hiding import hiding
from runner.cli.orders import Load, Order, Resumption
from runner.cli.outputs import OUTPUTS, Watcher
from runner.cli.session_runs import begun
from runner.cli.signals import interruptible
from runner.cli.streams import Output, ReaderGone, UnwritableError, claim_stdout, colours
from runner.cli.surfaces import Shared, surface_on
from runner.cli.terminal import Terminal
from runner.diagnostics import Diagnostic
from runner.engine.events import Event, RunFinished, Status, exit_code
from runner.engine.journal import JournalError
from runner.engine.outcome import LIMITS
from runner.engine.scope import Interrupted, RunControl, Signal
from runner.inputs import InputError
from runner.report.phrases import counted
from runner.report.progress import Progress
from runner.report.text import render_text
from runner.sessions.ports import SessionError, StoreError

# After these somebody waits for the process to end, more than for what it writes.
_URGENT = ("interrupted", "timeout")


def run_alone(order: Order | Resumption, *, load: Load) -> int:
    """Execute `order` as the only thing this process still does; its stdout is claimed for good."""
    execution = Execution(order, out=claim_stdout(), err=sys.stderr, terminal=Terminal.of(sys.stderr))
    # The loop is left open: closing it waits for its threads (a name lookup that hangs, say), and the process ends now.
    return to_the_end(asyncio.new_event_loop(), execution.execute(hiding(load)))


class Execution:
    """An order being carried out, the answer going to `out` and the progress to `err`; `terminal` has a person."""

    def __init__(
        self, order: Order | Resumption, *, out: Output, err: TextIO, terminal: Terminal | None = None
    ) -> None:
        self._order = order
        self._terminal = terminal
        self._err = err
        self._out = out
        self._surface = surface_on(err, quiet=order.quiet)
        self._progress = Progress(self._surface, verbose=order.verbose)
        shared = out.isatty() and err.isatty()
        self._write = OUTPUTS[order.output](Shared(out, self._progress) if shared else out)
        seen = order.output == "text" or self._surface.live
        self._watch = order.output == "events" or (out.isatty() and seen)
        self._control = RunControl()
        self._again: str | None = None

    async def execute(self, load: Load) -> int:
        """Run the agent and return the exit code.

        Whatever happens, stdout gets what `order.output` promises; only a usage error writes nothing there.

        Raises:
            click.UsageError: the agent cannot be run with these arguments.
            ReaderGone, UnwritableError: stdout cannot be written.
        """
        # The signals are ours to the end: an interrupt between the outcome and the exit must not make a second outcome.
        with interruptible(self._control):
            try:
                finished = await self._outcome(load)
            except InvalidAgent as invalid:
                self._err.write(render_text(invalid.diagnostics, colour=colours(self._err)))
                return exit_code(self._failed("config_invalid", _first(invalid.diagnostics)))
            if finished.status in _URGENT:
                self._out.hurry()
            if finished.error is not None:
                complain(finished.error, hint=self._hint(finished), to=self._err)
            return exit_code(finished)

    def _hint(self, finished: RunFinished) -> str | None:
        """How to go on with a run that is kept."""
        if self._again is None or finished.status in ("completed", "invalid_output", "config_invalid"):
            return None
        if finished.status == "waiting_for_approval":
            ways = "--approve [CALL], --reject [CALL] --reason \"why\" or --edit [CALL] '{…}'"
            return f"decide with: {self._again} {ways}"
        more = ", with a higher limit" if finished.status in LIMITS else ""
        return f"go on{more}: {self._again}"

    async def _outcome(self, load: Load) -> RunFinished:
        desk = Desk(
            watch=self._watch,
            control=self._control,
            err=self._err,
            quiet=self._order.quiet,
            terminal=self._terminal,
        )
        try:
            async with begun(self._order, load, desk) as run:
                return await self._run(run)
        except (click.UsageError, InvalidAgent, ReaderGone, UnwritableError):
            raise
        except InputError as error:
            if not error.refused:
                raise click.UsageError(str(error)) from None
            return self._failed("config_invalid", str(error))
        except (StoreError, JournalError) as error:
            return self._failed("internal_error", str(error))
        except (SessionError, RefusedError) as error:
            return self._failed("config_invalid", str(error))
        except Interrupted:
            return self._failed("interrupted", "interrupted before the first step", signal=self._control.signal)
        except Exception as error:  # noqa: BLE001 - the border of the run: whoever reads stdout is owed an outcome
            return self._failed("internal_error", internal_message(error))

    def _failed(self, status: Status, error: str, *, signal: Signal | None = None) -> RunFinished:
        """Tell the reader of stdout how a run ended that could not tell it by itself."""
        finished = RunFinished(status=status, answer=None, error=error, signal=signal, session=self._order.session)
        self._write(finished)
        return finished

    async def _run(self, run: Begun) -> RunFinished:
        self._again = run.again
        try:
            self._progress.opening(run.model)
            # A line of the answer has to end before progress may write below it.
            finished = await present(run.events, [self._write, self._progress])
        finally:
            self._surface.rest()
        self._progress.close(finished)
        await self._close(run.events, finished)
        return finished

    async def _close(self, events: AsyncGenerator[Event, None], finished: RunFinished) -> None:
        if finished.status != "completed":
            # Nobody waits until a model has wound down from work cut off; the process ends next, and all with it.
            return
        try:
            await events.aclose()
        except Exception as error:  # noqa: BLE001 - the outcome is out, and nothing that fails now can change it
            complain(internal_message(error), to=self._err)


async def present(events: AsyncGenerator[Event, None], watchers: Sequence[Watcher]) -> RunFinished:
    """Show each event to every watcher, in order, until the outcome, and return that; `events` is left open.

    When something fails `events` is closed, which stops the tools that run.
    """
    try:
        async for event in events:
            for watch in watchers:
                watch(event)
            if isinstance(event, RunFinished):
                return event
    except BaseException:
        await events.aclose()
        raise
    raise RuntimeError("a run ended without RunFinished")


def _first(diagnostics: Sequence[Diagnostic]) -> str:
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.severity == "error"]
    more = f" (and {counted(len(errors) - 1, 'more error')})" if len(errors) > 1 else ""
    return f"{errors[0].location}: {errors[0].message}{more}"
