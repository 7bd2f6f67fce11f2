"""A call whose arguments held a secret is not made with the mask that is kept of them."""

from dataclasses import replace

import pytest

from runner.engine.journal import CallEnded, Decided, Entry, Finished
from runner.engine.messages import ToolCall
from runner.environment import Secrets
from runner.masking import MaskedJournal
from runner.sessions.codec import entry_json, entry_of
from runner.sessions.replay import replay
from runner.sessions.session import Unfinished
from tests.engine.voices import Voice, play, returning
from tests.sessions.entries import began, call, decided, finished, replied, started

SECRET = "hunter2-hunter2"
WITH, WITHOUT = call("a", token=SECRET), call("b", token="*** bold ***")


class Kept:
    """A journal as a store gives it back."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def note(self, entry: Entry) -> None:
        self.entries.append(entry_of(entry_json(entry)))


def unfinished(*entries: Entry) -> Unfinished:
    kept = Kept()
    journal = MaskedJournal(kept, Secrets([SECRET]))
    for entry in (began(), *entries):
        journal.note(entry)
    found = replay(kept.entries).unfinished
    assert found is not None
    return found


def told(going: Unfinished, call_: ToolCall = WITH) -> str:
    return going.past.results[call_.id].content


def test_it_is_not_made_and_the_model_is_told_to_call_again() -> None:
    going = unfinished(replied(1, WITH, WITHOUT))

    assert told(going).startswith("not run: its arguments held a secret, which is not written down")
    assert going.past.results[WITH.id].is_error
    # What merely looks like a mask is no secret.
    assert WITHOUT.id not in going.past.results


def test_it_does_not_wait_for_a_person_who_would_be_shown_the_mask() -> None:
    saved: list[Entry] = [decided("a", "deferred"), decided("b", "deferred"), finished("waiting_for_approval")]

    assert [each.id for each in unfinished(replied(1, WITH, WITHOUT), *saved).pending] == ["b"]


def test_one_that_was_running_may_have_been_done() -> None:
    going = unfinished(replied(1, WITH), started("a", arguments={"token": SECRET}))

    assert told(going).startswith("nobody knows what it did, it was running when the run ended: its arguments held")
    assert going.past.started == {}


def test_a_secret_that_a_person_has_put_in_counts_as_well() -> None:
    going = unfinished(replied(1, WITHOUT), decided("b", "edited", {"token": SECRET}))

    assert told(going, WITHOUT).startswith("not run: its arguments held a secret")
    assert going.past.decisions == {}


@pytest.mark.parametrize("decision", [decided("a", "approved"), decided("a", "edited", {"token": SECRET})])
def test_what_was_decided_about_it_is_of_no_use_then(decision: Decided) -> None:
    assert unfinished(replied(1, WITH), decision).past.decisions == {}


async def test_a_run_goes_on_and_the_model_calls_again(voice: Voice) -> None:
    kept = Kept()
    journal = MaskedJournal(kept, Secrets([SECRET]))
    journal.note(began())
    journal.note(replied(1, replace(WITH, name="send")))
    going = replay(kept.entries).unfinished
    assert going is not None
    tool = returning("send", "sent")

    ran = await play(
        voice.mode,
        [voice.calls(("send", {"token": SECRET})), voice.answer("done")],
        [tool],
        past=going.past,
        journal=journal,
    )

    assert (ran.finished.answer, ran.finished.tool_calls) == ("done", 1)
    assert [entry.result.content for entry in kept.entries if isinstance(entry, CallEnded)] == ["sent"]
    assert isinstance(kept.entries[-1], Finished)
