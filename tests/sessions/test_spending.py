"""What was spent stays spent, however the run ended: also time in tools, and what summaries took."""

import asyncio
from contextlib import suppress
from dataclasses import replace

import pytest

from runner.engine.approval import ApprovalRequest, Approved, Decision
from runner.engine.journal import CallEnded, CallStarted, Decided, Entry, JournalError, Replied, Summarized
from runner.engine.messages import ToolResult
from runner.engine.ports import ModelReply, Usage
from runner.models.scripted import ScriptedModel
from runner.sessions.codec import entry_json, entry_of
from runner.sessions.replay import replay
from runner.spec import ContextSpec, JsonObject, Limits
from tests.engine.voices import VOICES, FakeTool, Voice, play, returning
from tests.sessions.entries import TEN, began, call, decided, ended, replied, started
from tests.sessions.follower import Crash, Fragile

SLOW = 0.05  # seconds


class Thinker:
    """Approves after a while."""

    async def decide(self, request: ApprovalRequest) -> Decision:
        del request
        await asyncio.sleep(SLOW)
        return Approved(by="ann")


def slow() -> FakeTool:
    async def body(arguments: JsonObject) -> ToolResult:
        del arguments
        await asyncio.sleep(SLOW)
        return ToolResult(content="done")

    return FakeTool(name="work", body=body, risk="high")


def seconds_of(entries: list[Entry]) -> float:
    unfinished = replay([entry_of(entry_json(entry)) for entry in entries]).unfinished
    assert unfinished is not None
    return unfinished.past.seconds


@pytest.mark.parametrize(("kept", "least"), [(Decided, SLOW), (CallStarted, SLOW), (CallEnded, 2 * SLOW)])
async def test_time_of_people_and_tools_stays_spent_when_the_process_is_killed(
    voice: Voice, kept: type, least: float
) -> None:
    entries: list[Entry] = [began()]
    room = {Decided: 2, CallStarted: 3, CallEnded: 4}[kept]

    with suppress(Crash):
        journal = Fragile(entries, room, keeps_last=True)
        await play(voice.mode, [voice.calls(("work", {}))], [slow()], journal=journal, approver=Thinker())

    assert isinstance(entries[-1], kept)
    assert seconds_of(entries) >= least * 0.9  # clocks have steps


async def test_time_of_earlier_parts_is_in_what_later_parts_note(voice: Voice) -> None:
    entries: list[Entry] = [began(), replied(1, call("a", "work"), seconds=50.0)]
    unfinished = replay(entries).unfinished
    assert unfinished is not None

    with suppress(Crash):
        journal = Fragile(entries, 3, keeps_last=True)
        await play(voice.mode, [], [slow()], journal=journal, past=unfinished.past, approver=Thinker())

    assert isinstance(entries[-1], CallEnded)
    assert 50.0 + SLOW < seconds_of(entries) < 110.0


def test_the_last_entry_that_tells_the_time_counts() -> None:
    entries: list[Entry] = [began(), replied(1, call("a"), seconds=2.0), replace(started("a"), clock=3.5)]

    assert seconds_of(entries) == 3.5
    assert seconds_of([*entries, replace(ended("a"), clock=9.0)]) == 9.0
    assert seconds_of([*entries[:2], replace(decided("a", "approved"), clock=40.0)]) == 40.0
    # A version that noted no clock told the time with replies only.
    assert seconds_of([*entries[:2], started("a"), ended("a")]) == 2.0


async def test_what_a_summary_took_stays_spent_when_the_process_is_killed() -> None:
    native = VOICES["native"]
    looks = [native.calls(("look", {"n": n})) for n in range(4)]
    summary = ModelReply(text="It looked.", finish_reason="stop", usage=Usage(input_tokens=5_000), cost=0.5)
    entries: list[Entry] = [began()]

    class UntilSummary:
        def note(self, entry: Entry) -> None:
            entries.append(entry)
            if isinstance(entry, Summarized):
                raise Crash

    with suppress(Crash):
        await play(
            "native",
            looks,
            [returning("look", "y" * 800)],
            summarizer=ScriptedModel([summary]),
            context=ContextSpec(max_tokens=700, strategy="summarize", keep_last=1),
            journal=UntilSummary(),
        )

    replies = sum((entry.usage for entry in entries if isinstance(entry, Replied)), Usage())
    assert isinstance(entries[-1], Summarized)
    unfinished = replay([entry_of(entry_json(entry)) for entry in entries]).unfinished
    assert unfinished is not None
    assert unfinished.past.usage == replies + summary.usage


def test_a_summary_of_unknown_cost_makes_the_cost_unknown() -> None:
    entries: list[Entry] = [began(), replied(1, call("a")), Summarized(model="m/x", usage=TEN, cost=None, clock=3.0)]

    unfinished = replay(entries).unfinished

    assert unfinished is not None
    assert (unfinished.past.cost, unfinished.past.seconds) == (None, 3.0)


async def test_a_summary_that_cannot_be_noted_ends_the_last_words_of_a_run_as_well() -> None:
    native = VOICES["native"]

    class NoSummaries:
        def note(self, entry: Entry) -> None:
            if isinstance(entry, Summarized):
                raise JournalError("the disk is full")

    ran = await play(
        "native",
        [*(native.calls(("look", {"n": n})) for n in range(3)), native.calls(("look", {"long": "z" * 3_000}))],
        [returning("look", "y" * 900)],
        summarizer=ScriptedModel(["It looked."]),
        context=ContextSpec(max_tokens=1_300, strategy="summarize", keep_last=1),
        limits=Limits(max_steps=4),
        on_limit="answer",
        journal=NoSummaries(),
    )

    assert ran.finished.status == "max_steps"
    assert (ran.finished.error or "").endswith("asked for a last answer: the disk is full")
