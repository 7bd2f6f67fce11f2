"""Entries as the engine notes them, and any others, for tests of what keeps and reads them."""

import string
from typing import Any

from hypothesis import strategies as st

from runner.engine.events import ApprovalResolved, Resolution, RunFinished, Source, Status
from runner.engine.journal import Began, CallEnded, CallStarted, Decided, Entry, Finished, Replied, Summarized
from runner.engine.messages import AssistantMessage, ToolCall, ToolResult
from runner.engine.ports import Usage
from runner.spec import JsonObject

TEN = Usage(input_tokens=10, output_tokens=1)


def began(prompt: str = "Hello", **changed: Any) -> Began:
    fields = {"agent": "desk", "file": "/p/desk.yaml", "model": "m/x", "text": prompt, "inputs": {}, "prompt": prompt}
    return Began(**{**fields, **changed})


def call(id_: str, name: str = "save", problem: str | None = None, **arguments: Any) -> ToolCall:
    return ToolCall(id=id_, name=name, arguments=None if problem else arguments, problem=problem)


def replied(step: int, *calls: ToolCall, text: str = "", correction: str | None = None, **changed: Any) -> Replied:
    fields: dict[str, Any] = {
        "step": step,
        "model": "m/x",
        "message": AssistantMessage(text=text, calls=calls, raw=text),
        "correction": correction,
        "in_order": False,
        "rejected": int(correction is not None),
        "usage": TEN,
        "cost": 0.25,
        "seconds": float(step),
    }
    return Replied(**{**fields, **changed})


def started(id_: str, name: str = "save", arguments: JsonObject | None = None, step: int = 1) -> CallStarted:
    return CallStarted(step=step, id=id_, name=name, arguments=arguments or {})


def ended(id_: str, content: str = "saved", name: str = "save", step: int = 1, *, is_error: bool = False) -> CallEnded:
    result = ToolResult(content=content, is_error=is_error)
    return CallEnded(step=step, id=id_, name=name, result=result, seconds=0.5)


def decided(
    id_: str, decision: Resolution, arguments: JsonObject | None = None, reason: str | None = None, by: str = "mia"
) -> Decided:
    resolution = ApprovalResolved(
        step=1, id=id_, name="save", decision=decision, by=by, arguments=arguments, reason=reason
    )
    return Decided(resolution=resolution)


def finished(status: Status = "completed", answer: str | None = None, **changed: Any) -> Finished:
    return Finished(finished=RunFinished(status=status, answer=answer, **changed))


# Any text: also halves of characters, as models and tools give them now and then.
_texts = st.text(max_size=8) | st.sampled_from(["", "\ud800", "é\0", "\u2028", "a\\ud800"])
_plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _texts
json_values = st.recursive(
    _plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3)
)
_objects = st.dictionaries(_texts, json_values, max_size=3)
_counts = st.integers(min_value=0, max_value=10**9)
_seconds = st.floats(min_value=0, max_value=1e9)
_clocks = st.none() | _seconds
_costs = st.none() | st.floats(min_value=0, max_value=1e6)
_usages = st.builds(Usage, input_tokens=_counts, output_tokens=_counts, estimated=st.booleans())
_calls = st.builds(
    ToolCall, id=_texts, name=_texts, arguments=st.none() | _objects, problem=st.none() | _texts, extra=_objects
)
_messages = st.builds(
    AssistantMessage,
    text=_texts,
    calls=st.lists(_calls, max_size=3).map(tuple),
    raw=st.none() | _texts,
    extra=_objects,
)
_results = st.builds(ToolResult, content=_texts, is_error=st.booleans())
_resolutions = st.builds(
    ApprovalResolved,
    step=_counts,
    id=_texts,
    name=_texts,
    decision=st.sampled_from(["approved", "edited", "rejected", "denied", "stopped", "deferred"]),
    by=_texts,
    arguments=st.none() | _objects,
    reason=st.none() | _texts,
)
_sources = st.builds(Source, tool=_texts, arguments=_objects, content=_texts)
_outcomes = st.builds(
    RunFinished,
    status=st.sampled_from(["completed", "interrupted", "timeout"]),
    answer=st.none() | _texts,
    output=json_values,
    error=st.none() | _texts,
    usage=_usages,
    cost=_costs,
    seconds=_seconds,
    sources=st.lists(_sources, max_size=2).map(tuple),
    session=st.none() | st.text(string.ascii_letters, min_size=1),
)
entries: st.SearchStrategy[Entry] = st.one_of(
    st.builds(Began, agent=_texts, file=_texts, model=_texts, text=st.none() | _texts, inputs=_objects, prompt=_texts),
    st.builds(
        Replied,
        step=_counts,
        model=_texts,
        message=_messages,
        correction=st.none() | _texts,
        in_order=st.booleans(),
        rejected=_counts,
        usage=_usages,
        cost=_costs,
        seconds=_seconds,
        hidden=st.lists(_texts, max_size=2).map(tuple),
    ),
    st.builds(Summarized, model=_texts, usage=_usages, cost=_costs, clock=_clocks),
    st.builds(CallStarted, step=_counts, id=_texts, name=_texts, arguments=st.none() | _objects, clock=_clocks),
    st.builds(CallEnded, step=_counts, id=_texts, name=_texts, result=_results, seconds=_seconds, clock=_clocks),
    st.builds(Decided, resolution=_resolutions, hidden=st.booleans(), clock=_clocks),
    st.builds(Finished, finished=_outcomes),
)
