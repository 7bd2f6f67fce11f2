import asyncio
import json
import os
import signal
from pathlib import Path

import click
import pytest

from runner.cli.verdicts import Verdict
from runner.engine.journal import CallStarted
from runner.engine.ports import ModelError
from runner.language.overrides import Override
from runner.sessions.feedback import Feedback
from tests.cli.mailbox import SEND, Mailbox, call
from tests.cli.person import Person


@pytest.fixture
def mailbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mailbox:
    monkeypatch.chdir(tmp_path)
    return Mailbox(tmp_path)


@pytest.fixture
async def waiting(mailbox: Mailbox) -> Mailbox:
    """With a session `trip` that waits for approval of `send`."""
    done = await mailbox.carry_out(mailbox.order(session="trip", approve="ask"), SEND)
    assert done.code == 7
    return mailbox


def approve(call_id: str | None = None) -> list[Verdict]:
    return [Verdict(kind="approve", call=call_id)]


async def test_a_session_goes_on_with_what_was_said(mailbox: Mailbox) -> None:
    first = await mailbox.carry_out(mailbox.order("I am Anna", session="trip"), "Hello Anna")
    assert (first.code, first.document["session"], first.document["answer"]) == (0, "trip", "Hello Anna")
    second = await mailbox.carry_out(mailbox.order("Who am I?", session="trip"), "Anna")
    assert [message["content"] for message in second.asked[0]] == ["I am Anna", "Hello Anna", "Who am I?"]


async def test_a_run_without_a_session_is_its_own_and_leaves_nothing(mailbox: Mailbox) -> None:
    done = await mailbox.carry_out(mailbox.order(), "Hello")
    assert done.document["session"] is None
    assert not mailbox.states.exists()


async def test_without_a_terminal_nobody_approves_and_the_model_is_told_why(mailbox: Mailbox) -> None:
    done = await mailbox.carry_out(mailbox.order(), SEND, "I could not")
    assert (done.code, mailbox.sent) == (0, [])
    assert "nobody is there to approve it" in done.asked[1][-1]["content"]
    assert "not approved (nobody is there to ask)" in done.err


async def test_all_are_approved_when_the_person_says_so(mailbox: Mailbox) -> None:
    done = await mailbox.carry_out(mailbox.order(approve="all"), SEND, "Done")
    assert (done.code, mailbox.sent) == (0, ["anna@example.com 1"])
    assert "approved by --approve all" in done.err


async def test_denied_calls_are_denied_whoever_approves(mailbox: Mailbox) -> None:
    mailbox.file.write_text(mailbox.file.read_text() + "permissions: {deny: [send]}\n")
    done = await mailbox.carry_out(mailbox.order(approve="all"), SEND, "I may not")
    assert (done.code, mailbox.sent) == (0, [])
    assert "denied by permissions" in done.err


async def test_ask_without_a_terminal_saves_the_run_and_says_how_to_decide(mailbox: Mailbox) -> None:
    done = await mailbox.carry_out(mailbox.order(session="trip", approve="ask"), SEND)
    assert (done.code, done.document["status"], done.document["session"]) == (7, "waiting_for_approval", "trip")
    assert "waiting for approval of send (call_1)" in done.err
    assert "runner sessions resume trip --approve" in done.err
    assert mailbox.sent == []


async def test_the_way_to_decide_works_from_the_current_folder(mailbox: Mailbox, tmp_path: Path) -> None:
    (tmp_path / "another one").mkdir()
    elsewhere = Mailbox(tmp_path / "another one")
    done = await elsewhere.carry_out(elsewhere.order(session="trip", approve="ask"), SEND)
    assert f"runner sessions resume trip --project '{elsewhere.root}' --approve" in done.err
    refused = await elsewhere.carry_out(elsewhere.order("Else", session="trip"))
    assert f"runner sessions resume trip --project '{elsewhere.root}'" in refused.err


async def test_ask_without_a_session_makes_one_and_names_it(mailbox: Mailbox) -> None:
    done = await mailbox.carry_out(mailbox.order(approve="ask"), SEND)
    (kept,) = mailbox.store.list()
    assert done.document["session"] == kept.id
    assert done.err.startswith(f"session {kept.id}\n")


async def test_a_run_that_waits_is_not_passed_over(waiting: Mailbox) -> None:
    done = await waiting.carry_out(waiting.order("Something else", session="trip"))
    assert (done.code, done.document["status"]) == (1, "config_invalid")
    assert "waits for approval of send (call_1)" in done.err
    assert "runner sessions resume trip" in done.err


async def test_a_run_that_can_be_gone_on_with_says_how(mailbox: Mailbox) -> None:
    failed = await mailbox.carry_out(mailbox.order(session="trip"), ModelError("openai/gpt-5-mini: gone"))
    assert failed.err.endswith("error: openai/gpt-5-mini: gone\n  go on: runner sessions resume trip\n")
    mailbox.file.write_text(mailbox.file.read_text() + "limits: {max_steps: 1}\n")
    look = call(("look", {}))
    limited = await mailbox.carry_out(mailbox.order(session="other"), look)
    assert limited.err.endswith("  go on, with a higher limit: runner sessions resume other\n")
    more = Override(option="--max-steps", data={"limits": {"max_steps": 3}})
    done = await mailbox.carry_out(mailbox.resumption("other", overrides=[more]), "Two mails")
    assert (done.code, done.document["steps"]) == (0, 2)
    alone = await mailbox.carry_out(mailbox.order(), ModelError("openai/gpt-5-mini: gone"))
    assert "go on" not in alone.err


async def test_a_run_that_failed_is_passed_over_with_a_note(mailbox: Mailbox) -> None:
    await mailbox.carry_out(mailbox.order(session="trip"), ModelError("openai/gpt-5-mini: gone"))
    done = await mailbox.carry_out(mailbox.order("Again", session="trip"), "Hello")
    assert done.code == 0
    assert "note: the last run of session trip ended with status model_error; this is a new run" in done.err
    quiet = await mailbox.carry_out(mailbox.order("Again", session="trip", quiet=True), "Hello")
    assert quiet.err == ""


async def test_an_approved_call_is_made_and_the_run_goes_on(waiting: Mailbox) -> None:
    done = await waiting.carry_out(waiting.resumption(verdicts=approve()), "It is sent")
    assert (done.code, done.document["answer"], done.document["session"]) == (0, "It is sent", "trip")
    assert waiting.sent == ["anna@example.com 1"]
    assert (done.document["steps"], done.document["tool_calls"]) == (2, 1)
    assert done.asked[0][-1]["content"] == "sent to anna@example.com"


async def test_a_rejected_call_is_not_made_and_the_model_reads_the_reason(waiting: Mailbox) -> None:
    verdict = Verdict(kind="reject", call="call_1", text="not on Sundays")
    done = await waiting.carry_out(waiting.resumption(verdicts=[verdict]), "I wait")
    assert (done.code, waiting.sent) == (0, [])
    assert "not on Sundays" in done.asked[0][-1]["content"]


async def test_an_edited_call_is_made_with_the_new_arguments(waiting: Mailbox) -> None:
    verdict = Verdict(kind="edit", text='{"to": "bob@example.com", "copies": 2}')
    done = await waiting.carry_out(waiting.resumption(verdicts=[verdict]), "Done")
    assert (done.code, waiting.sent) == (0, ["bob@example.com 2"])
    assert "A person changed the arguments" in done.asked[0][-1]["content"]


async def test_arguments_that_the_tool_refuses_change_nothing(waiting: Mailbox) -> None:
    before = len(waiting.store.entries("trip"))
    verdict = Verdict(kind="edit", text='{"to": "bob@example.com", "copies": "many"}')
    done = await waiting.carry_out(waiting.resumption(verdicts=[verdict]))
    assert (done.code, waiting.sent) == (1, [])
    assert "--edit of send (call_1): " in done.err
    assert "copies" in done.err
    assert len(waiting.store.entries("trip")) == before


async def test_arguments_that_the_permissions_forbid_change_nothing(waiting: Mailbox) -> None:
    waiting.file.write_text(waiting.file.read_text() + 'permissions: {deny: ["send:to=*@evil.com"]}\n')
    before = len(waiting.store.entries("trip"))
    verdict = Verdict(kind="edit", text='{"to": "bob@evil.com"}')
    done = await waiting.carry_out(waiting.resumption(verdicts=[verdict]))
    assert (done.code, waiting.sent) == (1, [])
    assert "--edit of send (call_1): the permissions of this agent forbid it (deny: send:to=*@evil.com)" in done.err
    assert len(waiting.store.entries("trip")) == before


async def test_a_run_goes_on_with_an_input_that_its_agent_takes_only_now(waiting: Mailbox) -> None:
    text = waiting.file.read_text()
    waiting.file.write_text(text + "inputs: {tone: {type: string}}\n")
    with pytest.raises(click.UsageError, match="input 'tone' is missing: give it with -i tone="):
        await waiting.carry_out(waiting.resumption(verdicts=approve()))
    with pytest.raises(click.UsageError, match="unknown input 'tome'"):
        await waiting.carry_out(waiting.resumption(verdicts=approve(), assignments=["tome=dry"]))
    done = await waiting.carry_out(waiting.resumption(verdicts=approve(), assignments=["tone=dry"]), "Done")
    assert (done.code, waiting.sent) == (0, ["anna@example.com 1"])


async def test_a_run_goes_on_without_an_input_that_its_agent_takes_no_more(mailbox: Mailbox) -> None:
    text = mailbox.file.read_text()
    mailbox.file.write_text(text + "inputs: {tone: {type: string}}\n")
    order = mailbox.order(session="trip", approve="ask", assignments=["tone=dry"])
    await mailbox.carry_out(order, SEND)
    mailbox.file.write_text(text)
    done = await mailbox.carry_out(mailbox.resumption(verdicts=approve()), "Done")
    assert (done.code, mailbox.sent) == (0, ["anna@example.com 1"])


async def test_without_a_decision_or_a_terminal_it_is_shown_what_waits(waiting: Mailbox) -> None:
    before = len(waiting.store.entries("trip"))
    done = await waiting.carry_out(waiting.resumption())
    assert (done.code, done.document["status"], done.document["steps"]) == (7, "waiting_for_approval", 1)
    assert 'send(to="anna@example.com") (call_1)' in done.err
    assert len(waiting.store.entries("trip")) == before


async def test_several_calls_are_decided_one_by_one(mailbox: Mailbox) -> None:
    two = call(("send", {"to": "a@example.com"}), ("send", {"to": "b@example.com"}))
    await mailbox.carry_out(mailbox.order(session="trip", approve="ask"), two)
    with pytest.raises(click.UsageError, match=r"--approve has to name a call; these wait: call_1 \(send\), call_2"):
        await mailbox.carry_out(mailbox.resumption(verdicts=approve()))
    half = await mailbox.carry_out(mailbox.resumption(verdicts=approve("call_2")))
    assert (half.code, mailbox.sent) == (7, ["b@example.com 1"])
    assert "waiting for approval of send (call_1)" in half.err
    done = await mailbox.carry_out(mailbox.resumption(verdicts=approve()), "Both are sent")
    assert (done.code, mailbox.sent) == (0, ["b@example.com 1", "a@example.com 1"])


async def test_a_question_that_comes_up_later_waits_as_well(waiting: Mailbox) -> None:
    done = await waiting.carry_out(waiting.resumption(verdicts=approve()), call(("send", {"to": "b@example.com"})))
    assert (done.code, waiting.sent) == (7, ["anna@example.com 1"])


async def crash(mailbox: Mailbox) -> None:
    """Leave the session as a process does that is killed while the tool runs."""
    await mailbox.carry_out(mailbox.order(session="trip", approve="ask"), SEND)
    with mailbox.store.open("trip", create=False) as opened:
        opened.session.journal.note(CallStarted(step=1, id="call_1", name="send", arguments={"to": "anna@example.com"}))


async def test_a_call_whose_outcome_is_unknown_waits_for_a_person(mailbox: Mailbox) -> None:
    await crash(mailbox)
    done = await mailbox.carry_out(mailbox.resumption())
    assert (done.code, mailbox.sent) == (7, [])
    told = await mailbox.carry_out(
        mailbox.resumption(verdicts=[Verdict(kind="reject", text="it was sent")]), "Then it is done"
    )
    assert (told.code, mailbox.sent) == (0, [])
    assert "it was sent" in told.asked[0][-1]["content"]


async def test_a_call_whose_outcome_is_unknown_is_made_again_when_a_person_says_so(mailbox: Mailbox) -> None:
    await crash(mailbox)
    done = await mailbox.carry_out(mailbox.resumption(verdicts=approve()), "Done")
    assert (done.code, mailbox.sent) == (0, ["anna@example.com 1"])


async def test_all_does_not_make_a_call_again_that_may_have_been_made(mailbox: Mailbox) -> None:
    await crash(mailbox)
    done = await mailbox.carry_out(mailbox.resumption(approve="all"), "I do not know")
    assert (done.code, mailbox.sent) == (0, [])
    assert "only a person can decide to make it again" in done.asked[0][-1]["content"]


async def test_a_session_in_use_is_refused_or_waited_for(mailbox: Mailbox) -> None:
    with mailbox.store.open("trip", create=True):
        done = await mailbox.carry_out(mailbox.order(session="trip"))
        assert (done.code, done.document["status"], done.document["session"]) == (1, "config_invalid", "trip")
        assert "session trip is in use" in done.err
        assert "--wait waits for it" in done.err
        late = await mailbox.carry_out(mailbox.order(session="trip", wait=0.2))
        assert (late.code, "--wait" in late.err) == (1, False)
        patient = asyncio.create_task(mailbox.carry_out(mailbox.order(session="trip", wait=60.0), "Hello"))
        await asyncio.sleep(0.2)
        assert not patient.done()
    assert (await patient).code == 0


@pytest.mark.parametrize(("session", "hint"), [("tripp", "did you mean 'trip'?"), ("xyzzy", "runner sessions list")])
async def test_an_unknown_session_is_told_with_what_was_meant(waiting: Mailbox, session: str, hint: str) -> None:
    done = await waiting.carry_out(waiting.resumption(session))
    assert done.code == 1
    assert f"there is no session '{session}'; {hint}" in done.err


async def test_where_there_are_no_sessions_the_folder_is_named(mailbox: Mailbox) -> None:
    done = await mailbox.carry_out(mailbox.resumption())
    assert (done.code, str(mailbox.states) in done.err, "--project" in done.err) == (1, True, True)


async def test_a_session_whose_run_is_over_has_nothing_to_go_on_with(mailbox: Mailbox) -> None:
    await mailbox.carry_out(mailbox.order(session="trip"), "Hello")
    done = await mailbox.carry_out(mailbox.resumption())
    assert (done.code, "has nothing to go on with" in done.err) == (1, True)


async def test_a_run_that_failed_is_gone_on_with(mailbox: Mailbox) -> None:
    failed = await mailbox.carry_out(
        mailbox.order(session="trip", approve="all"), SEND, ModelError("openai/gpt-5-mini: gone")
    )
    assert failed.code == 4
    done = await mailbox.carry_out(mailbox.resumption(), "It is sent")
    assert (done.code, done.document["answer"], mailbox.sent) == (0, "It is sent", ["anna@example.com 1"])
    with_verdict = mailbox.resumption(verdicts=approve())
    await mailbox.carry_out(mailbox.order(session="trip"), ModelError("openai/gpt-5-mini: gone"))
    with pytest.raises(click.UsageError, match="no call waits for a decision"):
        await mailbox.carry_out(with_verdict)


async def test_an_agent_that_was_moved_is_found_with_file(waiting: Mailbox) -> None:
    moved = waiting.file.with_name("post.yaml")
    waiting.file.rename(moved)
    lost = await waiting.carry_out(waiting.resumption(verdicts=approve()))
    assert lost.code == 1
    assert f"the agent of session trip was {waiting.file}, which is not there any more; --file FILE" in lost.err
    done = await waiting.carry_out(waiting.resumption(file=moved, verdicts=approve()), "Done")
    assert (done.code, waiting.sent) == (0, ["anna@example.com 1"])


async def test_another_agent_does_not_go_on_with_it(waiting: Mailbox) -> None:
    other = waiting.file.with_name("other.yaml")
    other.write_text(waiting.file.read_text().replace("name: mail", "name: other"))
    done = await waiting.carry_out(waiting.resumption(file=other))
    assert (done.code, "session trip is one of the agent mail" in done.err) == (1, True)


async def test_another_model_is_told(waiting: Mailbox) -> None:
    waiting.file.write_text(waiting.file.read_text().replace("gpt-5-mini", "gpt-5"))
    done = await waiting.carry_out(waiting.resumption(verdicts=approve()), "Done")
    assert "note: the run began with openai/gpt-5-mini and goes on with openai/gpt-5 " in done.err


async def test_events_and_text_go_on_as_well(waiting: Mailbox) -> None:
    events = await waiting.carry_out(waiting.resumption(verdicts=approve(), output="events"), "Done")
    kinds = [json.loads(line)["type"] for line in events.out.splitlines()]
    assert kinds[:3] == ["RunStarted", "ApprovalResolved", "ToolCalled"]
    assert json.loads(events.out.splitlines()[-1])["session"] == "trip"
    text = await waiting.carry_out(waiting.order("Thanks", session="trip", output="text"), "Welcome")
    assert text.out == "Welcome\n"


async def test_a_store_that_cannot_be_read_is_one_line(mailbox: Mailbox) -> None:
    mailbox.states.mkdir()
    mailbox.store.path.write_bytes(b"no database at all, but long enough to look like one" * 40)
    done = await mailbox.carry_out(mailbox.order(session="trip"))
    assert (done.code, done.document["status"]) == (3, "internal_error")
    assert len(done.err.splitlines()) == 1


async def test_an_interrupt_ends_the_wait_for_a_session(mailbox: Mailbox) -> None:
    with mailbox.store.open("trip", create=True):
        waiting = asyncio.create_task(mailbox.carry_out(mailbox.order(session="trip", wait=float("inf"))))
        await asyncio.sleep(0.2)
        os.kill(os.getpid(), signal.SIGINT)
        done = await waiting
    assert (done.code, done.document["status"], done.document["signal"]) == (130, "interrupted", "SIGINT")


@pytest.mark.parametrize("session", ["trip", None])
async def test_what_a_person_corrects_is_told_in_later_runs(mailbox: Mailbox, session: str | None) -> None:
    mailbox.file.write_text(mailbox.file.read_text() + "feedback: {remember: true}\n")
    async with Person() as anna:
        order = mailbox.order("Write to Anna", session=session, output="text")
        running = asyncio.create_task(mailbox.carry_out(order, SEND, "I do not", terminal=anna.terminal, err=anna.err))
        await anna.answers("approve? ", "n Anna is away")
        assert (await running).code == 0
    later = await mailbox.carry_out(mailbox.order("Write to Anna"), "She is away")
    assert "Anna is away" in json.dumps(later.asked[0])
    nobody = await mailbox.carry_out(mailbox.order("Write to Bob"), SEND, "I could not")
    assert nobody.code == 0
    assert len(Feedback(mailbox.states).list()) == 1  # that nobody was there is no correction


async def test_a_call_with_a_secret_does_not_wait_but_is_asked_for_again(
    mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "canary-S3cr3t-9f8e7d")
    tools = mailbox.root / "tools.d" / "mail.yaml"
    header = '    headers: {Authorization: "Bearer ${MY_TOKEN}"}\n'
    http = f'  - name: fetch\n    type: http\n    url: "http://127.0.0.1:9/x"\n{header}'
    tools.write_text(tools.read_text(encoding="utf-8") + http, encoding="utf-8")
    agent = mailbox.file.read_text(encoding="utf-8").replace("[send, look]", "[send, look, fetch]")
    mailbox.file.write_text(agent, encoding="utf-8")
    secret = call(("send", {"to": "canary-S3cr3t-9f8e7d"}))
    await mailbox.carry_out(mailbox.order(session="trip", approve="ask"), secret)

    with pytest.raises(click.UsageError, match="no call waits for a decision; run it again without --approve"):
        await mailbox.carry_out(mailbox.resumption(verdicts=approve()))
    done = await mailbox.carry_out(mailbox.resumption(), "I leave it")

    assert "its arguments held a secret, which is not written down" in done.asked[0][-1]["content"]
    assert (done.code, mailbox.sent) == (0, [])
