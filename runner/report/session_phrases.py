"""How what is noted of a session reads on one line."""

from datetime import UTC, datetime

from runner.engine.events import RunFinished
from runner.report import phrases
from runner.report.noted import NotedCall, NotedRun, NotedStep, Outcome

_HOUR = 3600
_DAY = 24 * _HOUR
OUTCOMES: dict[Outcome, str] = {
    "ok": "done",
    "error": "error",
    "not made": "not made",
    "waiting": "waits for approval",
    "unknown": "outcome unknown",
}


def when(at: datetime) -> str:
    """A time to the second: `2026-11-30 09:00:00 UTC`."""
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def lasting(seconds: float) -> str:
    """Seconds for people, also when they are many: `0.6 s`, `2 min 5 s`, `3 h 20 min`, `2 days`."""
    if seconds < _HOUR:
        return phrases.duration(seconds)
    if seconds < 2 * _DAY:
        hours, rest = divmod(round(seconds / 60), 60)
        return f"{hours} h {rest} min"
    return f"{round(seconds / _DAY)} days"


def decided(call: NotedCall) -> str | None:
    """What was decided about a call, by whom, and how long that took; None when nobody had to decide."""
    if call.decision is None:
        return None
    by = phrases.shortened(call.decision.by, 60)
    after = f" after {lasting(call.waited)}"
    match call.decision.decision:
        case "denied":
            return "forbidden by the permissions"
        case "edited":
            return f"changed and approved by {by}{after}"
        case "stopped":
            return f"{by} stopped the run{after}"
        case decision:
            return f"{decision} by {by}{after}"


def heading(run: NotedRun) -> str:
    """What a run begins with: `run 1 · refunds · openai/gpt-4o-mini`."""
    if run.began is None:
        return f"run {run.number} · its beginning is missing"
    return f"run {run.number} · {phrases.shortened(run.began.agent, 60)} · {phrases.shortened(run.began.model, 80)}"


def step(noted: NotedStep) -> str:
    """What a step is called: `1 · openai/gpt-4o-mini`, `3 · answer`."""
    return f"{noted.number} · {phrases.shortened(noted.model, 80) or ('answer' if noted.is_answer else 'no reply')}"


def ended(finished: RunFinished) -> str:
    """How a run ended: `completed`, `max steps: step limit 3 reached`."""
    error = f": {phrases.shortened(finished.error, 300)}" if finished.error else ""
    return finished.status.replace("_", " ") + error
