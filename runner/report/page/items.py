"""What happened in a run, as lines of a page that can be folded out."""

from collections.abc import Iterator
from datetime import datetime

from runner.report import session_phrases as words
from runner.report.audit import sha256
from runner.report.noted import NotedCall, NotedEnd, NotedRun, NotedStep, Outcome, Span
from runner.report.page.markup import Child, Markup, element, together, within
from runner.report.page.texts import folded, json_block
from runner.report.phrases import duration, shortened
from runner.report.run_phrases import call as written
from runner.report.run_phrases import spent, summary

_PREVIEW_CHARACTERS = 160
_ARGUMENT_CHARACTERS = 60
_TONES: dict[Outcome, str] = {"ok": "good", "error": "bad", "not made": "warn", "waiting": "warn", "unknown": "bad"}
# Narrower bars cannot be seen.
_LEAST_PERCENT = 0.6


def run_section(run: NotedRun) -> Iterator[Markup]:
    """A run, piece by piece: how it began, its steps and calls against the time they took, and how it ended."""
    began, end = run.began, run.end
    status = ("no end was noted", "warn") if end is None else _status(end)
    about = None if began is None else f"{began.model} · {summary(run.total)}"
    title = f"Run {run.number}" if began is None else f"Run {run.number} · {began.agent}"
    header = element(
        "header",
        element("h2", element("span", title, class_="name"), badge(status[0], status[1])),
        element("p", about, " · ", moment(run.at), class_="about"),
    )
    asked = None if began is None else _asked(began.prompt, began.text)
    yield from within("section", [header, asked], _parts(run), class_="run")


def badge(text: str, tone: str) -> Markup:
    """A word or two that stand out; `tone` is `good`, `bad`, `warn` or `quiet`."""
    return element("span", text, class_=f"badge {tone}")


def moment(at: datetime) -> Markup:
    """A time."""
    return element("time", words.when(at), datetime=at.isoformat())


def _status(end: NotedEnd) -> tuple[str, str]:
    status = end.finished.status
    tone = {"completed": "good", "waiting_for_approval": "warn", "interrupted": "warn"}.get(status, "bad")
    return status.replace("_", " "), tone


def _asked(prompt: str, text: str | None) -> Markup:
    original = None if text is None or text.strip() in prompt else _field("Text of the run", folded(text, kind="prose"))
    return element(
        "div", element("h3", "Asked"), folded(prompt, kind="prose"), original, class_="asked", data_item=True
    )


def _parts(run: NotedRun) -> Iterator[Markup]:
    for part in run.parts:
        if isinstance(part, NotedStep):
            yield _step(part, run.length)
            yield from (_call(call, run.length) for call in part.calls)
        else:
            yield _end(part)


def _item(  # noqa: PLR0913 - the columns of a line
    kind: str, *, name: Markup, preview: Child, bar: Child, took: str, body: Markup, is_open: bool = False
) -> Markup:
    line = element(
        "summary",
        name,
        element("span", preview, class_="preview"),
        element("span", bar, class_="track"),
        element("span", took, class_="took"),
    )
    return element("details", line, element("div", body, class_="body"), class_=kind, open=is_open, data_item=True)


def _step(step: NotedStep, length: float) -> Markup:
    name = element("span", element("b", str(step.number)), " ", words.speaker(step), class_="name")
    correction = step.correction
    preview = together(
        [None if correction is None else badge("could not be used", "warn"), shortened(step.text, _PREVIEW_CHARACTERS)]
    )
    body = [
        step.text.strip() and folded(step.text, kind="prose"),
        None if correction is None else _field("The model was told", folded(correction, kind="prose")),
        element("p", f"{spent(step.usage, step.cost)} · ", moment(step.at), class_="about"),
    ]
    return _item(
        "step answer" if step.is_answer else "step",
        name=name,
        preview=preview,
        bar=_bar(step.span, length, "model"),
        took=duration(step.span.seconds),
        body=together(body),
        is_open=step.is_answer,
    )


def _call(call: NotedCall, length: float) -> Markup:
    made = written(call.call.name, call.arguments, limit=_ARGUMENT_CHARACTERS)
    outcome = None if call.outcome == "ok" else badge(words.OUTCOMES[call.outcome], _TONES[call.outcome])
    waits = badge(words.OUTCOMES["waiting"], "warn") if call.waiting and call.outcome != "waiting" else None
    decisions = [badge(words.decided(decision), "quiet") for decision in call.decisions]
    result = "" if call.result is None else shortened(call.result.content, _PREVIEW_CHARACTERS)
    took = duration(call.seconds) if call.started and call.ended else ""
    return _item(
        "call",
        name=element("code", made, class_="name"),
        preview=together([outcome, waits, *decisions, result]),
        bar=None if call.span is None else _bar(call.span, length, _TONES[call.outcome]),
        took=took,
        body=together(_call_fields(call)),
    )


def _call_fields(call: NotedCall) -> Iterator[Markup]:
    problem = call.call.problem
    yield _field("Arguments", json_block(call.arguments) if problem is None else folded(problem, kind="prose"))
    if call.edited:
        yield _field("The model asked for", json_block(call.call.arguments))
    if call.waiting:
        yield _fact("Waits for approval, call", element("code", call.call.id))
    for decision in call.decisions:
        yield _fact("Approval", together([words.decided(decision), ", ", moment(decision.stored.at)]))
    if call.result is not None:
        yield _field("Result", folded(call.result.content, kind="code"))
    if call.started is not None:
        again = f" (the last of {call.starts} starts)" if call.starts > 1 else ""
        yield _fact("Started", together([moment(call.started.at), again]))
    if call.result is not None:
        yield _fact("SHA-256 of the result", element("code", sha256(call.result.content)))
    yield _fact(f"Chain, entry {call.last.number}", element("code", call.last.digest))


def _field(label: str, value: Child) -> Markup:
    return element("div", element("h4", label), element("div", value), class_="field")


def _fact(label: str, value: Child) -> Markup:
    return element("div", element("h4", label), element("div", value), class_="fact")


def _end(end: NotedEnd) -> Markup:
    status, tone = _status(end)
    resumed = None
    if end.resumed is not None:
        pause = words.lasting(max(0.0, (end.resumed - end.at).total_seconds()))
        resumed = together([f" · went on after {pause}, ", moment(end.resumed)])
    error = end.finished.error
    return element(
        "p", badge(status, tone), moment(end.at), resumed, error and f" · {error}", class_="end", data_item=True
    )


def _bar(span: Span, length: float, kind: str) -> Markup:
    """A bar on the time of the run. SVG, because a page that forbids inline styles can place it by attributes."""
    whole = length or 1.0
    width = max(_LEAST_PERCENT, 100 * span.seconds / whole)
    left = min(100 * span.start / whole, 100 - width)
    rect = element("rect", x=f"{left:.2f}%", y="0", width=f"{width:.2f}%", height="100%", rx="2", class_=kind)
    return element("svg", rect, class_="bar", aria_hidden="true")
