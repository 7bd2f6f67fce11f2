"""A session as a run needs it: what was said, where to note down what happens, and what there is to go on with."""

from dataclasses import dataclass

from runner.engine.journal import Began, Journal
from runner.engine.messages import Message, ToolCall
from runner.engine.past import Past


@dataclass(frozen=True, kw_only=True, slots=True)
class Unfinished:
    """A run of a session that can be gone on with: it waits for approval, was interrupted, failed, or broke off.

    Attributes:
        began: how it began.
        past: what it has behind it.
        pending: its calls that wait for a decision, in order.
        status: how it ended; None when it broke off without an end (a crash).
        settled: what was said in it, its prompt first, every call answered: history for a run that begins instead.
    """

    began: Began
    past: Past
    pending: tuple[ToolCall, ...]
    status: str | None
    settled: tuple[Message, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Session:
    """A session, open for one run.

    Attributes:
        id: its name.
        journal: where the run is noted down; it belongs to this process until it is closed.
        history: what was said in earlier runs, every call answered, in whole turns; without the unfinished one.
        unfinished: the last run, when it can be gone on with.
    """

    id: str
    journal: Journal
    history: tuple[Message, ...] = ()
    unfinished: Unfinished | None = None
