"""Whenever a run breaks off, going on gives what it would have given, and no call is made twice that is known to be."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.engine.events import RunFinished
from runner.engine.journal import CallStarted, Entry, Finished
from runner.engine.messages import AssistantMessage, UserMessage
from runner.engine.past import Past
from runner.sessions.codec import entry_json, entry_of
from runner.sessions.replay import replay
from runner.spec import Limits
from tests.engine.voices import VOICES, Voice, play
from tests.sessions.entries import began
from tests.sessions.follower import Boss, Crash, Follower, Fragile, Plan, World, lost_calls

LIMITS = Limits(max_steps=40, max_tool_calls=60)
TOOLS = ("save", "look", "danger", "nosuch")


class Journey:
    """A run of a plan, broken off and gone on with until it is done."""

    def __init__(self, voice: Voice, plan: Plan, boss: Boss, **task: Any) -> None:
        self.entries: list[Entry] = [began()]
        self.world = World()
        self.model = Follower(voice, plan)
        self.lost: set[str] = set()
        self._voice = voice
        self._boss = boss
        self._task = task
        self.tools = [
            self.world.tool("save"),
            self.world.tool("look", idempotent=True),
            self.world.tool("danger", risk="high"),
        ]

    def go(self, breaks: Sequence[tuple[int, bool]]) -> RunFinished:
        """Break off at each of `breaks` in turn (after so many notes, the last of them kept or not), then end."""
        for room, keeps_last in breaks:
            try:
                return self._part(Fragile(self.entries, room, keeps_last))
            except Crash:
                self.lost |= lost_calls(self.entries)
                last = self.entries[-1]
                if isinstance(last, Finished) and last.finished.status != "waiting_for_approval":
                    return last.finished  # all was kept
        return self._part(Fragile(self.entries))

    def break_off(self, room: int, *, keeps_last: bool) -> None:
        """Break off once, if it is not at its end before."""
        with suppress(Crash):
            self._part(Fragile(self.entries, room, keeps_last))

    def _part(self, journal: Fragile) -> RunFinished:
        while True:
            ran = asyncio.run(self._play(journal))
            if ran.status != "waiting_for_approval":
                return ran

    async def _play(self, journal: Fragile) -> RunFinished:
        ran = await play(
            self._voice.mode,
            [],
            self.tools,
            model=self.model,
            limits=LIMITS,
            approver=self._boss,
            journal=journal,
            past=self._past(),
            **self._task,
        )
        return ran.finished

    def _past(self) -> Past:
        # As a store gives them back.
        unfinished = replay([entry_of(entry_json(entry)) for entry in self.entries]).unfinished
        assert unfinished is not None
        decisions = {
            call.id: self._boss.of((call.arguments or {})["n"]) for call in unfinished.pending if call.name == "danger"
        }
        return replace(unfinished.past, decisions={**unfinished.past.decisions, **decisions})


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    numbers = iter(range(1, 1_000))
    sizes = draw(st.lists(st.integers(min_value=0, max_value=3), max_size=6))
    # Of two replies in a row that cannot be read, the second may be the one too many.
    sizes = [size or (1 if before == 0 else 0) for before, size in zip([1, *sizes], sizes, strict=False)]
    return [
        [(draw(st.sampled_from(TOOLS)), {"n": next(numbers)}) for _ in range(size)] if size else None for size in sizes
    ]


breaks = st.lists(st.tuples(st.integers(min_value=1, max_value=12), st.booleans()), max_size=5)
ways = st.dictionaries(st.integers(min_value=1, max_value=18), st.sampled_from(["reject", "edit", "approve"]))


@pytest.mark.parametrize("mode", VOICES)
@settings(max_examples=40, deadline=None)
@given(plan=plans(), breaks=breaks, ways=ways, later=st.booleans())
def test_a_run_that_breaks_off_anywhere_ends_as_if_it_had_not(
    mode: str, plan: Plan, breaks: list[tuple[int, bool]], ways: dict[int, str], *, later: bool
) -> None:
    smooth, rough = (Journey(VOICES[mode], plan, Boss(ways, asks_later=asked)) for asked in (False, later))
    expected = smooth.go([])

    finished = rough.go(breaks)

    assert expected.status == "completed"
    assert set(rough.world.made) == set(smooth.world.made)
    numbers = {entry.id: (entry.arguments or {})["n"] for entry in rough.entries if isinstance(entry, CallStarted)}
    lost = {numbers[call] for call in rough.lost}
    assert {n: count for n, count in rough.world.made.items() if n not in lost and count != 1} == {}
    assert without_time(finished) == without_time(expected)
    if not lost:
        assert rough.model.requests[-1].messages == smooth.model.requests[-1].messages


def without_time(finished: RunFinished) -> RunFinished:
    # A source of an earlier part has the arguments that the model wrote, not those that a person gave.
    return replace(finished, seconds=0.0, sources=tuple(replace(each, arguments={}) for each in finished.sources))


async def test_a_second_run_sees_the_first_and_uses_none_of_its_call_ids(voice: Voice) -> None:
    entries: list[Entry] = []
    tool = World().tool("save")
    for prompt in ("First", "Second"):
        history = replay(entries).history
        entries.append(began(prompt))
        replies = [voice.calls(("save", {"n": 1})), voice.answer(f"{prompt} done")]
        await play(voice.mode, replies, [tool], journal=Fragile(entries), prompt=prompt, history=history)

    history = replay(entries).history
    calls = [call.id for message in history if isinstance(message, AssistantMessage) for call in message.calls]
    assert len(calls) == len(set(calls)) == 2
    assert [message.text for message in history if isinstance(message, UserMessage)] == ["First", "Second"]
    assert history[3] == AssistantMessage(text="First done")


@settings(max_examples=40, deadline=None)
@given(plan=plans(), room=st.integers(min_value=2, max_value=20), keeps_last=st.booleans())
def test_after_a_run_that_broke_off_another_one_can_begin(plan: Plan, room: int, *, keeps_last: bool) -> None:
    broken = Journey(VOICES["native"], plan, Boss({}))
    broken.break_off(room, keeps_last=keeps_last)

    replayed = replay(broken.entries)
    said = (*replayed.history, *(replayed.unfinished.settled if replayed.unfinished else ()))
    following = asyncio.run(
        play("native", [VOICES["native"].answer("Well.")], broken.tools, prompt="Again", history=said)
    )

    messages = following.model.requests[0].messages
    asked = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    assert [message["tool_call_id"] for message in messages if message["role"] == "tool"] == asked
    assert len(set(asked)) == len(asked)
    assert messages[-1]["role"] == "user"
    assert messages[-1]["content"].endswith("Again")
