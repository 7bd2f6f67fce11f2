"""The audit of a session names every call, who let it pass, and what came of it."""

import hashlib
import json
from datetime import timedelta

import pytest

from runner.report.audit import audit_json, audit_rows, audit_text
from runner.report.phrases import UNSAFE
from tests.report.noting import DAY, MORNING, Noting, call, hostile, realistic

SEND = call("c1", "send", to="kim", note="ä")


def sending() -> Noting:
    return Noting().began("p").replied(1, SEND)


def test_every_call_has_a_row_also_one_that_was_not_made() -> None:
    rows = audit_rows(realistic())

    assert [(row.run, row.step, row.tool, row.approval, row.outcome) for row in rows] == [
        (1, 1, "get_order", "nobody", "ok"),
        (1, 1, "search_mails", "nobody", "ok"),
        (1, 3, "refund", "edited", "ok"),
        (1, 4, "send_email", "approved", "ok"),
        (2, 1, "track_parcel", "nobody", "error"),
        (2, 2, "track_parcel", "nobody", "ok"),
        (2, 2, "close_ticket", "rejected", "not made"),
    ]


def test_a_row_tells_what_was_made_when_and_what_came_of_it() -> None:
    session = sending().decided(1, SEND, "edited", arguments={"to": "lee"}, after=5.0).started(1, SEND, {"to": "lee"})
    session.ended(1, SEND, "sent ✓", took=0.4, after=0.5)
    (row,) = audit_rows(session.stored)

    assert (row.arguments, row.asked) == ({"to": "lee"}, {"to": "kim", "note": "ä"})
    assert [(each.decision, each.by, each.at) for each in row.decisions] == [
        ("edited", "anna", MORNING + timedelta(seconds=6))
    ]
    assert (row.started, row.ended) == (MORNING + timedelta(seconds=6), MORNING + timedelta(seconds=6.5))
    assert row.seconds == 0.4
    assert row.result_sha256 == hashlib.sha256("sent ✓".encode()).hexdigest()
    assert row.result_characters == 6
    assert (row.entry, row.chain) == (5, session.stored[4].digest)


def test_a_call_that_broke_off_has_no_duration_and_no_result() -> None:
    (row,) = audit_rows(sending().started(1, SEND).stored)

    assert (row.outcome, row.starts, row.seconds, row.ended, row.result_sha256) == ("unknown", 1, None, None, None)


def test_a_call_that_waits_is_pending() -> None:
    session = sending().deferred(1, SEND).finished("waiting_for_approval")
    session.deferred(1, SEND, after=DAY).finished("waiting_for_approval")
    (row,) = audit_rows(session.stored)

    assert (row.approval, row.outcome, row.decisions, row.entry) == ("pending", "waiting", (), 5)


def test_a_decision_about_a_call_that_waited_is_the_only_one() -> None:
    session = sending().deferred(1, SEND).finished("waiting_for_approval").decided(1, SEND, "rejected", after=DAY)
    (row,) = audit_rows(session.stored)

    assert (row.approval, row.outcome) == ("rejected", "not made")
    assert [each.decision for each in row.decisions] == ["rejected"]


def test_a_call_that_broke_off_and_waits_is_pending_and_unknown() -> None:
    session = sending().decided(1, SEND, "approved").started(1, SEND).deferred(1, SEND)
    (row,) = audit_rows(session.finished("waiting_for_approval").stored)

    assert (row.approval, row.outcome) == ("pending", "unknown")


def test_only_the_first_call_of_an_approval_for_the_run_was_asked_about() -> None:
    again = call("c2", "send", to="lee")
    session = sending().decided(1, SEND, "approved", for_run=True).started(1, SEND).ended(1, SEND, "sent")
    session.replied(2, again).decided(2, again, "approved", for_run=True, after=0)
    session.replied(3, call("c3", "send")).decided(3, call("c3", "send"), "approved", after=0)

    decisions = [each["decisions"][0] for each in json.loads(audit_json(session.stored, session="s1"))["calls"]]

    assert [(each["for_run"], each["follows"]) for each in decisions] == [(True, False), (True, True), (False, False)]
    lines = audit_text(session.stored).splitlines()
    assert "  approval  approved by anna for the whole run, 2026-11-30 09:00:13 UTC" in lines
    assert "  approval  approved for the run by anna, nobody was asked again, 2026-11-30 09:00:14 UTC" in lines


def test_the_approval_of_a_start_is_kept_when_a_person_decides_again_after_a_crash() -> None:
    session = sending().decided(1, SEND, "approved").started(1, SEND)
    session.decided(1, SEND, "rejected", by="ben", reason="not again", after=DAY).ended(
        1, SEND, "not again", error=True
    )
    (row,) = audit_rows(session.stored)

    assert [(each.decision, each.by) for each in row.decisions] == [("approved", "anna"), ("rejected", "ben")]
    assert (row.approval, row.outcome, row.seconds) == ("rejected", "unknown", None)


def test_the_text_names_the_one_who_approved_and_the_digests_in_full() -> None:
    session = sending().decided(1, SEND, "edited", arguments={"to": "lee"}).started(1, SEND, {"to": "lee"})
    session.ended(1, SEND, "sent", took=0.4)
    head = session.stored[-1].digest
    asked = 'send(to="kim", note="ä")'

    assert audit_text(session.stored).splitlines() == [
        'run 1, step 1 · send(to="lee") · done',
        f"  approval  changed and approved by anna, 2026-11-30 09:00:13 UTC; the model asked for {asked}",
        "  started   2026-11-30 09:00:13 UTC, took 0.4 s",
        f"  result    4 characters, sha256 {hashlib.sha256(b'sent').hexdigest()}",
        f"  chain     entry 5, {head}",
        "",
        f"1 tool call · 5 entries · head {head}",
    ]


@pytest.mark.parametrize(
    ("session", "line"),
    [
        (sending().started(1, SEND), "  approval  nobody was asked"),
        (
            sending().deferred(1, SEND).finished("waiting_for_approval"),
            "  approval  waited for; the call is c1",
        ),
        (
            sending().decided(1, SEND, "rejected", by="--approve none"),
            "  approval  not approved (--approve none), 2026-11-30 09:00:13 UTC",
        ),
        (sending().decided(1, SEND, "stopped"), "  approval  anna stopped the run, 2026-11-30 09:00:13 UTC"),
        (
            sending().decided(1, SEND, "rejected", reason="not run, it was rejected: no"),
            "  approval  rejected by anna, 2026-11-30 09:00:13 UTC; the model was told: not run, it was rejected: no",
        ),
        (
            sending().started(1, SEND).started(1, SEND),
            "  started   2026-11-30 09:00:01 UTC, the last of 2 starts",
        ),
    ],
)
def test_what_was_decided_is_told_in_a_line(session: Noting, line: str) -> None:
    assert line in audit_text(session.stored).splitlines()


def test_a_session_without_calls_says_so() -> None:
    assert audit_text(Noting().began("p").finished(answer="hi").stored) == "no tool was called\n"
    assert audit_text([]) == "no tool was called\n"


def test_the_json_holds_all_rows_and_the_head_of_the_chain() -> None:
    stored = realistic()
    document = json.loads(audit_json(stored, session="s1"))

    assert (document["version"], document["session"], document["entries"]) == (1, "s1", len(stored))
    assert document["head"] == stored[-1].digest
    assert [each["id"] for each in document["calls"]] == [row.id for row in audit_rows(stored)]
    assert document["calls"][2]["decisions"] == [
        {
            "decision": "edited",
            "by": "anna",
            "at": "2026-11-30T09:00:47.500000+00:00",
            "arguments": document["calls"][2]["arguments"],
            "reason": None,
            "for_run": False,
            "follows": False,
        }
    ]


def test_a_number_that_json_has_no_word_for_becomes_null() -> None:
    odd = call("c1", "plot", at=float("nan"), to=float("inf"))

    document = json.loads(audit_json(Noting().began("p").replied(1, odd).stored, session="s1"))

    assert document["calls"][0]["arguments"] == {"at": None, "to": None}


def test_an_audit_of_no_entries_is_a_document_all_the_same() -> None:
    assert json.loads(audit_json([], session="s1")) == {
        "version": 1,
        "session": "s1",
        "entries": 0,
        "head": "",
        "calls": [],
    }


def test_hostile_texts_cannot_drive_the_terminal_and_read_back_the_same() -> None:
    stored = hostile()
    text, document = audit_text(stored), audit_json(stored, session="s1")

    assert UNSAFE.search((text + document).replace("\n", "")) is None
    assert json.loads(document)["calls"][0]["tool"] == audit_rows(stored)[0].tool
