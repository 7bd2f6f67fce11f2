"""How what happens in a run reads on one line of a terminal."""

import json

from runner.engine.events import ApprovalResolved, ContextReduced, Retried, RunFinished, ToolLogged
from runner.engine.ports import Usage
from runner.engine.resolutions import REJECTED
from runner.report.phrases import counted, duration, money, shortened, tokens, visible
from runner.spec import JsonObject

# Who decided, when a person has said beforehand that nothing is approved.
NONE_APPROVED = "--approve none"
_UNASKED = {"nobody": "nobody is there to ask", NONE_APPROVED: NONE_APPROVED}
_NAME_CHARACTERS = 60
_REASON_CHARACTERS = 200
_REDUCTIONS = {
    "shorten_results": "old tool results shortened",
    "drop_oldest": "oldest messages left out",
    "summarize": "oldest messages summed up",
}


def call(name: str, arguments: JsonObject | None, *, limit: int | None) -> str:
    """A tool call as `name(key=value, …)`.

    Each value is cut to `limit` characters and the whole to three times that; None cuts nothing. Arguments that could
    not be read are None.
    """
    if arguments is None:
        return f"{visible(name)}(?)"
    written = {key: json.dumps(value, ensure_ascii=False, default=str) for key, value in arguments.items()}
    if limit is None:
        return visible(f"{name}({', '.join(f'{key}={value}' for key, value in written.items())})")
    inside = ", ".join(f"{key}={shortened(value, limit)}" for key, value in written.items())
    return f"{shortened(name, limit)}({shortened(inside, 3 * limit)})"


def spent(usage: Usage, cost: float | None) -> str:
    """What one reply took: `380 tokens in (256 cached), 32 out (20 reasoning) · $0.0012`; with `~` when estimated."""
    cached = f" ({usage.cached_tokens:,} cached)" if usage.cached_tokens else ""
    reasoning = f" ({usage.reasoning_tokens:,} reasoning)" if usage.reasoning_tokens else ""
    sent = tokens(usage.input_tokens, estimated=usage.estimated)
    return f"{sent} in{cached}, {usage.output_tokens:,} out{reasoning} · {money(cost)}"


def retried(event: Retried, *, limit: int | None) -> str:
    """Which call failed and what comes next: `openai/x · 429 rate limit · again in 1.2 s (attempt 2)`."""
    told = event.problem.removeprefix(event.model).removeprefix(":").lstrip()
    problem = visible(told) if limit is None else shortened(told, limit)
    if event.next_model != event.model:
        following = f"asking {visible(event.next_model)}"
    else:
        following = f"again in {duration(event.wait)} (attempt {event.attempt + 1})"
    return f"{visible(event.model)} · {problem} · {following}"


def reduced(event: ContextReduced) -> str:
    """How a conversation was made shorter: `context · oldest messages left out: 6 · ~9,000 → ~4,000 tokens`."""
    done = _REDUCTIONS.get(event.strategy, visible(event.strategy))
    return f"context · {done}: {event.messages:,} · ~{event.tokens_before:,} → ~{event.tokens_after:,} tokens"


def resolved(event: ApprovalResolved) -> str:
    """What was decided about a call: `approved by anna`, `rejected by anna · not run, it was rejected: too long`."""
    if event.decision == "deferred":
        return f"waits for approval ({visible(event.id)})"
    if event.decision == "rejected" and event.by in _UNASKED and (event.reason or "").startswith(REJECTED):
        return f"not approved ({_UNASKED[event.by]})"  # the reason says no more than this
    reason = f" · {shortened(event.reason, _REASON_CHARACTERS)}" if event.reason else ""
    return f"{event.decision} by {shortened(event.by, _NAME_CHARACTERS)}{reason}"


def logged(event: ToolLogged, *, limit: int | None) -> str:
    """What a tool tells on its way: `fetch · warning: page 3 is empty`."""
    message = visible(event.message) if limit is None else shortened(event.message, limit)
    return f"{shortened(event.name, _NAME_CHARACTERS)} · {visible(event.level)}: {message}"


def summary(finished: RunFinished) -> str:
    """What a run took: `2 steps · 1 tool call · 412 tokens · $0 · 1.1 s`."""
    return " · ".join(
        [
            counted(finished.steps, "step"),
            counted(finished.tool_calls, "tool call"),
            tokens(finished.usage.total_tokens, estimated=finished.usage.estimated),
            money(finished.cost),
            duration(finished.seconds),
        ]
    )
