"""Begins a run for the command line: a new one, one in a session, or one that goes on."""

import asyncio
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from runner.cli.approving import choose_approver, person
from runner.cli.orders import Agent, Load, Order, Resumption
from runner.cli.stores import open_store
from runner.cli.terminal import Terminal
from runner.cli.verdicts import decisions
from runner.engine.approval import Approved, Decision
from runner.engine.events import Event, RunFinished
from runner.engine.messages import ToolCall
from runner.engine.scope import Interrupted, RunControl
from runner.environment import VariableError
from runner.inputs import parse_assignments
from runner.report import phrases
from runner.sessions.ports import SessionError, SessionInUse, Store
from runner.sessions.session import Session, Unfinished
from runner.spec import AgentSpec
from runner.tools import ToolLoadError, open_tool

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
    """

    watch: bool
    control: RunControl
    err: TextIO
    quiet: bool

    def note(self, text: str) -> None:
        """Tell the person something."""
        if not self.quiet:
            self.err.write(f"{phrases.visible(text)}\n")


@dataclass(frozen=True, kw_only=True, slots=True)
class Begun:
    """A run that has begun: what its model is called, and its events, which the one who gets this closes."""

    model: str
    events: AsyncGenerator[Event, None]


@asynccontextmanager
async def begun(order: Order | Resumption, load: Load, desk: Desk) -> AsyncIterator[Begun]:
    """Begin the run that `order` is about; its session is this process's until the block ends.

    Raises:
        InvalidAgent, InputError: the agent cannot be run, or not with these inputs.
        SessionError: the session cannot be had.
        RefusedError: the session does not allow it.
        Interrupted: the person ended the wait for the session.
        click.UsageError: an input or a decision cannot be what it is.
    """
    async with AsyncExitStack() as stack:
        starting = _new(order, load, desk, stack) if isinstance(order, Order) else _resumed(order, load, desk, stack)
        yield await starting


async def _new(order: Order, load: Load, desk: Desk, stack: AsyncExitStack) -> Begun:
    agent = load(order.file, overrides=order.overrides)
    inputs = parse_assignments(agent.spec, order.assignments)
    if order.text is not None and not agent.needs_text:
        desk.note(f"warning: INPUT is not used: no template of {agent.spec.name} has {{{{ input }}}}")
    session: Session | None = None
    if order.session is not None or order.approve == "ask":
        session = await _session(order, agent.spec, desk, stack)
    terminal = Terminal.of(desk.err)
    events = agent.stream(
        order.text,
        inputs=inputs,
        watch=desk.watch,
        control=desk.control,
        approver=choose_approver(order.approve, terminal=terminal, saved=session is not None),
        session=session,
    )
    return Begun(model=agent.spec.model.name, events=events)


async def _session(order: Order, spec: AgentSpec, desk: Desk, stack: AsyncExitStack) -> Session:
    store = open_store(Path(spec.project.state_dir))
    name = order.session
    if name is None:
        name = store.new_id()
        desk.note(f"session {name}")
    session = await _opened(store, name, create=True, wait=order.wait, control=desk.control, stack=stack)
    unfinished = session.unfinished
    if unfinished is None:
        return session
    if unfinished.status == "waiting_for_approval":
        waiting = ", ".join(f"{call.name} ({call.id})" for call in waiting_calls(unfinished))
        raise RefusedError(
            f"session {name} waits for approval of {waiting}; decide about it first: runner sessions resume {name}"
        )
    desk.note(
        f"note: the last run of session {name} {_ended(unfinished)}; this is a new run "
        f"(runner sessions resume {name} goes on with the last one)"
    )
    return session


def _ended(unfinished: Unfinished) -> str:
    return "broke off" if unfinished.status is None else f"ended with status {unfinished.status}"


async def _opened(  # noqa: PLR0913 - what it takes
    store: Store, name: str, *, create: bool, wait: float | None, control: RunControl, stack: AsyncExitStack
) -> Session:
    """The session, once nobody else has it; other than in the store's own wait an interrupt is heard."""
    give_up = time.monotonic() + (wait or 0)
    while True:
        if control.signal is not None:
            raise Interrupted
        try:
            return stack.enter_context(store.open(name, create=create)).session
        except SessionInUse as error:
            if time.monotonic() >= give_up:
                hint = "" if wait is not None else "; --wait waits for it"
                raise RefusedError(f"{error}{hint}") from None
        await asyncio.sleep(_POLL_SECONDS)


async def _resumed(order: Resumption, load: Load, desk: Desk, stack: AsyncExitStack) -> Begun:
    store = open_store(order.states)
    session = await _opened(
        store, order.session, create=False, wait=order.wait, control=desk.control, stack=stack
    )
    unfinished = session.unfinished
    if unfinished is None:
        raise RefusedError(
            f"session {order.session} has nothing to go on with: its last run is over; "
            f"runner run FILE --session {order.session} goes on talking"
        )
    agent = _agent_of(order, unfinished, load, desk)
    waiting = waiting_calls(unfinished)
    decided = decisions(order.verdicts, waiting, by=person())
    _check_edits(agent.spec, waiting, decided)
    terminal = Terminal.of(desk.err)
    if unfinished.pending and not decided and terminal is None:
        return Begun(model=agent.spec.model.name, events=_still_waiting(session, unfinished, waiting))
    events = agent.resume(
        session,
        decisions=decided,
        watch=desk.watch,
        control=desk.control,
        approver=choose_approver(order.approve or "ask", terminal=terminal, saved=True),
    )
    return Begun(model=agent.spec.model.name, events=events)


def _agent_of(order: Resumption, unfinished: Unfinished, load: Load, desk: Desk) -> Agent:
    began = unfinished.began
    file = order.file or Path(began.file)
    if not os.path.exists(file):  # noqa: PTH110 - the method raises where nobody may look
        raise RefusedError(
            f"the agent of session {order.session} was {began.file}, which is not there any more; "
            "--file FILE says where it is now"
        )
    agent = load(file, overrides=order.overrides)
    if agent.spec.name != began.agent:
        raise RefusedError(f"session {order.session} is one of the agent {began.agent}; {file} is {agent.spec.name}")
    if agent.spec.model.name != began.model:
        desk.note(
            f"note: the run began with {began.model} and goes on with {agent.spec.model.name} "
            f"(--model {began.model} keeps it)"
        )
    return agent


def waiting_calls(unfinished: Unfinished) -> tuple[ToolCall, ...]:
    """The calls that a person can decide about: those that wait, and those of which nobody knows what they did."""
    past = unfinished.past
    calls = past.unanswered.calls if past.unanswered is not None else ()
    unknown = [
        replace(call, arguments=past.started[call.id] or call.arguments)
        for call in calls
        if call.id in past.started and call.id not in past.results
    ]
    pending = {call.id for call in unfinished.pending}
    return (*unfinished.pending, *(call for call in unknown if call.id not in pending))


def _check_edits(spec: AgentSpec, calls: Sequence[ToolCall], decided: Mapping[str, Decision]) -> None:
    """Refuse arguments that a tool would refuse, before anything is done.

    Raises:
        RefusedError: what is wrong with them.
    """
    tools = {tool.name: tool for tool in spec.tools}
    for call in calls:
        decision = decided.get(call.id)
        if not isinstance(decision, Approved) or decision.arguments is None or call.name not in tools:
            continue
        try:
            tool = open_tool(
                tools[call.name], spec.project, max_result_chars=spec.limits.max_tool_result_chars, environ=os.environ
            )
        except (ToolLoadError, VariableError) as error:
            raise RefusedError(str(error)) from None
        problem = tool.check(decision.arguments)
        if problem is not None:
            raise RefusedError(f"--edit of {call.name} ({call.id}): {problem}")


async def _still_waiting(
    session: Session, unfinished: Unfinished, waiting: Sequence[ToolCall]
) -> AsyncGenerator[Event, None]:
    """The outcome when nobody is there to decide; nothing is done, and nothing noted down."""
    past = unfinished.past
    names = ", ".join(f"{phrases.call(call.name, call.arguments, limit=60)} ({call.id})" for call in waiting)
    yield RunFinished(
        status="waiting_for_approval",
        answer=None,
        error=f"waiting for approval of {names}",
        steps=past.steps,
        tool_calls=len(past.calls),
        usage=past.usage,
        cost=past.cost,
        seconds=past.seconds,
        session=session.id,
    )
