"""What one run of an agent is asked to do, and the task it makes for the engine."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from runner.assembly import task_of
from runner.engine.approval import Approver
from runner.engine.journal import Began
from runner.engine.past import Past
from runner.engine.scope import RunControl
from runner.engine.task import Task
from runner.sessions.session import Session
from runner.spec import AgentSpec, Json


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    """One run; see `Agent.stream`. `values` are the inputs, checked; `past` is of a run that goes on."""

    text: str | None
    inputs: Mapping[str, object]
    values: Mapping[str, Json]
    watch: bool
    control: RunControl | None
    approver: Approver | None
    lessons: tuple[str, ...]
    past: Past | None = None


def task_for(spec: AgentSpec, order: Order, session: Session | None) -> Task:
    """The work of the run, with the templates filled in and what was said before in the session.

    Raises:
        PromptError: a template cannot be rendered.
    """
    task = task_of(spec, order.values, watch=order.watch, lessons=order.lessons)
    if session is None:
        return task
    history = session.history
    if order.past is None and session.unfinished is not None:  # it is not gone on with: it has happened
        history = (*history, *session.unfinished.settled)
    return replace(task, history=history, session=session.id)


def beginning(spec: AgentSpec, order: Order, task: Task) -> Began:
    """What is noted down first."""
    return Began(
        agent=spec.name,
        file=spec.file,
        model=spec.model.name,
        text=order.text,
        inputs=order.inputs,
        prompt=task.prompt,
    )
