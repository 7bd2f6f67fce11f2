"""What was said in a chat, in memory and in the store."""

from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from runner.chat.conversation import Conversation
from runner.engine.events import RunFinished
from runner.engine.journal import Began, CallEnded, CallStarted, Entry, Finished, JournalError, Replied
from runner.engine.messages import AssistantMessage, ToolCall, ToolResult, UserMessage
from runner.engine.ports import Usage
from runner.sessions.ports import SessionError, SessionInUse
from runner.sessions.session import Session
from runner.sessions.sqlite import SqliteStore
from runner.sessions.writing import SqliteSession

BEGAN = Began(agent="clock", file="/clock.yaml", model="m/x", text="", inputs={}, prompt="")


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return SqliteStore(tmp_path / "state")


def begin(conversation: Conversation, text: str) -> None:
    conversation.next().journal.note(replace(BEGAN, text=text, prompt=text))


def turn(conversation: Conversation, text: str) -> None:
    begin(conversation, text)
    conversation.note(Finished(finished=RunFinished(status="completed", answer=f"answer to {text}")))


def said(conversation: Conversation) -> list[str]:
    return [message.text for message in conversation.next().history if isinstance(message, UserMessage)]


def kept(store: SqliteStore, session: str) -> list[Entry]:
    return [stored.entry for stored in store.entries(session)]


def test_a_turn_sees_the_turns_before_it(store: SqliteStore) -> None:
    conversation = Conversation(store)
    turn(conversation, "one")
    turn(conversation, "two")

    assert conversation.next().history == (
        UserMessage(text="one"),
        AssistantMessage(text="answer to one"),
        UserMessage(text="two"),
        AssistantMessage(text="answer to two"),
    )
    assert conversation.turns == 2


def test_a_conversation_in_memory_writes_nothing(store: SqliteStore) -> None:
    conversation = Conversation(store)
    turn(conversation, "one")
    conversation.undo()
    conversation.reset()
    conversation.close()
    assert not store.folder.exists()


def test_saving_keeps_what_was_said_and_what_follows(store: SqliteStore) -> None:
    conversation = Conversation(store)
    turn(conversation, "one")
    conversation.save("trip")
    turn(conversation, "two")
    conversation.close()

    later = Conversation(store)
    later.open("trip")
    assert (later.id, later.kept, said(later)) == ("trip", True, ["one", "two"])
    assert store.verify("trip").ok


def test_saving_without_an_id_takes_the_one_that_tools_have_seen(store: SqliteStore) -> None:
    conversation = Conversation(store)
    before = conversation.next().id
    turn(conversation, "one")
    conversation.save(None)
    assert conversation.id == before
    assert store.exists(before)


def test_saving_never_overwrites_a_session(store: SqliteStore) -> None:
    first = Conversation(store)
    first.save("trip")
    second = Conversation(store)
    turn(second, "one")
    with pytest.raises(SessionError, match="there is a session trip already"):
        second.save("trip")
    assert not second.kept
    assert said(second) == ["one"]


def test_a_bad_id_is_refused_and_nothing_changes(store: SqliteStore) -> None:
    conversation = Conversation(store)
    with pytest.raises(SessionError, match="cannot be the id"):
        conversation.save("../x")
    assert not conversation.kept


class FullStore(SqliteStore):
    """A store on a disk that takes two more entries of each session."""

    def open(self, session: str, *, create: bool, wait: float | None = None) -> "FullSession":  # type: ignore[override] # it is one, but for its journal
        """Open it as usual."""
        return FullSession(super().open(session, create=create, wait=wait))


class FullSession(AbstractContextManager["FullSession"]):
    """An open session of it, and its journal."""

    def __init__(self, opened: SqliteSession) -> None:
        self.id = opened.id
        self.close = opened.close
        self._opened = opened
        self._left = 2

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    @property
    def session(self) -> Session:
        """The session."""
        return replace(self._opened.session, journal=self)

    def note(self, entry: Entry, *, at: datetime | None = None) -> None:
        """Write it down, or fail."""
        if not self._left:
            raise JournalError("the disk is full")
        self._left -= 1
        self._opened.note(entry, at=at)


def test_a_conversation_that_cannot_be_kept_whole_is_not_kept_at_all(store: SqliteStore) -> None:
    conversation = Conversation(FullStore(store.folder))
    turn(conversation, "one")
    turn(conversation, "two")
    with pytest.raises(SessionError, match="the disk is full"):
        conversation.save("trip")
    assert not conversation.kept
    assert not store.exists("trip")
    assert said(conversation) == ["one", "two"]


def test_what_the_store_could_not_write_is_not_taken_for_said(store: SqliteStore) -> None:
    conversation = Conversation(FullStore(store.folder))
    conversation.open("trip")
    turn(conversation, "one")
    with pytest.raises(JournalError):
        turn(conversation, "two")
    assert (said(conversation), conversation.turns) == (["one"], 1)


def test_a_session_that_is_open_elsewhere_is_refused(store: SqliteStore) -> None:
    first, second = Conversation(store), Conversation(store)
    first.open("trip")
    with pytest.raises(SessionInUse):
        second.open("trip")
    first.close()
    second.open("trip")
    assert second.kept


def test_undo_takes_the_last_turn_back_with_all_that_belongs_to_it(store: SqliteStore) -> None:
    conversation = Conversation(store)
    turn(conversation, "one")
    begin(conversation, "two")
    call = ToolCall(id="a", name="f", arguments={})
    conversation.note(replied(call))
    conversation.note(CallStarted(step=1, id="a", name="f", arguments={}))
    conversation.note(CallEnded(step=1, id="a", name="f", result=ToolResult(content="1"), seconds=0.1))
    assert conversation.unfinished is not None

    undone = conversation.undo()
    assert undone is not None
    assert (undone.text, undone.calls, undone.kept_in) == ("two", 1, None)
    assert said(conversation) == ["one"]
    assert conversation.next().unfinished is None
    assert conversation.undo() is not None
    assert conversation.undo() is None


def replied(call: ToolCall) -> Replied:
    return Replied(
        step=1,
        model="m/x",
        message=AssistantMessage(calls=(call,)),
        correction=None,
        in_order=False,
        rejected=0,
        usage=Usage(),
        cost=0.0,
        seconds=0.1,
    )


def test_undo_in_a_session_leaves_it_whole_and_goes_on_as_another(store: SqliteStore) -> None:
    conversation = Conversation(store)
    conversation.open("trip")
    turn(conversation, "one")
    turn(conversation, "two")
    turn(conversation, "three")
    before = kept(store, "trip")

    undone = conversation.undo()
    assert undone is not None
    assert undone.kept_in == "trip"
    conversation.undo()
    assert [info.id for info in store.list()] == ["trip"]  # two undos make one branch, and only when it goes on
    turn(conversation, "four")

    assert kept(store, "trip") == before
    assert conversation.id != "trip"
    texts = [entry.text for entry in kept(store, conversation.id) if isinstance(entry, Began)]
    assert texts == ["one", "four"]
    store.open("trip", create=False).close()  # it is free


def test_reset_begins_another_conversation_that_is_kept_when_the_first_was(store: SqliteStore) -> None:
    conversation = Conversation(store)
    turn(conversation, "one")
    in_memory = conversation.id
    conversation.reset()
    assert conversation.id != in_memory
    turn(conversation, "two")
    assert not conversation.kept

    conversation.save("trip")
    conversation.reset()
    turn(conversation, "three")
    assert said(conversation) == ["three"]
    assert sorted(info.id for info in store.list()) == sorted(["trip", conversation.id])


def test_a_conversation_can_be_kept_from_its_first_turn_on(store: SqliteStore) -> None:
    conversation = Conversation(store)
    conversation.keep()
    assert not store.folder.exists()
    turn(conversation, "one")
    assert store.exists(conversation.id)


def times(store: SqliteStore, session: str) -> list[datetime]:
    return [stored.at for stored in store.entries(session)]


def test_what_is_saved_later_tells_when_it_was_said(store: SqliteStore) -> None:
    conversation = Conversation(store)
    turn(conversation, "one")
    said_by = datetime.now(UTC)
    turn(conversation, "two")

    conversation.save("trip")

    at = times(store, "trip")
    assert max(at[:2]) <= said_by <= min(at[2:])
    assert store.verify("trip").ok


def test_after_an_undo_what_stays_has_the_times_it_had(store: SqliteStore) -> None:
    conversation = Conversation(store)
    conversation.open("trip")
    for text in ("one", "two"):
        turn(conversation, text)
    conversation.undo()
    turn(conversation, "three")
    conversation.close()

    assert times(store, conversation.id)[:2] == times(store, "trip")[:2]

    again = Conversation(store)
    again.open("trip")
    again.save("copy")
    assert times(store, "copy") == times(store, "trip")
