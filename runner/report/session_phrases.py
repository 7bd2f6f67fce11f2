"""How what is noted of a session reads on one line."""

from datetime import UTC, datetime

from runner.engine.events import Resolution, RunFinished
from runner.report import phrases, run_phrases
from runner.report.noted import FASTEST_PERSON, NotedDecision, NotedRun, NotedStep, Outcome

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


def decided(decision: NotedDecision) -> str:
    """What was decided about a call, by whom, and how long that took: `approved by anna after 12.0 s`."""
    resolution = decision.resolution
    by = phrases.shortened(resolution.by, 60)
    after = f" after {lasting(decision.waited)}" if decision.waited >= FASTEST_PERSON else ""
    return f"{resolved(resolution.decision, by, for_run=resolution.for_run, follows=decision.follows)}{after}"


def resolved(decision: Resolution, by: str, *, for_run: bool, follows: bool) -> str:
    """What was decided, and by whom; `follows` as in `NotedDecision`."""
    whole = " for the whole run" if for_run else ""
    match decision:
        case "denied":
            told = "forbidden by the permissions"
        case "stopped":
            told = f"{by} stopped the run"
        case "rejected" if by == "nobody":
            told = "not approved by anybody"
        case "rejected" if by == run_phrases.NONE_APPROVED:
            told = f"not approved ({by})"
        case "approved" if follows:
            told = f"approved for the run by {by}, nobody was asked again"
        case "edited":
            told = f"changed and approved by {by}{whole}"
        case verb:
            told = f"{verb} by {by}{whole}"
    return told


def heading(run: NotedRun) -> str:
    """What a run begins with: `run 1 · refunds · openai/gpt-4o-mini`."""
    if run.began is None:
        return f"run {run.number} · its beginning is missing"
    return f"run {run.number} · {phrases.shortened(run.began.agent, 60)} · {phrases.shortened(run.began.model, 80)}"


def speaker(step: NotedStep) -> str:
    """Who or what a step is: `openai/gpt-4o-mini`, `answer`."""
    return phrases.shortened(step.model, 80) or ("answer" if step.is_answer else "no reply")


def ended(finished: RunFinished) -> str:
    """How a run ended: `completed`, `max steps: step limit 3 reached`."""
    status, error = finished.status.replace("_", " "), phrases.shortened(finished.error or "", 300)
    if error.startswith(status):
        return error
    return f"{status}: {error}" if error else status
