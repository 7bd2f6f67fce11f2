"""Corrections find their way from an approval into the journal's keeper, and from there to the model."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from runner.agent import Agent, load_agent
from runner.engine.approval import ApprovalRequest, Approved, Decision, Deferred, Nobody, Rejected
from runner.engine.events import RunFinished
from runner.engine.journal import Entry, JournalError, NoJournal
from runner.engine.messages import ToolCall
from runner.engine.ports import ModelReply, RawToolCall
from runner.engine.resolutions import REJECTED
from runner.models.scripted import ScriptedModel
from runner.sessions.feedback import Correction, Feedback
from runner.sessions.ports import StoreError
from runner.sessions.remembering import RememberingJournal, lesson, lessons_for, remembering
from runner.sessions.sqlite import SqliteStore
from runner.spec import FeedbackSpec
from tests.sessions.entries import call, decided, replied

CALL = replied(1, call("c1", to="bo"), call("c2", to="cy"))


@dataclass
class Kept:
    """A keeper, and a journal, in memory."""

    corrections: list[Correction] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    fails: bool = False

    def keep(self, correction: Correction) -> None:
        if self.fails:
            raise StoreError("the disk is full")
        self.corrections.append(correction)

    def note(self, entry: Entry) -> None:
        self.entries.append(entry)


def noted(*entries: Entry, calls: Sequence[ToolCall] = ()) -> Kept:
    kept = Kept()
    journal = RememberingJournal(kept, kept, agent="desk", calls=calls)
    for entry in entries:
        journal.note(entry)
    assert kept.entries == list(entries)
    return kept


def test_an_edit_is_kept_with_what_the_model_wanted() -> None:
    kept = noted(CALL, decided("c2", "edited", {"to": "di"}))

    assert kept.corrections == [
        Correction(agent="desk", tool="save", arguments={"to": "cy"}, edited={"to": "di"}, reason=None, by="mia")
    ]


def test_a_rejection_is_kept_in_the_words_of_the_person() -> None:
    kept = noted(CALL, decided("c1", "rejected", reason=f"{REJECTED}Ask first."))

    assert [(each.reason, each.edited) for each in kept.corrections] == [("Ask first.", None)]


@pytest.mark.parametrize(
    "entry",
    [
        decided("c1", "approved", {"to": "bo"}),
        decided("c1", "stopped"),
        decided("c1", "denied", reason="not run, the permissions forbid it", by="permissions"),
        decided("c1", "rejected", reason=f"{REJECTED}nobody is there", by="nobody"),
        decided("c1", "rejected", reason=f"{REJECTED}only a person can", by="--approve all"),
        decided("c1", "rejected", reason="it was running when the run broke off; not made again: leave it"),
        decided("c9", "edited", {"to": "di"}),
    ],
    ids=lambda entry: f"{entry.resolution.decision} by {entry.resolution.by}",
)
def test_what_is_no_correction_by_a_person_is_only_noted(entry: Entry) -> None:
    assert noted(CALL, entry).corrections == []


def test_calls_of_an_earlier_part_of_the_run_are_known() -> None:
    kept = noted(decided("c1", "edited", {"to": "di"}), calls=[call("c1", to="bo")])

    assert kept.corrections[0].arguments == {"to": "bo"}


def test_what_cannot_be_kept_ends_the_run_like_what_cannot_be_noted() -> None:
    kept = Kept(fails=True)
    journal = RememberingJournal(kept, kept, agent="desk")
    journal.note(CALL)

    with pytest.raises(JournalError, match="the disk is full"):
        journal.note(decided("c1", "edited", {"to": "di"}))


# -- sentences --------------------------------------------------------------------------------------------------------


def correction(**changed: Any) -> Correction:
    fields = {"agent": "desk", "tool": "mail", "arguments": {"to": "Zoë"}, "edited": None, "reason": "no", "by": "ana"}
    return Correction(**{**fields, **changed})


def test_a_lesson_says_what_was_wanted_and_what_was_right() -> None:
    assert lesson(correction()) == 'mail with {"to": "Zoë"}: a person rejected it: no'
    assert lesson(correction(edited={"to": "bo"}, reason=None)) == (
        'mail with {"to": "Zoë"}: a person changed the arguments to {"to": "bo"}'
    )


def test_a_lesson_is_one_line_of_bearable_length() -> None:
    told = lesson(correction(arguments={"text": "x\n" * 10_000}, reason="too\n\nlong " * 1_000))

    assert "\n" not in told
    assert len(told) < 700


# -- a whole agent ----------------------------------------------------------------------------------------------------

AGENT = """\
name: desk
model: openai/x
instructions: Be brief.
prompt: "{{ input }}"
tools: [calculator]
permissions: {ask: [calculator]}
feedback: {remember: true}
parsing: native
"""


def rewrite(file: Path, old: str, new: str) -> None:
    file.write_text(AGENT.replace(old, new), encoding="utf-8")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "project" / "agents.d" / "desk.yaml"
    path.parent.mkdir(parents=True)
    (path.parent.parent / "runner.yaml").write_text("version: '1'\n", encoding="utf-8")
    path.write_text(AGENT, encoding="utf-8")
    return path


class Decides:
    """An approver that always says the same."""

    def __init__(self, decision: Decision) -> None:
        self._decision = decision

    async def decide(self, request: ApprovalRequest) -> Decision:
        del request
        return self._decision


WANTS = ModelReply(
    tool_calls=(RawToolCall(id="c1", name="calculator", arguments='{"expression": "1+1"}'),), finish_reason="tool_calls"
)
DONE = ModelReply(text="done", finish_reason="stop")


async def ask(file: Path, replies: Sequence[ModelReply], decision: Decision, text: str = "How much?") -> ScriptedModel:
    """One run of the agent in a session of its own, as the command line has it."""
    model = ScriptedModel(replies)
    spec = load_agent(file).spec
    store = SqliteStore(Path(spec.project.state_dir))
    with store.open(store.new_id(), create=True) as opened:
        session = remembering(spec, opened.session)
        lessons = lessons_for(spec, text)
        agent = Agent(spec, model=model)
        async for _ in agent.stream(text, session=session, approver=Decides(decision), lessons=lessons):
            pass
    return model


def system_prompt(model: ScriptedModel) -> str:
    return str(model.requests[0].messages[0]["content"])


async def test_what_a_person_corrected_is_told_in_the_next_run(file: Path) -> None:
    first = await ask(file, [WANTS, DONE], Approved(by="ana", arguments={"expression": "2+2"}))
    second = await ask(file, [WANTS, DONE], Rejected(by="ana", reason="{{ input }} is known"))
    third = await ask(file, [DONE], Approved(by="ana"))

    edited = '- calculator with {"expression": "1+1"}: a person changed the arguments to {"expression": "2+2"}'
    rejected = '- calculator with {"expression": "1+1"}: a person rejected it: {{ input }} is known'
    assert system_prompt(first) == "Be brief."
    assert edited in system_prompt(second)
    assert system_prompt(third).endswith(f"keep to that:\n{rejected}\n{edited}")


async def test_when_nobody_is_there_nothing_is_learned(file: Path) -> None:
    await ask(file, [WANTS, DONE], await Nobody().decide(_any_request()))

    assert lessons_for(load_agent(file).spec, "How much?") == ()


async def test_an_agent_that_does_not_remember_keeps_nothing_and_is_told_nothing(file: Path) -> None:
    await ask(file, [WANTS, DONE], Rejected(by="ana", reason="no"))
    assert len(lessons_for(load_agent(file).spec, None)) == 1
    rewrite(file, "true", "false")

    model = await ask(file, [WANTS, DONE], Rejected(by="ana", reason="never"))

    assert system_prompt(model) == "Be brief."
    assert len(Feedback(file.parents[1] / ".runner").list()) == 1


async def test_a_decision_given_when_the_run_goes_on_is_remembered(file: Path) -> None:
    spec = load_agent(file).spec
    store = SqliteStore(Path(spec.project.state_dir))
    with store.open("trip", create=True) as opened:
        session = remembering(spec, opened.session)
        async for _ in Agent(spec, model=ScriptedModel([WANTS])).stream(
            "x", session=session, approver=Decides(Deferred())
        ):
            pass
    decisions = {"c1": Rejected(by="ana", reason="no")}
    with store.open("trip", create=False) as opened:
        session = remembering(spec, opened.session)
        resumed = Agent(spec, model=ScriptedModel([DONE])).resume(session, decisions=decisions)
        *_, finished = [event async for event in resumed]

    assert isinstance(finished, RunFinished)
    assert finished.status == "completed"
    assert lessons_for(spec, None) == ('calculator with {"expression": "1+1"}: a person rejected it: no',)


async def test_secrets_are_not_kept(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESK_KEY", "hunter2-hunter2")
    rewrite(file, "openai/x", '{name: openai/x, api_key: "${DESK_KEY}"}')

    await ask(file, [WANTS, DONE], Rejected(by="ana", reason="never say hunter2-hunter2"))

    (told,) = lessons_for(load_agent(file).spec, None)
    assert told.endswith("a person rejected it: never say ***")


def test_the_same_sentence_is_told_once(file: Path) -> None:
    spec = load_agent(file).spec
    feedback = Feedback(Path(spec.project.state_dir))
    long = "x" * 400
    for end in "ab":
        feedback.keep(correction(tool="calculator", reason=long + end))

    assert len(lessons_for(spec, None)) == 1


def test_a_session_of_an_agent_that_does_not_remember_is_left_as_it_is(file: Path) -> None:
    spec = replace(load_agent(file).spec, feedback=FeedbackSpec(remember=False))
    with SqliteStore(Path(spec.project.state_dir)).open("trip", create=True) as opened:
        session = opened.session
        assert remembering(spec, session) is session


def _any_request() -> ApprovalRequest:
    return ApprovalRequest(
        step=1, call=ToolCall(id="c", name="t", arguments={}), risk="low", reason="", said="", check=lambda _: None
    )


def test_a_journal_may_be_one_that_notes_nothing() -> None:
    kept = Kept()
    journal = RememberingJournal(NoJournal(), kept, agent="desk")
    journal.note(CALL)
    journal.note(decided("c1", "edited", {}))

    assert len(kept.corrections) == 1
