"""A session as one page of HTML that holds all it needs: no network, and no other script than its own."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib.resources import files
from itertools import chain

from runner.report.noted import NotedDecision, NotedRun
from runner.report.page.items import moment, run_section
from runner.report.page.markup import Markup, element, together, within
from runner.report.phrases import counted, money, tokens
from runner.report.reading import runs_of, total_of
from runner.report.session_phrases import lasting
from runner.sessions.ports import Stored


def session_html(stored: Sequence[Stored], title: str) -> Iterator[str]:
    """The page of a session: totals, then every run with its messages and tool calls. It can be read without scripts.

    It comes in pieces, to be written one after the other: the page of a long session is longer than the session.
    Only the script and the style of the page itself are let run: the browser is given their hashes.
    """
    style, script = _asset("style.css"), _asset("script.js")
    runs = runs_of(stored)
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", title),
        element("style", Markup(style)),
    )
    pieces = within("html", [head], _body(stored, runs, title, script), lang="en")
    yield "<!doctype html>\n"
    yield from (piece.html for piece in pieces)
    yield "\n"


def _body(stored: Sequence[Stored], runs: Sequence[NotedRun], title: str, script: str) -> Iterator[Markup]:
    sections = chain.from_iterable(run_section(run) for run in runs)
    nothing = [] if runs else [element("p", "Nothing was noted down yet.")]
    parts = chain(within("main", nothing, sections), [element("script", Markup(script))])
    return within("body", [_header(stored, runs, title), _tools()], parts)


def _asset(name: str) -> str:
    return (files("runner.report") / "page" / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src '{_source(style)}'; script-src '{_source(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _source(content: str) -> str:
    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode('ascii')}"


def _header(stored: Sequence[Stored], runs: Sequence[NotedRun], title: str) -> Markup:
    when = together([moment(stored[0].at), " to ", moment(stored[-1].at)]) if stored else None
    figures = [element("div", element("dt", label), element("dd", value)) for label, value in _totals(runs)]
    return element(
        "header",
        element("h1", title),
        element("p", when, class_="about"),
        element("dl", *figures, class_="totals"),
        class_="page",
    )


def _totals(runs: Sequence[NotedRun]) -> Iterator[tuple[str, str]]:
    total = total_of(runs)
    calls = [call for run in runs for call in run.calls]
    errors = sum(call.outcome in ("error", "unknown") for call in calls)
    asked = sum(call.waiting or any(map(_was_asked, call.decisions)) for call in calls)
    yield "Runs", f"{len(runs):,}"
    yield "Steps", f"{total.steps:,}"
    yield "Tool calls", f"{total.tool_calls:,}"
    if errors:
        yield "Failed calls", f"{errors:,}"
    yield "Tokens", tokens(total.usage.total_tokens, estimated=total.usage.estimated).split()[0]
    yield "Cost", money(total.cost)
    yield "Time", lasting(total.seconds)
    if asked:
        yield "Approval asked for", counted(asked, "call")


def _was_asked(decision: NotedDecision) -> bool:
    return decision.resolution.decision != "denied" and not decision.follows


def _tools() -> Markup:
    """What only works with scripts is hidden until the script shows it."""
    return element(
        "div",
        element("input", type="search", id="search", placeholder="Search   (press /)", aria_label="Search"),
        element("span", id="found", role="status"),
        element("button", "Open all", type="button", id="open"),
        element("button", "Close all", type="button", id="close"),
        class_="tools",
        hidden=True,
    )
