import io
from dataclasses import replace
from typing import Any

import pytest

from runner.engine.approval import ApprovalRequest
from runner.engine.events import ApprovalRequested, ApprovalResolved
from runner.engine.messages import ToolCall
from runner.report.progress import PlainSurface, Progress, SilentSurface
from runner.report.question import question_text
from runner.report.run_phrases import resolved
from tests.cli.test_approving import REQUEST

ASKED = ApprovalRequested(step=1, id="call_1", name="send", arguments={"to": "anna"}, risk="high", reason="ask: send")


def log_of(*events: Any, verbose: bool = False) -> str:
    stream = io.StringIO()
    progress = Progress(PlainSurface(stream), verbose=verbose)
    for event in events:
        progress(event)
    return stream.getvalue()


def decision(kind: Any, **more: Any) -> ApprovalResolved:
    return ApprovalResolved(**{"step": 1, "id": "call_1", "name": "send", "decision": kind, "by": "anna", **more})


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (decision("approved", arguments={"to": "anna"}), 'send(to="anna") · approved by anna'),
        (decision("edited", arguments={"to": "bob"}), 'send(to="bob") · edited by anna'),
        (
            decision("rejected", reason="not run, it was rejected: too\nlate"),
            'send(to="anna") · rejected by anna · not run, it was rejected: too late',
        ),
        (decision("stopped"), 'send(to="anna") · stopped by anna'),
        (decision("deferred", by="nobody"), 'send(to="anna") · waits for approval (call_1) · ask: send'),
        (
            decision("rejected", by="nobody", reason="not run, it was rejected: nobody is there to approve it"),
            'send(to="anna") · not approved (nobody is there to ask)',
        ),
        (
            decision("rejected", by="--approve none", reason="not run, it was rejected: nothing is approved"),
            'send(to="anna") · not approved (--approve none)',
        ),
        (
            decision("rejected", by="nobody", reason="not run, this agent has no tool 'send' any more"),
            "send(to=\"anna\") · rejected by nobody · not run, this agent has no tool 'send' any more",
        ),
    ],
)
def test_a_decision_has_a_line(event: ApprovalResolved, line: str) -> None:
    assert log_of(ASKED, event) == f"      {line}\n"


def test_what_the_permissions_deny_was_never_asked() -> None:
    denied = decision("denied", by="permissions", reason="not run (deny: send)")
    assert log_of(denied) == "      send · denied by permissions · not run (deny: send)\n"


def test_long_arguments_are_cut_unless_everything_is_wanted() -> None:
    event = decision("approved", arguments={"to": "x" * 500})
    assert len(log_of(ASKED, event)) < 150
    assert "x" * 500 in log_of(ASKED, event, verbose=True)


def test_a_question_takes_the_moving_line_away() -> None:
    class Moving(SilentSurface):
        rested = 0

        def rest(self) -> None:
            self.rested += 1

    surface = Moving()
    Progress(surface)(ASKED)
    assert surface.rested == 1


def test_whoever_decided_cannot_drive_the_terminal() -> None:
    assert resolved(decision("rejected", by="\x1b[2J", reason="\x1b[2J" * 100)).isprintable()


@pytest.mark.parametrize("arguments", [None, {}, {"a": [{"b": "x" * 1_000}]}, {"a": list(range(1_000))}])
def test_any_arguments_make_a_question_of_readable_length(arguments: Any) -> None:
    request = ApprovalRequest(
        step=1,
        call=ToolCall(id="1", name="f", arguments=arguments),
        risk="low",
        reason="ask: f",
        said="",
        check=lambda _: None,
    )
    text = question_text(request)
    assert len(text.splitlines()) < 40
    assert len(text) < 2_000
    assert ("v shows all of them" in text) == bool(arguments)


def test_a_long_speech_of_the_model_is_cut() -> None:
    assert len(question_text(replace(REQUEST, said="word " * 10_000))) < 1_500
