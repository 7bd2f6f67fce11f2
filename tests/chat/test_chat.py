"""Turns and commands of a chat, with a real agent and a place where everything is known beforehand."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path

import pytest

from runner.agent import Agent, InvalidAgent
from runner.chat.chat import Chat
from runner.chat.conversation import Conversation
from runner.chat.ports import Turn, Turning
from runner.chat.standby import Standby
from runner.diagnostics import Diagnostic, Location
from runner.engine.approval import Rejected
from runner.engine.events import Event, RunFinished, StepStarted
from runner.engine.journal import Began
from runner.engine.ports import ModelError
from runner.sessions.sqlite import SqliteStore
from runner.spec import AgentSpec
from tests.chat.fakes import YES, Desk
from tests.chat.talker import agent_in


class Talk:
    """A chat and what came of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = SqliteStore(folder / "state")
        self.conversation = Conversation(self.store)
        self.held: list[str] = []
        self.code = 0

    async def of(
        self,
        *written: str,
        desk: Desk | None = None,
        hints: bool = False,
        agent: Agent | None = None,
        elsewhere: Callable[[str, AgentSpec], str] | None = None,
    ) -> Desk:
        """Write these texts one after the other, and leave."""
        desk = desk or Desk(*written)
        chat = Chat(
            load=self._load,
            agent=agent or agent_in(self.folder),
            inputs={"city": "Oslo"},
            conversation=self.conversation,
            place=desk,
            standby=Standby(self._open_for),
            hints=hints,
            elsewhere=elsewhere,
        )
        self.code = await chat.run()
        return desk

    def _open_for(self, spec: AgentSpec) -> None:
        if spec.model.name == "scripted/none":
            raise ModelError("there is no model scripted/none", configuration=True)
        self.held.append(spec.model.name)

    def _load(self, model: str) -> Agent:
        if model == "wrong":
            raise InvalidAgent((Diagnostic(code="RUN999", message="no such model", location=Location(file="/model")),))
        return agent_in(self.folder, model=model)


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    return Talk(tmp_path)


async def test_each_turn_hears_what_was_said_before(talk: Talk) -> None:
    desk = await talk.of("one", "", "two\nlines")
    assert desk.answers == ["heard: one", "heard: one | two\nlines"]
    assert talk.code == 0


async def test_exit_leaves_without_reading_on(talk: Talk) -> None:
    assert (await talk.of("/exit", "one")).answers == []


async def test_help_and_tools_and_the_model_are_told(talk: Talk) -> None:
    desk = await talk.of("/help", "/tools", "/model")
    assert desk.told[0].startswith("/help")
    assert desk.told[-2:] == ["wipe (python, risk high): Wipe a disk.", "scripted/model"]


async def test_another_model_goes_on_with_what_was_said(talk: Talk) -> None:
    desk = await talk.of("one", "/model scripted/other", "two")
    assert desk.answers == ["heard: one", "heard: one | two"]
    assert desk.models == ["scripted/model", "scripted/other"]
    assert talk.held == ["scripted/model", "scripted/other"]
    assert desk.told == ["from the next turn on scripted/other answers"]


async def test_a_model_that_is_refused_changes_nothing(talk: Talk) -> None:
    desk = await talk.of("/model wrong", "one")
    assert desk.refused == [("no such model", None)]
    assert desk.models == ["scripted/model"]
    assert talk.code == 0
    await talk.of("/model wrong")
    assert talk.code == 1


async def test_a_model_that_no_turn_could_ask_is_refused_at_once(talk: Talk) -> None:
    desk = await talk.of("/model scripted/none", "one")
    assert desk.refused == [("there is no model scripted/none", None)]
    assert desk.models == ["scripted/model"]


async def test_a_turn_that_cannot_begin_is_not_kept(talk: Talk) -> None:
    talk.conversation.open("trip")
    desk = await talk.of("one", "/model scripted/unconfigured", "two", "/model scripted/model", "three")
    assert [finished.status for finished in desk.finished] == ["completed", "config_invalid", "completed"]
    assert desk.answers[-1] == "heard: one | three"
    entries = talk.store.entries("trip")
    assert [each.entry.text for each in entries if isinstance(each.entry, Began)] == ["one", "three"]
    assert talk.store.verify("trip").ok


async def test_a_turn_is_noted_before_the_model_is_asked(talk: Talk) -> None:
    seen: list[int] = []

    class Watching(Desk):
        async def show(self, turn: Turn, *, model: str) -> RunFinished:
            async def noted(how: Turning) -> AsyncGenerator[Event, None]:
                async with aclosing(turn(how)) as events:
                    async for event in events:
                        if isinstance(event, StepStarted):
                            seen.append(len(talk.store.entries("trip")))
                        yield event

            return await super().show(noted, model=model)

    talk.conversation.open("trip")
    await talk.of(desk=Watching("one"))
    assert seen == [1]


async def test_where_nobody_can_be_asked_the_way_to_decide_is_told(talk: Talk) -> None:
    talk.conversation.open("trip")
    desk = await talk.of("wipe sda", "two", elsewhere=lambda session, spec: f"resume {session} of {spec.name}")
    way = 'decide with: resume trip of clock --approve [CALL], or --reject [CALL] --reason "why"'
    assert desk.told == [way]
    assert desk.refused == [("the last turn waits for approval of wipe", way)]


async def test_a_turn_that_fails_ends_itself_only(talk: Talk) -> None:
    desk = await talk.of("one", "fail", "two", hints=True)
    assert [finished.status for finished in desk.finished] == ["completed", "model_error", "completed"]
    assert desk.told == ["/continue tries again, /undo takes the turn back"]
    assert desk.answers[-1] == "heard: one | two"


async def test_the_exit_code_is_that_of_the_last_turn(talk: Talk) -> None:
    await talk.of("one", "fail")
    assert talk.code == 4
    await talk.of("one")
    assert talk.code == 0
    await talk.of("one", "/bogus")
    assert talk.code == 2


async def test_an_interrupted_turn_can_be_gone_on_with(talk: Talk) -> None:
    desk = await talk.of("one", "wait", "/continue", hints=True)
    assert [finished.status for finished in desk.finished] == ["completed", "interrupted", "interrupted"]
    assert desk.told[0] == "interrupted; /continue goes on with the turn, /undo takes it back"
    assert talk.conversation.turns == 2


async def test_an_interrupted_question_without_a_reply_is_not_heard_by_the_next_turn(talk: Talk) -> None:
    desk = await talk.of("one", "wait", "two")
    assert desk.answers[-1] == "heard: one | two"


async def test_there_has_to_be_something_to_go_on_with(talk: Talk) -> None:
    desk = await talk.of("one", "/continue")
    assert desk.refused == [("there is nothing to go on with: no turn is unfinished", None)]


async def test_approvals_are_asked_inline(talk: Talk) -> None:
    desk = await talk.of(desk=Desk("wipe sda", decisions=[YES]))
    assert desk.answers == ["the tool said: wiped sda"]


async def test_a_call_that_waits_has_to_be_decided_before_anything_else_is_said(talk: Talk) -> None:
    desk = await talk.of("wipe sda", "two", hints=True)
    assert desk.finished[0].status == "waiting_for_approval"
    hint = "/continue asks about it, /undo takes the turn back"
    assert desk.told == [hint]
    assert desk.refused == [("the last turn waits for approval of wipe", hint)]
    assert talk.code == 7

    decided = await talk.of(desk=Desk("/continue", "two", decisions=[YES]))
    assert decided.answers == ["the tool said: wiped sda", "heard: wipe sda | two"]


async def test_a_turn_of_another_agent_is_not_gone_on_with(talk: Talk) -> None:
    await talk.of("wait")
    desk = await talk.of("/continue", agent=agent_in(talk.folder, name="other"))
    assert desk.refused == [("the last turn is one of the agent clock, not of other", None)]


async def test_what_a_person_corrected_is_told_to_the_model_in_later_turns(talk: Talk) -> None:
    no = Rejected(by="ann", reason="never wipe sda")
    desk = await talk.of(desk=Desk("wipe sda", "lessons", decisions=[no]), agent=agent_in(talk.folder, remember=True))
    assert "never wipe sda" in (desk.answers[1] or "")


async def test_undo_tells_what_stays_done(talk: Talk) -> None:
    desk = await talk.of(desk=Desk("one", "wipe sda", "/undo", "/undo", "/undo", "two", decisions=[YES]))
    assert desk.told == ["taken back: wipe sda", "what its 1 tool call did stays done", "taken back: one"]
    assert desk.refused == [("there is nothing to take back", None)]
    assert desk.answers[-1] == "heard: two"


async def test_reset_begins_anew(talk: Talk) -> None:
    desk = await talk.of("one", "/reset", "two")
    assert desk.told == ["a new conversation begins"]
    assert desk.answers == ["heard: one", "heard: two"]


async def test_saved_is_what_was_said_and_what_follows(talk: Talk) -> None:
    desk = await talk.of("one", "/save trip", "two", "/save")
    assert desk.told == ["kept as session trip, as will be what follows", "session trip has everything already"]
    assert [finished.session for finished in desk.finished][1:] == ["trip"]

    later = Talk(talk.folder)
    later.conversation.open("trip")
    desk = await later.of("three", "/undo", "four", "/reset")
    assert desk.answers == ["heard: one | two | three", "heard: one | two | four"]
    assert desk.told[1].startswith("session trip still has it; what follows becomes ")
    assert desk.told[3].endswith(f"stays as it is; what follows becomes {later.conversation.id}")
    assert len(talk.store.list()) == 2


async def test_the_name_that_undo_tells_is_the_one_that_reset_goes_on_with(talk: Talk) -> None:
    talk.conversation.open("trip")
    desk = await talk.of("one", "/undo", "/reset", "two")
    (other,) = [each.id for each in talk.store.list() if each.id != "trip"]
    assert desk.told == [
        "taken back: one",
        f"session trip still has it; what follows becomes {other}",
        "a new conversation begins",
        f"what follows becomes {other}",
    ]


async def test_a_session_that_exists_is_not_overwritten_and_the_chat_goes_on(talk: Talk) -> None:
    talk.store.open("trip", create=True).close()
    desk = await talk.of("one", "/save trip", "/save a/b")
    assert [problem for problem, _ in desk.refused] == [
        "there is a session trip already; give another id",
        "'a/b' cannot be the id of a session: write 1 to 64 of the characters A-Z a-z 0-9 . _ -",
    ]
    assert talk.code == 1


async def test_inputs_that_no_longer_fit_are_told(talk: Talk) -> None:
    desk = Desk("one")
    chat = Chat(
        load=lambda model: agent_in(talk.folder),
        agent=agent_in(talk.folder),
        inputs={"town": "Oslo"},
        conversation=talk.conversation,
        place=desk,
        standby=Standby(lambda spec: None),
        hints=False,
    )
    assert await chat.run() == 1
    assert "unknown input 'town'" in desk.refused[0][0]


async def test_a_store_that_cannot_be_written_is_told_and_the_chat_goes_on(talk: Talk) -> None:
    (talk.folder / "state").write_text("in the way")
    talk.conversation.keep()
    desk = await talk.of("one", "/save", "/reset")
    assert desk.answers == []
    assert all("sessions cannot be kept" in problem for problem, _ in desk.refused)
    assert talk.code == 1
