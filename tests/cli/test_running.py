import io
import json
import os
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click
import pytest

from runner.agent import InvalidAgent
from runner.cli.orders import Order
from runner.cli.running import Execution, present
from runner.cli.streams import Output, ReaderGone, UnwritableError
from runner.diagnostics import Diagnostic, Location, Span
from runner.engine.events import EXIT_CODES, Event, ModelReplied, RunFinished, Status
from runner.inputs import InputError
from runner.language.overrides import Override
from tests.cli.fakes import Broken, FakeAgent, Terminal, TerminalBytes

ORDER = Order(file=Path("agents.d/clock.yaml"))
MODEL = Override(option="--model", data={"model": "openai/x"})
DONE = RunFinished(status="completed", answer="Hello.")


class Ran:
    """One executed order and everything it wrote."""

    def __init__(self) -> None:
        self.out = io.BytesIO()
        self.err = io.StringIO()
        self.code = -1

    @property
    def answer(self) -> str:
        return self.out.getvalue().decode("utf-8")

    @property
    def log(self) -> str:
        return self.err.getvalue()


async def run(
    events: Sequence[Event | Exception],
    order: Order = ORDER,
    *,
    needs_text: bool = False,
    closing: Exception | None = None,
) -> Ran:
    ran = Ran()
    agent = FakeAgent(events, needs_text=needs_text, closing=closing)
    ran.code = await Execution(order, out=Output(ran.out), err=ran.err).execute(agent.load)
    return ran


async def test_text_output_is_the_answer_and_nothing_else(clock_run: list[Event]) -> None:
    ran = await run(clock_run)
    assert (ran.code, ran.answer) == (0, "It is 17:05 on Monday in Tokyo.\n")
    assert "2 steps" in ran.log


async def test_an_answer_keeps_its_own_last_line_break_and_every_character() -> None:
    ran = await run([replace(DONE, answer="\x1b[1m北京\r\n")])
    assert ran.answer == "\x1b[1m北京\r\n"


async def test_an_answer_with_a_lone_surrogate_is_written() -> None:  # field bug B134
    ran = await run([replace(DONE, answer="a\ud83db 🎉")])
    assert (ran.code, ran.answer) == (0, "a?b 🎉\n")
    ran = await run([replace(DONE, answer="a\ud83db")], replace(ORDER, output="json"))
    assert json.loads(ran.answer)["answer"] == "a\ud83db"


async def test_on_a_terminal_an_answer_cannot_drive_it() -> None:
    out = TerminalBytes()
    agent = FakeAgent([replace(DONE, answer="\x1b[2Jone\r\n\ttwo")])
    await Execution(ORDER, out=Output(out), err=io.StringIO()).execute(agent.load)
    assert out.getvalue() == b"\\x1b[2Jone\n\ttwo\n"


async def test_json_output_is_one_document(clock_run: list[Event]) -> None:
    ran = await run(clock_run, replace(ORDER, output="json"))
    document = json.loads(ran.answer)
    assert (document["version"], document["status"], document["steps"]) == (1, "completed", 2)
    (source,) = document["sources"]
    assert source == {"tool": "current_time", "arguments": {"place": "Tokyo"}, "content": "2026-11-30 17:05 (Monday)"}


async def test_a_structured_answer_is_a_value_in_the_document_and_bare_json_as_text() -> None:
    value = {"city": "北京", "degrees": [1.5, None]}
    done = replace(DONE, answer='{"city": "北京", "degrees": [1.5, null]}', output=value)
    ran = await run([done], replace(ORDER, output="json"))
    assert json.loads(ran.answer)["output"] == value
    assert '"city": "北京"' in ran.answer
    assert (await run([done])).answer == '{"city": "北京", "degrees": [1.5, null]}\n'


async def test_events_output_is_a_line_per_event_as_it_happens(clock_run: list[Event]) -> None:
    ran = await run(clock_run, replace(ORDER, output="events"))
    lines = [json.loads(line)["type"] for line in ran.answer.splitlines()]
    assert lines == [type(event).__name__ for event in clock_run]


@pytest.mark.parametrize("status", [status for status in EXIT_CODES if status != "completed"])
async def test_a_run_that_did_not_complete_says_why_and_has_its_exit_code(status: Status) -> None:  # field bug B129
    finished = RunFinished(status=status, answer=None, error="this is why\nand where")
    ran = await run([finished])
    assert (ran.code, ran.answer) == (EXIT_CODES[status], "")
    assert ran.log == "error: this is why\n  and where\n"


async def test_a_terminated_run_has_its_own_exit_code() -> None:
    ran = await run([RunFinished(status="interrupted", answer=None, error="interrupted", signal="SIGTERM")])
    assert ran.code == 143


async def test_an_answer_given_at_a_limit_is_printed_and_the_limit_told() -> None:
    ran = await run([RunFinished(status="max_steps", answer="As far as I got.", error="step limit 2 reached")])
    assert (ran.code, ran.answer, ran.log) == (5, "As far as I got.\n", "error: step limit 2 reached\n")


async def test_quiet_shows_errors_only(clock_run: list[Event]) -> None:
    quiet = replace(ORDER, quiet=True)
    assert (await run(clock_run, quiet)).log == ""
    failed = RunFinished(status="timeout", answer=None, error="time limit of 3 s reached in step 2")
    assert (await run([*clock_run[:-1], failed], quiet)).log == "error: time limit of 3 s reached in step 2\n"


async def test_what_was_ordered_reaches_the_agent() -> None:
    agent = FakeAgent([DONE])
    order = replace(ORDER, text="Hi", assignments=["city=Oslo", "days=3"], overrides=[MODEL])
    await Execution(order, out=Output(io.BytesIO()), err=io.StringIO()).execute(agent.load)
    assert agent.loaded == (Path("agents.d/clock.yaml"), [MODEL])
    assert agent.asked == [("Hi", {"city": "Oslo", "days": 3}, False)]


@pytest.mark.parametrize(
    ("order", "out", "err", "watched"),
    [
        (ORDER, TerminalBytes, Terminal, True),
        (replace(ORDER, quiet=True), TerminalBytes, io.StringIO, True),
        (ORDER, io.BytesIO, Terminal, False),
        (replace(ORDER, output="json"), TerminalBytes, Terminal, True),
        (replace(ORDER, output="json"), TerminalBytes, io.StringIO, False),
        (replace(ORDER, output="events", quiet=True), io.BytesIO, io.StringIO, True),
    ],
)
async def test_the_model_streams_only_when_somebody_watches(
    monkeypatch: pytest.MonkeyPatch, order: Order, out: type[io.BytesIO], err: type[io.StringIO], *, watched: bool
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    agent = FakeAgent([DONE])
    await Execution(order, out=Output(out()), err=err()).execute(agent.load)
    assert [watch for _, _, watch in agent.asked] == [watched]


async def test_input_that_no_template_uses_is_said_to_be_unused() -> None:
    order = replace(ORDER, text="Hi")
    assert (await run([DONE], order)).log == "warning: INPUT is not used: no template of clock has {{ input }}\n"
    assert (await run([DONE], order, needs_text=True)).log == ""
    assert (await run([DONE], replace(order, quiet=True))).log == ""


@pytest.mark.parametrize("assignment", ["city", "=Oslo", "citty=Oslo"])
async def test_a_wrong_assignment_is_a_usage_error(assignment: str) -> None:
    with pytest.raises(click.UsageError, match=r"name=value|citty"):
        await run([DONE], replace(ORDER, assignments=[assignment]))


async def test_a_missing_value_is_a_usage_error_and_prints_no_document() -> None:
    with pytest.raises(click.UsageError, match="input 'city' is missing"):
        await run([InputError("input 'city' is missing")], replace(ORDER, output="json"))


async def test_a_refused_value_is_a_wrong_configuration() -> None:
    ran = await run([InputError("input days: expected at least 1", refused=True)], replace(ORDER, output="json"))
    assert (ran.code, ran.log) == (1, "error: input days: expected at least 1\n")
    assert json.loads(ran.answer)["status"] == "config_invalid"


@pytest.mark.parametrize("output", ["text", "json", "events"])
async def test_an_invalid_agent_is_reported_with_its_lines(output: str) -> None:
    place = Location(file="agents.d/clock.yaml", span=Span(line=3, column=5, end_line=3, end_column=8))
    warning = Diagnostic(code="RUN402", message="input 'a' is not used", location=place, severity="warning")
    error = Diagnostic(code="RUN301", message="unknown tool 'clok'", location=place, source="  - clok")

    def load(path: Path, *, overrides: Sequence[Override] = ()) -> FakeAgent:
        raise InvalidAgent((warning, error, replace(error, message="unknown tool 'x'")))

    ran = Ran()
    ran.code = await Execution(replace(ORDER, output=output), out=Output(ran.out), err=ran.err).execute(load)
    assert ran.code == 1
    assert "agents.d/clock.yaml:3:5: error[RUN301]: unknown tool 'clok'" in ran.log
    told_error = "agents.d/clock.yaml:3:5: unknown tool 'clok' (and 1 more error)"
    assert ran.log.count("unknown tool 'clok'") == 1
    if output == "text":
        assert ran.answer == ""
    else:
        document = json.loads(ran.answer)
        assert (document["status"], document["error"]) == ("config_invalid", told_error)


@pytest.mark.parametrize("output", ["text", "json", "events"])
async def test_a_mistake_of_ours_is_one_line_and_still_an_outcome(
    output: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RUNNER_DEBUG", raising=False)
    ran = await run([ZeroDivisionError("division by zero")], replace(ORDER, output=output))
    assert ran.code == 3
    assert (
        ran.log == "error: internal error: ZeroDivisionError: division by zero (set RUNNER_DEBUG=1 for the traceback)\n"
    )
    assert ran.answer == "" if output == "text" else json.loads(ran.answer)["status"] == "internal_error"
    assert capfd.readouterr().err == ""


async def test_the_traceback_of_a_mistake_of_ours_can_be_had(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUNNER_DEBUG", "1")
    await run([ZeroDivisionError("division by zero")])
    assert "Traceback" in capsys.readouterr().err


async def test_what_fails_after_the_outcome_is_told_but_does_not_change_it(
    clock_run: list[Event],
) -> None:
    ran = await run(clock_run, replace(ORDER, output="json"), closing=ZeroDivisionError("closing"))
    assert (ran.code, json.loads(ran.answer)["status"]) == (0, "completed")
    assert "internal error: ZeroDivisionError: closing" in ran.log


async def test_only_a_run_that_was_not_interrupted_is_waited_for_to_wind_down() -> None:  # field bug B62
    interrupted = RunFinished(status="interrupted", answer=None, error="interrupted", signal="SIGINT")
    for outcome, waited in ((DONE, True), (interrupted, False)):
        agent = FakeAgent([outcome])
        execution = Execution(ORDER, out=Output(io.BytesIO()), err=io.StringIO())
        await execution.execute(agent.load)
        assert agent.closed is waited


async def test_an_interrupt_after_the_outcome_makes_no_second_one(clock_run: list[Event]) -> None:
    class Interrupted(io.StringIO):
        def write(self, text: str, /) -> int:
            os.kill(os.getpid(), signal.SIGINT)
            return super().write(text)

    out = io.BytesIO()
    failed = replace(DONE, status="max_steps", error="step limit 1 reached")
    code = await Execution(replace(ORDER, quiet=True), out=Output(out), err=Interrupted()).execute(
        FakeAgent([failed]).load
    )
    assert (code, out.getvalue()) == (5, b"Hello.\n")


async def test_a_reader_that_goes_away_stops_the_run(clock_run: list[Event]) -> None:  # field bug B132
    agent = FakeAgent(clock_run)
    out = Output(Broken(BrokenPipeError(), after=2))
    with pytest.raises(ReaderGone):
        await Execution(replace(ORDER, output="events"), out=out, err=io.StringIO()).execute(agent.load)
    assert agent.told == 3


async def test_a_full_disk_is_not_mistaken_for_a_mistake_of_ours() -> None:
    agent = FakeAgent([DONE])
    out = Output(Broken(OSError(28, "No space left on device")))
    with pytest.raises(UnwritableError, match="cannot be written: No space left on device"):
        await Execution(ORDER, out=out, err=io.StringIO()).execute(agent.load)


async def test_a_watcher_that_fails_closes_the_run(clock_run: list[Event]) -> None:
    events = FakeAgent(clock_run).stream()

    def watch(event: Event) -> None:
        if isinstance(event, ModelReplied):
            raise ReaderGone

    with pytest.raises(ReaderGone):
        await present(events, [watch])
    with pytest.raises(StopAsyncIteration):
        await anext(events)


async def test_a_run_that_breaks_off_is_an_internal_error(clock_run: list[Event]) -> None:
    assert (await run(clock_run[:-1])).code == 3


async def test_live_progress_leaves_the_terminal_as_it_was(
    clock_run: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for events in (clock_run, [*clock_run[:2], ZeroDivisionError()]):
        err = Terminal()
        await Execution(ORDER, out=Output(io.BytesIO()), err=err).execute(FakeAgent(events).load)
        assert err.getvalue().count("\x1b[?25l") == err.getvalue().count("\x1b[?25h") > 0
