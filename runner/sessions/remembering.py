"""Corrections by people on their way: noted down when they are made, told to the model in later runs."""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from runner.engine.events import ApprovalResolved
from runner.engine.journal import Decided, Entry, Journal, JournalError, Replied
from runner.engine.messages import ToolCall
from runner.engine.resolutions import REJECTED
from runner.sessions.feedback import Correction, Feedback
from runner.sessions.ports import StoreError
from runner.sessions.session import Session
from runner.spec import AgentSpec, JsonObject

# Deciders that are no people; options of the command line begin with a dash.
_NO_PEOPLE = ("nobody", "permissions")
_MOST_CHARACTERS = 300


class Keeper(Protocol):
    """Where corrections are kept; `Feedback` is the real one."""

    def keep(self, correction: Correction) -> None:
        """Keep one.

        Raises:
            StoreError: that is not possible.
        """


class RememberingJournal:
    """A journal that keeps the corrections in what is noted down.

    Args:
        journal: where everything is noted down.
        keeper: where corrections are kept.
        agent: the name of the agent that runs.
        calls: calls that were made before, and may be decided about now.
    """

    def __init__(self, journal: Journal, keeper: Keeper, *, agent: str, calls: Iterable[ToolCall] = ()) -> None:
        self._journal = journal
        self._keeper = keeper
        self._agent = agent
        self._calls = {call.id: call for call in calls}

    def note(self, entry: Entry) -> None:
        """Write the entry down, as `Journal.note`, and then keep what of it is a correction."""
        self._journal.note(entry)
        if isinstance(entry, Replied):
            self._calls = {call.id: call for call in entry.message.calls}
        elif isinstance(entry, Decided):
            correction = self._correction(entry.resolution)
            if correction is not None:
                try:
                    self._keeper.keep(correction)
                except StoreError as error:
                    raise JournalError(str(error)) from error

    def _correction(self, resolution: ApprovalResolved) -> Correction | None:
        call = self._calls.get(resolution.id)
        if call is None or resolution.by in _NO_PEOPLE or resolution.by.startswith("-"):
            return None
        reason = resolution.reason or ""
        if resolution.decision == "rejected" and reason.startswith(REJECTED):
            said = reason.removeprefix(REJECTED)
            return self._of(call, resolution.by, reason=said)
        if resolution.decision == "edited":
            return self._of(call, resolution.by, edited=resolution.arguments)
        return None

    def _of(
        self, call: ToolCall, by: str, *, edited: JsonObject | None = None, reason: str | None = None
    ) -> Correction:
        return Correction(
            agent=self._agent, tool=call.name, arguments=call.arguments or {}, edited=edited, reason=reason, by=by
        )


def remembering(spec: AgentSpec, session: Session) -> Session:
    """The session, its journal keeping corrections if the agent remembers them."""
    if not spec.feedback.remember:
        return session
    past = session.unfinished.past if session.unfinished else None
    calls = past.unanswered.calls if past and past.unanswered else ()
    keeper = Feedback(Path(spec.project.state_dir))
    return replace(session, journal=RememberingJournal(session.journal, keeper, agent=spec.name, calls=calls))


def lessons_for(spec: AgentSpec, text: str | None) -> tuple[str, ...]:
    """What people corrected in earlier runs of the agent that fits a text, as sentences; none unless it remembers.

    Raises:
        StoreError: the database cannot be read.
    """
    if not spec.feedback.remember:
        return ()
    feedback = Feedback(Path(spec.project.state_dir))
    kept = feedback.relevant(spec.name, text=text or "", tools=[tool.name for tool in spec.tools])
    return tuple(dict.fromkeys(lesson(each.correction) for each in kept))


def lesson(correction: Correction) -> str:
    """A correction as one sentence for a model."""
    call = f"{correction.tool} with {_shown(correction.arguments)}"
    if correction.edited is not None:
        return f"{call}: a person changed the arguments to {_shown(correction.edited)}"
    return f"{call}: a person rejected it: {_cut(correction.reason or '')}"


def _shown(arguments: JsonObject) -> str:
    return _cut(json.dumps(arguments, ensure_ascii=False))


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MOST_CHARACTERS else f"{line[:_MOST_CHARACTERS].rstrip()}…"
