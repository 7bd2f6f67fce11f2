"""Goes on with the unfinished run of a session for the command line."""

import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

from runner.cli.approving import choose_approver, person
from runner.cli.desk import Begun, Desk, RefusedError, command_again, open_session
from runner.cli.orders import Agent, Load, Resumption
from runner.cli.stores import open_store, require
from runner.cli.verdicts import decisions
from runner.engine.approval import Approved, Decision
from runner.engine.events import Event, RunFinished
from runner.engine.messages import ToolCall
from runner.engine.permissions import Permissions
from runner.environment import VariableError
from runner.inputs import parse_assignments
from runner.report import run_phrases
from runner.sessions.remembering import lessons_for, remembering
from runner.sessions.session import Session, Unfinished
from runner.spec import AgentSpec, JsonObject, ToolSpec
from runner.tools import ToolLoadError, open_tool

_ARGUMENT_CHARACTERS = 60


async def resumed(order: Resumption, load: Load, desk: Desk, stack: AsyncExitStack) -> Begun:
    """Begin to go on; the session is this process's until `stack` is closed. Raises what `begun` does."""
    store = open_store(order.states)
    require(store, order.session, folder=order.states)
    session = await open_session(store, order.session, create=False, wait=order.wait, control=desk.control, stack=stack)
    unfinished = session.unfinished
    if unfinished is None:
        raise RefusedError(
            f"session {order.session} has nothing to go on with: its last run is over; "
            f"runner run FILE --session {order.session} goes on talking"
        )
    agent = _agent_of(order, unfinished, load, desk)
    waiting = waiting_calls(unfinished)
    inputs = parse_assignments(agent.spec, order.assignments)
    decided = decisions(order.verdicts, waiting, by=person())
    _check_edits(agent.spec, waiting, decided)
    if unfinished.pending and not decided and desk.terminal is None:
        events = _still_waiting(session, unfinished, waiting)
        return Begun(model=agent.spec.model.name, events=events, again=command_again(session.id, agent.spec))
    events = agent.resume(
        remembering(agent.spec, session),
        decisions=decided,
        inputs=inputs,
        watch=desk.watch,
        control=desk.control,
        approver=choose_approver(order.approve or "ask", terminal=desk.terminal, saved=True),
        lessons=lessons_for(agent.spec, unfinished.began.text),
    )
    return Begun(model=agent.spec.model.name, events=events, again=command_again(session.id, agent.spec))


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
    """Refuse arguments that the permissions or a tool would refuse, before anything is done.

    Raises:
        RefusedError: what is wrong with them.
    """
    tools = {tool.name: tool for tool in spec.tools}
    for call in calls:
        decision = decided.get(call.id)
        if isinstance(decision, Approved) and decision.arguments is not None and call.name in tools:
            problem = _problem(spec, tools[call.name], decision.arguments)
            if problem is not None:
                raise RefusedError(f"--edit of {call.name} ({call.id}): {problem}")


def _problem(spec: AgentSpec, declared: ToolSpec, arguments: JsonObject) -> str | None:
    try:
        tool = open_tool(declared, spec.project, max_result_chars=spec.limits.max_tool_result_chars, environ=os.environ)
    except (ToolLoadError, VariableError) as error:
        raise RefusedError(str(error)) from None
    permissions = Permissions(spec.permissions)
    read = (tool.mended(arguments),) if permissions.reads(declared.name) else ()
    ruling = permissions.of(declared.name, (arguments, *read), tool.risk)
    if ruling.verdict == "deny":
        return f"the permissions of this agent forbid it ({ruling.reason})"
    return tool.check(arguments)


async def _still_waiting(
    session: Session, unfinished: Unfinished, waiting: Sequence[ToolCall]
) -> AsyncGenerator[Event, None]:
    """The outcome when nobody is there to decide; nothing is done, and nothing noted down."""
    past = unfinished.past
    names = ", ".join(
        f"{run_phrases.call(call.name, call.arguments, limit=_ARGUMENT_CHARACTERS)} ({call.id}"
        f"{', it was running when the run broke off and may have been done' if call.id in past.started else ''})"
        for call in waiting
    )
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
