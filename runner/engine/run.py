"""Puts the parts of a run together, runs it, and lets go of them."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace

from runner.engine.approval import Approver, Nobody
from runner.engine.asking import Asker, Backoff, ChooseMode
from runner.engine.events import Event
from runner.engine.execute import Executor
from runner.engine.gate import Gate
from runner.engine.journal import Journal, NoJournal
from runner.engine.loop import Loop, noted
from runner.engine.outcome import not_begun
from runner.engine.past import Past
from runner.engine.permissions import Permissions
from runner.engine.ports import ConfigurationError, Model, ModelError, Tool
from runner.engine.scope import Interrupted, RunControl, Scope
from runner.engine.task import Task


async def run(  # noqa: PLR0913 - the parts of a run
    task: Task,
    *,
    model: Model,
    fallbacks: Sequence[Model] = (),
    summarizer: Model | None = None,
    tools: Mapping[str, Tool],
    choose_mode: ChooseMode,
    control: RunControl | None = None,
    approver: Approver | None = None,
    journal: Journal | None = None,
    past: Past | None = None,
    mask: Callable[[str], str] = str,
    backoff: Backoff | None = None,
) -> AsyncGenerator[Event, None]:
    """Run `task` and tell what happens; the last event is always `RunFinished`.

    Closing the iterator early cancels what is running. Opening the model is not on the run's clock.

    Args:
        task: what to do.
        model: who is asked.
        fallbacks: who is asked in turn when that fails for good; opened only then.
        summarizer: sums up what of a long conversation is left out; None means the model that answers.
        tools: what the model may call, by name.
        choose_mode: makes the parsing mode for a model.
        control: ends the run from outside.
        approver: decides about calls that need it; without one they are rejected.
        journal: where what happens is noted down, each thing before the next one begins.
        past: an earlier part of this run, which is gone on with.
        mask: takes secrets out of what tools return.
        backoff: pauses between calls that fail.
    """
    control = control or RunControl()
    scope = Scope(control)
    asker = Asker((model, *fallbacks), choose_mode, scope, backoff or Backoff())
    executor = Executor(tools, task.limits, scope, mask=mask, session=task.session)
    journal = journal or NoJournal()
    past = past or Past()
    loop: Loop | None = None
    try:
        try:
            await asker.open()
            gate = Gate(
                tools,
                permissions=Permissions(task.permissions),
                approver=approver or Nobody(),
                scope=scope,
                past=past,
            )
            loop = Loop(
                task,
                asker=asker,
                executor=executor,
                tools=tools,
                scope=scope,
                summarizer=summarizer,
                gate=gate,
                journal=journal,
                past=past,
            )
        except (ModelError, ConfigurationError, Interrupted) as stop:
            yield noted(journal, replace(not_begun(stop, scope.signal), session=task.session))
            return
        async with aclosing(loop.events()) as events:
            async for event in events:
                yield event
    finally:
        control.bind(None)
        await executor.close()
        await asker.close()
        if loop is not None:
            await loop.close()
