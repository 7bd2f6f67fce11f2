"""Carries out one run for the command line: shows its events and turns every ending into an exit code."""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TextIO

import click

from runner.agent import InvalidAgent
from runner.cli.errors import complain, internal_message
from runner.cli.outputs import OUTPUTS, Watcher
from runner.cli.signals import interruptible
from runner.cli.streams import Output, ReaderGone, UnwritableError, claim_stdout, colours
from runner.diagnostics import Diagnostic
from runner.engine.events import Event, RunFinished, Status, exit_code
from runner.engine.scope import RunControl
from runner.inputs import InputError, parse_assignments
from runner.report.phrases import counted
from runner.report.progress import PlainSurface, Progress, SilentSurface, Surface
from runner.report.text import render_text
from runner.spec import AgentSpec


class Agent(Protocol):
    """What is run; `runner.agent.Agent` is the real one."""

    @property
    def spec(self) -> AgentSpec:
        """The compiled agent."""

    @property
    def needs_text(self) -> bool:
        """Whether its templates use the text of the command line."""

    def stream(
        self,
        text: str | None = None,
        *,
        inputs: Mapping[str, object] | None = None,
        watch: bool = True,
        control: RunControl | None = None,
    ) -> AsyncGenerator[Event, None]:
        """Run it; the last event is `RunFinished`."""


class Load(Protocol):
    """Loads an agent; `runner.agent.load_agent` is the real one."""

    def __call__(self, path: Path, *, model: str | None = None) -> Agent:
        """Compile the agent of a file.

        Raises:
            InvalidAgent: the file, or one it names, is wrong.
        """


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    """What the person asked for.

    Attributes:
        text: INPUT, None when it was not given.
        assignments: the inputs as `name=value`.
        output: a key of `OUTPUTS`.
    """

    file: Path
    text: str | None = None
    assignments: Sequence[str] = ()
    model: str | None = None
    output: str = "text"
    quiet: bool = False
    verbose: bool = False


def run_alone(order: Order, *, load: Load) -> int:
    """Execute `order` as the only thing this process still does; its stdout is claimed for good."""
    out = claim_stdout()
    # The loop is left open: closing it waits for its threads (a name lookup that hangs, say), and the process ends now.
    return asyncio.new_event_loop().run_until_complete(execute(order, load=load, out=out, err=sys.stderr))


async def execute(order: Order, *, load: Load, out: Output, err: TextIO) -> int:
    """Run an agent, its answer going to `out` and its progress to `err`, and return the exit code.

    Whatever happens, `out` gets what `order.output` promises; only a usage error writes nothing there.

    Raises:
        click.UsageError: the agent cannot be run with these arguments.
        ReaderGone, UnwritableError: `out` cannot be written.
    """
    run = _Run(order, out, err)
    # The signals are ours to the end: an interrupt between the outcome and the exit must not make a second outcome.
    with interruptible(run.control):
        finished = await run.outcome(load)
        if finished.error is not None:
            complain(finished.error, to=err)
        return exit_code(finished)


class _Run:
    """An order being carried out."""

    def __init__(self, order: Order, out: Output, err: TextIO) -> None:
        self.control = RunControl()
        self._order = order
        self._err = err
        self._write = OUTPUTS[order.output](out)
        self._surface = _surface(order, err)
        self._watch = order.output == "events" or (self._surface.live and out.isatty())

    async def outcome(self, load: Load) -> RunFinished:
        try:
            return await self._run(load(self._order.file, model=self._order.model))
        except (click.UsageError, ReaderGone, UnwritableError):
            raise
        except InputError as error:
            if not error.refused:
                raise click.UsageError(str(error)) from None
            return self._failed("config_invalid", str(error))
        except InvalidAgent as invalid:
            self._err.write(render_text(invalid.diagnostics, colour=colours(self._err)))
            return self._failed("config_invalid", _first(invalid.diagnostics))
        except Exception as error:  # noqa: BLE001 - the border of the run: whoever reads stdout is owed an outcome
            return self._failed("internal_error", internal_message(error))

    def _failed(self, status: Status, error: str) -> RunFinished:
        """Tell the reader of stdout how a run ended that could not tell it by itself."""
        finished = RunFinished(status=status, answer=None, error=error)
        self._write(finished)
        return finished

    async def _run(self, agent: Agent) -> RunFinished:
        order = self._order
        inputs = parse_assignments(agent.spec, order.assignments)
        if order.text is not None and not agent.needs_text and not order.quiet:
            self._err.write(f"warning: INPUT is not used: no template of {agent.spec.name} has {{{{ input }}}}\n")
        progress = Progress(self._surface, verbose=order.verbose)
        try:
            progress.opening(agent.spec.model.name)
            events = agent.stream(order.text, inputs=inputs, watch=self._watch, control=self.control)
            finished = await present(events, [progress, self._write])
        finally:
            self._surface.rest()
        progress.close(finished)
        return finished


async def present(events: AsyncGenerator[Event, None], watchers: Sequence[Watcher]) -> RunFinished:
    """Show every event to every watcher, in order, and return the last event, the outcome.

    If a watcher fails the run is closed, which stops its tools.
    """
    finished: RunFinished | None = None
    try:
        async with aclosing(events):
            async for event in events:
                for watch in watchers:
                    watch(event)
                if isinstance(event, RunFinished):
                    finished = event
    except Exception as error:
        if finished is None:
            raise
        complain(internal_message(error))  # the outcome is out: what fails while the run is closed cannot change it
    if finished is None:
        raise RuntimeError("a run ended without RunFinished")
    return finished


def _first(diagnostics: Sequence[Diagnostic]) -> str:
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.severity == "error"]
    more = f" (and {counted(len(errors) - 1, 'more error')})" if len(errors) > 1 else ""
    return f"{errors[0].location}: {errors[0].message}{more}"


def _surface(order: Order, err: TextIO) -> Surface:
    if order.quiet:
        return SilentSurface()
    if err.isatty() and os.environ.get("TERM") != "dumb":
        from runner.report.live import LiveSurface  # noqa: PLC0415 - rich is slow to import and only for terminals

        return LiveSurface(err, colour=colours(err))
    return PlainSurface(err)
