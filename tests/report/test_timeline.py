"""A session on the terminal."""

import re

import pytest

from runner.report.phrases import UNSAFE, cells
from runner.report.timeline import timeline_text
from tests.report.noting import DAY, Noting, call, hostile, realistic

SEND = call("c1", "send", to="kim@example.com")


def lines(session: Noting, *, width: int = 120) -> list[str]:
    return [
        re.sub(r" {2,}", "  ", line.strip())
        for line in timeline_text(session.stored, colour=False, width=width).splitlines()
    ]


def test_a_run_reads_from_its_question_to_its_end() -> None:
    session = Noting().began("Tell Kim.").replied(1, SEND, text="I write to Kim.", after=1.2).started(1, SEND)
    session.ended(1, SEND, "sent\nto kim", took=0.4, after=0.4).finished(
        answer="Done.", steps=2, tool_calls=1, after=0.8
    )

    assert lines(session) == [
        "run 1 · refunds · openai/gpt-4o-mini  2026-11-30 09:00:00 UTC",
        "asked: Tell Kim.",
        "1 · openai/gpt-4o-mini  1.2 s",
        "380 tokens in, 32 out · $0.0010",
        "I write to Kim.",
        'send(to="kim@example.com") → sent to kim  0.4 s',
        "2 · answer  0.8 s",
        "520 tokens in, 38 out · $0.0010",
        "Done.",
        "completed",
        "2 steps · 1 tool call · 970 tokens · $0.0020 · 2.4 s",
    ]


@pytest.mark.parametrize(
    ("session", "line"),
    [
        (Noting().began("p").replied(1, SEND).decided(1, SEND, "approved"), "approved by anna after 12.0 s"),
        (
            Noting().began("p").replied(1, SEND).decided(1, SEND, "edited", arguments={"to": "lee"}, after=90),
            'changed and approved by anna after 1 min 30 s; the model asked for send(to="kim@example.com")',
        ),
        (Noting().began("p").replied(1, SEND).decided(1, SEND, "stopped", after=0), "anna stopped the run"),
        (
            Noting().began("p").replied(1, SEND).decided(1, SEND, "denied", by="permissions", after=0),
            "forbidden by the permissions",
        ),
        (
            Noting().began("p").replied(1, SEND).decided(1, SEND, "rejected", by="nobody", after=0),
            "not approved by anybody",
        ),
        (
            Noting().began("p").replied(1, SEND).decided(1, SEND, "rejected", by="--approve none", after=0),
            "not approved (--approve none)",
        ),
        (
            Noting().began("p").replied(1, SEND).decided(1, SEND, "approved", for_run=True),
            "approved by anna for the whole run after 12.0 s",
        ),
        (
            Noting().began("p").replied(1, SEND).decided(1, SEND, "approved", after=2 * DAY),
            "approved by anna after 2 days",
        ),
        (
            Noting().began("p").replied(1, SEND).decided(1, SEND, "approved", after=5000),
            "approved by anna after 1 h 23 min",
        ),
        (Noting().began("p").replied(1, SEND).started(1, SEND), 'send(to="kim@example.com") → outcome unknown'),
        (Noting().began("p").replied(1, SEND).started(1, SEND).started(1, SEND), "started 2 times"),
        (
            Noting().began("p").replied(1, SEND).started(1, SEND).ended(1, SEND, "no such mailbox", error=True),
            'send(to="kim@example.com") → error: no such mailbox  0 ms',
        ),
        (
            Noting().began("p").replied(1, text="Hm", correction="write JSON"),
            "could not be used: write JSON",
        ),
        (Noting().began("rendered", text="as typed"), "asked: as typed"),
        (Noting().replied(1), "run 1 · its beginning is missing  2026-11-30 09:00:01 UTC"),
        (
            Noting().began("p").replied(1, SEND),
            "no end was noted: it is running, or it broke off · 1 step · 0 tool calls · 412 tokens · $0.0010 · 1.0 s",
        ),
        (
            Noting().began("p").finished("model_error", error="503 from the provider"),
            "model error: 503 from the provider",
        ),
    ],
)
def test_what_happened_is_told_in_a_line(session: Noting, line: str) -> None:
    assert line in lines(session)


def test_a_pause_is_told_with_how_long_it_was() -> None:
    session = Noting().began("p").replied(1, SEND)
    session.finished("waiting_for_approval", error="waiting for approval of send (c1)").decided(
        1, SEND, "approved", after=DAY
    )

    told = lines(session)

    at = told.index("waiting for approval of send (c1)")
    assert told[at + 1] == "went on after 24 h 0 min  2026-12-01 09:00:01 UTC"


def test_a_call_that_follows_an_approval_for_the_run_is_no_decision_of_its_own() -> None:
    again = call("c2", "send", to="lee@example.com")
    session = Noting().began("p").replied(1, SEND).decided(1, SEND, "approved", for_run=True).started(1, SEND)
    session.ended(1, SEND, "sent").replied(2, again).decided(2, again, "approved", for_run=True, after=0.1)

    assert "approved for the run by anna, nobody was asked again" in lines(session)


def test_a_call_that_waits_has_its_whole_id_beside_it_however_narrow_the_terminal() -> None:
    waiting = call("call_" + "x" * 80, "send", to="kim@example.com")
    session = Noting().began("p").replied(1, waiting).deferred(1, waiting)
    session.finished("waiting_for_approval").deferred(1, waiting).finished("waiting_for_approval")

    told = lines(session, width=40)

    at = told.index(f"the call is {waiting.id}")
    assert told[at - 1].startswith('send(to="kim@example.com") → w')
    assert not any("deferred" in line for line in told)


def test_a_call_that_broke_off_and_waits_says_both() -> None:
    session = Noting().began("p").replied(1, SEND).started(1, SEND).deferred(1, SEND).finished("waiting_for_approval")

    told = lines(session)

    at = told.index('send(to="kim@example.com") → outcome unknown, waits for approval')
    assert told[at + 1] == "the call is c1"


def test_that_nobody_could_decide_is_forgotten_once_somebody_has() -> None:
    session = Noting().began("p").replied(1, SEND).deferred(1, SEND).finished("waiting_for_approval")
    session.decided(1, SEND, "approved", after=DAY).started(1, SEND).ended(1, SEND, "sent", took=0.1, after=0.1)

    told = lines(session)

    assert told[told.index("approved by anna after 24 h 0 min") - 1].startswith('send(to="kim@example.com") → sent')
    assert not any("waits" in line or "deferred" in line or "the call is" in line for line in told)


def test_several_runs_are_summed_up() -> None:
    text = timeline_text(realistic(), colour=False, width=100)

    assert text.splitlines()[-1] == "2 runs · 8 steps · 6 tool calls · 3,880 tokens · $0.0080 · 13.8 s"


@pytest.mark.parametrize("width", [1, 40, 79, 120, 5000])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    session = Noting().began("寿司" * 200).replied(1, call("c1", "検索" * 50, 質問="東京" * 90))

    for stored in (session.stored, realistic(), hostile()):
        for line in timeline_text(stored, colour=False, width=width).splitlines():
            assert cells(line) <= max(40, min(width, 120))


def test_what_a_tool_returned_cannot_drive_the_terminal() -> None:
    text = timeline_text(hostile(), colour=False, width=120)

    assert UNSAFE.search(text.replace("\n", "")) is None
    assert text.encode()  # a lone surrogate could not be written


def test_colours_change_nothing_but_the_colour() -> None:
    plain, coloured = (timeline_text(realistic(), colour=colour, width=100) for colour in (False, True))

    assert re.sub(r"\x1b\[\d*m", "", coloured) == plain
    assert "\x1b[31m" in coloured


def test_a_session_of_no_entries_is_no_text() -> None:
    assert timeline_text([], colour=True, width=80) == ""
