"""Begins a run for the command line: a new one, one in a session, or one that goes on."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from pathlib import Path

from runner.cli.approving import choose_approver
from runner.cli.desk import Begun, Desk, RefusedError, command_again, open_session
from runner.cli.orders import Load, Order, Resumption
from runner.cli.resuming import resumed, waiting_calls
from runner.cli.stores import open_store
from runner.engine.events import ApprovalRequested, ApprovalResolved, Event
from runner.engine.journal import Decided, NoJournal
from runner.engine.messages import ToolCall
from runner.inputs import parse_assignments
from runner.sessions.feedback import Feedback
from runner.sessions.remembering import RememberingJournal, lessons_for, remembering
from runner.sessions.session import Session, Unfinished
from runner.spec import AgentSpec


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
        starting = _new(order, load, desk, stack) if isinstance(order, Order) else resumed(order, load, desk, stack)
        yield await starting


async def _new(order: Order, load: Load, desk: Desk, stack: AsyncExitStack) -> Begun:
    agent = load(order.file, overrides=order.overrides)
    inputs = parse_assignments(agent.spec, order.assignments)
    if order.text is not None and not agent.needs_text:
        desk.note(f"warning: INPUT is not used: no template of {agent.spec.name} has {{{{ input }}}}")
    session: Session | None = None
    if order.session is not None or order.approve == "ask":
        session = await _session(order, agent.spec, desk, stack)
    spec = agent.spec
    events = agent.stream(
        order.text,
        inputs=inputs,
        watch=desk.watch,
        control=desk.control,
        approver=choose_approver(order.approve, terminal=desk.terminal, saved=session is not None),
        session=session and remembering(spec, session),
        lessons=lessons_for(spec, order.text),
    )
    if session is None:
        return Begun(model=spec.model.name, events=_remembered(events, spec) if spec.feedback.remember else events)
    return Begun(model=spec.model.name, events=events, again=command_again(session.id, spec))


async def _remembered(events: AsyncGenerator[Event, None], spec: AgentSpec) -> AsyncGenerator[Event, None]:
    """The events of a run that belongs to no session, what a person corrects in it being kept all the same."""
    calls: list[ToolCall] = []
    keeper = Feedback(Path(spec.project.state_dir))
    async with aclosing(events):
        async for event in events:
            if isinstance(event, ApprovalRequested):
                calls.append(ToolCall(id=event.id, name=event.name, arguments=event.arguments))
            elif isinstance(event, ApprovalResolved):
                journal = RememberingJournal(NoJournal(), keeper, agent=spec.name, calls=calls)
                journal.note(Decided(resolution=event))
            yield event


async def _session(order: Order, spec: AgentSpec, desk: Desk, stack: AsyncExitStack) -> Session:
    store = open_store(Path(spec.project.state_dir))
    name = order.session
    if name is None:
        name = store.new_id()
        desk.note(f"session {name}")
    session = await open_session(store, name, create=True, wait=order.wait, control=desk.control, stack=stack)
    last = next((each.agent for each in store.list() if each.id == name), "")
    if last not in ("", spec.name):
        desk.note(f"note: the last run of session {name} is one of the agent {last}; {spec.name} is told what was said")
    unfinished = session.unfinished
    if unfinished is None:
        return session
    waiting = ", ".join(f"{call.name} ({call.id})" for call in waiting_calls(unfinished))
    if unfinished.status == "waiting_for_approval" and waiting:
        raise RefusedError(
            f"session {name} waits for approval of {waiting}; decide about it first: {command_again(name, spec)}"
        )
    desk.note(
        f"note: the last run of session {name} {_ended(unfinished)}; this is a new run "
        f"({command_again(name, spec)} goes on with the last one)"
    )
    return session


def _ended(unfinished: Unfinished) -> str:
    return "broke off" if unfinished.status is None else f"ended with status {unfinished.status}"
