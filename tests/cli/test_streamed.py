"""The answer on a terminal while it is being written, alone and between lines of progress."""

import io
import json
import os
import pty
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.cli.orders import Order
from runner.cli.running import Execution
from runner.cli.streamed import StreamedAnswer, readable
from runner.cli.streams import Output
from runner.engine.events import (
    Event,
    FormatRejected,
    ModelDelta,
    ModelReplied,
    RunFinished,
    RunStarted,
    StepStarted,
    ToolCalled,
    ToolReturned,
)
from runner.engine.ports import Usage
from tests.cli.fakes import FakeAgent, TerminalBytes
from tests.cli.screen import SharedTerminal, seen

ROOT = Path(__file__).parents[2]
ORDER = Order(file=Path("agents.d/clock.yaml"))


def delta(answer: str) -> ModelDelta:
    return ModelDelta(step=1, text=answer, answer=answer)


def replied(step: int = 1) -> ModelReplied:
    return ModelReplied(step=step, text="", finish_reason="stop", usage=Usage(), cost=0.0, seconds=0.4)


def finished(answer: str | None, *, error: str | None = None) -> RunFinished:
    return RunFinished(status="model_error" if error else "completed", answer=answer, error=error)


CALLED = ToolCalled(step=1, id="a", name="f", arguments={})
RETURNED = ToolReturned(step=1, id="a", name="f", content="1", is_error=False, seconds=0.01)
REJECTED = FormatRejected(step=1, problem="the reply was cut off", attempt=1)


def writes(*events: Event) -> list[str]:
    written: list[str] = []
    answer = StreamedAnswer(written.append)
    for event in events:
        answer(event)
    return written


def test_each_certain_piece_is_written_as_it_comes() -> None:
    assert writes(delta("It is"), delta(""), delta(" 17:05"), replied(), finished("It is 17:05.")) == [
        "It is",
        " 17:05",
        ".\n",
    ]


@given(st.lists(st.text(alphabet="ab \n\r\t\x1b\x85北\ud83d"), max_size=8), st.text(alphabet="c \n", max_size=3))
def test_however_it_is_cut_the_whole_answer_is_shown_once(pieces: list[str], unsure: str) -> None:
    answer = "".join(pieces) + unsure
    shown = "".join(writes(*map(delta, pieces), replied(), finished(answer)))
    whole = readable(answer)
    assert shown == (whole if whole.endswith("\n") else f"{whole}\n")
    assert "\x1b" not in shown


@pytest.mark.parametrize("ended", [CALLED, REJECTED, StepStarted(step=2)])
def test_what_turns_out_to_be_no_answer_gets_a_line_end_and_the_answer_is_whole(ended: Event) -> None:
    events: list[Event] = [delta("It is"), replied(), ended, delta("It"), replied(), finished("It is 5.")]
    assert writes(*events) == ["It is", "\n", "It", " is 5.\n"]


def test_an_answer_other_than_what_was_shown_is_written_whole_on_its_own_line() -> None:
    assert writes(delta("the key is ***"), replied(), finished("the key is abc")) == [
        "the key is ***",
        "\n",
        "the key is abc\n",
    ]


def test_an_answer_without_the_white_space_that_was_shown_is_not_written_again() -> None:
    assert writes(delta("\n Hi"), delta(" \n"), replied(), finished("Hi")) == ["\n Hi", "\n"]


def test_a_run_that_breaks_off_leaves_the_cursor_on_a_new_line() -> None:
    assert writes(delta("It is"), finished(None, error="interrupted")) == ["It is", "\n"]
    assert writes(replied(), finished(None, error="interrupted")) == []


def test_a_line_end_cut_in_two_is_one_line_end() -> None:
    assert "".join(writes(delta("a\r"), delta("\nb"), finished("a\r\nb"))) == "a\nb\n"


async def shown(events: Sequence[Event | Exception], order: Order = ORDER) -> list[str]:
    terminal = SharedTerminal()
    execution = Execution(order, out=Output(terminal.out), err=terminal.err)
    await execution.execute(FakeAgent(events).load)
    return terminal.lines


@pytest.fixture(autouse=True)
def size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("NO_COLOR", raising=False)


STARTED = RunStarted(agent="clock", model="m/x", parsing="native", tools=("f",))
SUMMARY = "  2 steps · 1 tool call · 0 tokens · $0 · 0 ms"


@pytest.mark.parametrize("term", ["xterm", "dumb"])
async def test_answer_and_progress_share_a_terminal_line_by_line(monkeypatch: pytest.MonkeyPatch, term: str) -> None:
    monkeypatch.setenv("TERM", term)
    lines = await shown(
        [
            STARTED,
            StepStarted(step=1),
            replace(delta("Let me "), text="Let me "),
            delta("look."),
            replied(),
            CALLED,
            RETURNED,
            StepStarted(step=2),
            delta("It is"),
            delta(" one.\nReally"),
            replied(2),
            replace(finished("It is one.\nReally."), steps=2, tool_calls=1, cost=0.0),
        ]
    )
    called = "      f() → 1" + (" · 10 ms" if term == "dumb" else " " * 60 + "  10 ms")
    assert lines == ["  1 · m/x", "Let me look.", called, "  2 · m/x", "It is one.", "Really.", SUMMARY, ""]


async def test_a_reply_that_was_shown_and_rejected_is_said_to_be_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    rejected: list[Event] = [STARTED, StepStarted(step=1), delta("It is half"), replied(), REJECTED]
    lines = await shown([*rejected, StepStarted(step=2), delta("It is"), replied(2), finished("It is whole.")])
    assert lines == [
        "  1 · m/x",
        "It is half",
        "      reply rejected: the reply was cut off",
        "  2 · m/x",
        "It is whole.",
        "",
    ]


@pytest.mark.parametrize("ending", [finished(None, error="it broke"), ZeroDivisionError("it broke")])
async def test_an_error_in_the_middle_of_the_answer_stands_on_a_line_of_its_own(
    monkeypatch: pytest.MonkeyPatch, ending: Event | Exception
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    lines = await shown([STARTED, StepStarted(step=1), delta("It is"), ending])
    assert lines[:2] == ["  1 · m/x", "It is"]
    assert lines[2].startswith("error: ")
    assert "it broke" in lines[2]


async def test_documents_are_not_garbled_by_progress_either(
    monkeypatch: pytest.MonkeyPatch, clock_run: list[Event]
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    lines = await shown(clock_run, replace(ORDER, output="events"))
    told = [json.loads(line)["type"] for line in lines if line.startswith("{")]
    assert told == [type(event).__name__ for event in clock_run]

    lines = await shown(clock_run, replace(ORDER, output="json"))
    document = "\n".join(lines[lines.index("{") : lines.index("}") + 1])
    assert json.loads(document)["status"] == "completed"


async def test_quiet_shows_the_answer_as_it_comes_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    events: list[Event] = [STARTED, StepStarted(step=1), delta("It is"), replied(), finished("It is one.")]
    assert await shown(events, replace(ORDER, quiet=True)) == ["It is one.", ""]


async def test_progress_in_a_file_keeps_its_durations_while_the_answer_streams() -> None:
    out, err = TerminalBytes(), io.StringIO()
    events: list[Event] = [STARTED, StepStarted(step=1), delta("It is"), replied(), finished("It is one.")]
    await Execution(ORDER, out=Output(out), err=err).execute(FakeAgent(events).load)
    assert (out.getvalue(), err.getvalue()) == (b"It is one.\n", "  1 · m/x · 0.4 s\n")


async def test_into_a_pipe_nothing_streams() -> None:
    out = io.BytesIO()
    events: list[Event] = [STARTED, StepStarted(step=1), delta("Let me"), replied(), CALLED, RETURNED]
    agent = FakeAgent([*events, finished("\x1b[1mA\r\n")])
    await Execution(ORDER, out=Output(out), err=io.StringIO()).execute(agent.load)
    assert out.getvalue() == b"\x1b[1mA\r\n"


def test_on_a_real_terminal_the_answer_is_there_before_the_model_has_ended() -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "tests.cli.driver", "halting", "text"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "80"},
        stdin=subprocess.PIPE,
        stdout=theirs,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        written = b""
        while b"It is" not in written:
            written += os.read(ours, 4096)
        assert process.poll() is None
        assert process.stdin is not None
        process.stdin.close()  # what the model waits for in the middle of its answer
        while piece := _read(ours):
            written += piece
    os.close(ours)
    assert process.returncode == 0
    first, answer, summary, *rest = seen(written.decode())
    assert (first, answer, rest) == ("  1 · scripted/model", "It is five.", [""])
    assert summary.startswith("  1 step · ")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # Linux says so when nobody writes to it any more
        return b""
