import io
from collections.abc import Sequence

import pytest

from runner.engine.events import (
    ContextReduced,
    Event,
    FormatRejected,
    FormatRepaired,
    ModelDelta,
    ModelReplied,
    Retried,
    RunFinished,
    RunStarted,
    StepStarted,
    ToolCalled,
    ToolLogged,
    ToolReturned,
)
from runner.engine.ports import Usage
from runner.report.progress import PlainSurface, Progress, SilentSurface, Tone


class Recorded(SilentSurface):
    """A surface that remembers what was shown on it, in order."""

    def __init__(self) -> None:
        self.shown: list[tuple[str, ...]] = []

    def line(self, text: str, *, note: str = "", tone: Tone = "quiet") -> None:
        self.shown.append(("line", text, note, tone))

    def wait(self, text: str) -> None:
        self.shown.append(("wait", text))

    def mention(self, text: str) -> None:
        self.shown.append(("mention", text))

    def rest(self) -> None:
        self.shown.append(("rest",))


def log_of(events: Sequence[Event], *, verbose: bool = False) -> str:
    stream = io.StringIO()
    progress = Progress(PlainSurface(stream), verbose=verbose)
    for event in events:
        progress(event)
        if isinstance(event, RunFinished):
            progress.close(event)
    return stream.getvalue()


def returned(content: str, *, call: str = "a", name: str = "f", is_error: bool = False) -> ToolReturned:
    return ToolReturned(step=1, id=call, name=name, content=content, is_error=is_error, seconds=0.01)


def test_a_run_reads_as_in_the_manual(clock_run: list[Event]) -> None:
    assert log_of(clock_run) == (
        "  1 · local/smollm2 · 0.6 s\n"
        '      current_time(place="Tokyo") → 2026-11-30 17:05 (Monday) · 2 ms\n'
        "  2 · local/smollm2 · 0.4 s\n"
        "  2 steps · 1 tool call · 412 tokens · $0 · 1.1 s\n"
    )


def test_the_answer_is_not_part_of_the_progress(every_event: list[Event]) -> None:
    assert "17:05 on Monday" not in log_of(every_event)


def test_a_tool_result_cannot_drive_the_terminal_nor_break_its_line() -> None:
    called = ToolCalled(step=1, id="a", name="f", arguments={"q": "\x1b]0;title\x07"})
    for verbose in (False, True):
        log = log_of([called, returned("\x1b[2J\nsecond\r\x9b31m")], verbose=verbose)
        assert "\x1b" not in log
        assert "\r" not in log
        assert "\x9b" not in log
    assert log_of([called, returned("one\ntwo\n")]).count("\n") == 1


def test_a_long_result_is_cut_unless_verbose() -> None:
    content = "x" * 5_000
    called = ToolCalled(step=1, id="a", name="f", arguments={"text": content})
    assert len(log_of([called, returned(content)])) < 300
    verbose = log_of([called, returned(content)], verbose=True)
    assert verbose.count(content) == 2


def test_verbose_shows_the_result_line_by_line() -> None:
    called = ToolCalled(step=1, id="a", name="f", arguments={"n": 1})
    log = log_of([called, returned("one\n  two\n\nthree")], verbose=True)
    assert log == "      f(n=1) · 10 ms →\n        one\n          two\n        \n        three\n"


def test_a_tool_error_is_said_to_be_one() -> None:
    assert "f(?) → error: ValueError: no such city · 10 ms" in log_of(
        [returned("ValueError: no such city", is_error=True)]
    )


def test_rejected_replies_are_for_the_verbose() -> None:
    rejected = FormatRejected(step=1, problem="expected a JSON object\ngot text", attempt=2)
    assert log_of([rejected]) == ""
    assert log_of([rejected], verbose=True) == (
        "      reply rejected, attempt 2:\n        expected a JSON object\n        got text\n"
    )


def test_repairs_are_for_the_verbose() -> None:
    repaired = FormatRepaired(step=1, what="the arguments of f: a trailing\x1b comma")
    assert log_of([repaired]) == ""
    assert log_of([repaired], verbose=True) == (
        "      repaired in the reply: the arguments of f: a trailing\\x1b comma\n"
    )


def retried(next_model: str, *, problem: str = "openai/x: rate limit (429)", wait: float = 1.25) -> Retried:
    return Retried(step=1, model="openai/x", problem=problem, attempt=1, wait=wait, next_model=next_model)


def test_a_call_that_is_made_again_says_why_and_when() -> None:
    assert log_of([retried("openai/x")]) == "  1 · openai/x · rate limit (429) · again in 1.2 s (attempt 2)\n"


def test_after_a_fallback_steps_have_its_name() -> None:
    replied = ModelReplied(step=1, text="", finish_reason=None, usage=Usage(), cost=None, seconds=0.5)
    started = RunStarted(agent="a", model="openai/x", parsing="native", tools=())
    log = log_of([started, StepStarted(step=1), retried("local/y"), replied, StepStarted(step=2), replied])
    assert log.splitlines() == [
        "  1 · openai/x · rate limit (429) · asking local/y",
        "  1 · local/y · 0.5 s",
        "  1 · local/y · 0.5 s",
    ]


def test_what_is_waited_for_after_a_failed_call_is_the_next_one() -> None:
    surface = Recorded()
    progress = Progress(surface)
    progress(StepStarted(step=1))
    progress(retried("local/y"))
    assert [entry[:2] for entry in surface.shown] == [
        ("wait", "  1 · "),
        ("rest",),
        ("line", "  1 · openai/x · rate limit (429) · asking local/y"),
        ("wait", "  1 · local/y"),
    ]
    assert surface.shown[2][3] == "alarm"


def test_the_words_of_a_provider_stay_on_one_safe_line() -> None:
    problem = "<html>\n\x1b[2J" + "x" * 5_000
    for verbose in (False, True):
        log = log_of([retried("openai/x", problem=problem)], verbose=verbose)
        assert log.count("\n") == 1
        assert "\x1b" not in log
    assert len(log_of([retried("openai/x", problem=problem)])) < 400


@pytest.mark.parametrize(
    ("strategy", "told"),
    [
        ("shorten_results", "old tool results shortened"),
        ("drop_oldest", "oldest messages left out"),
        ("summarize", "oldest messages summed up"),
        ("new", "new"),
    ],
)
def test_a_conversation_made_shorter_is_told_with_its_sizes(strategy: str, told: str) -> None:
    reduced = ContextReduced(step=2, strategy=strategy, tokens_before=9_000, tokens_after=4_000, messages=6)
    assert log_of([reduced]) == f"      context · {told}: 6 · ~9,000 → ~4,000 tokens\n"


@pytest.mark.parametrize(("level", "seen"), [("debug", False), ("info", False), ("warning", True), ("error", True)])
def test_what_tools_log_is_seen_when_it_is_a_warning_or_somebody_asks(level: str, *, seen: bool) -> None:
    logged = ToolLogged(step=1, id="a", name="fetch", level=level, message="page 3\n\x1bis empty")
    assert bool(log_of([logged])) is seen
    assert log_of([logged], verbose=True) == f"      fetch · {level}: page 3\\n\\x1bis empty\n"


def test_the_verbose_see_what_each_step_took() -> None:
    usage = Usage(input_tokens=1_380, output_tokens=32, cached_tokens=256, reasoning_tokens=20)
    replied = ModelReplied(step=1, text="", finish_reason=None, usage=usage, cost=0.00123, seconds=0.5)
    assert log_of([replied]) == "  1 ·  · 0.5 s\n"
    assert log_of([replied], verbose=True).splitlines() == [
        "  1 ·  · 0.5 s",
        "      1,380 tokens in (256 cached), 32 out (20 reasoning) · $0.0012",
    ]


def test_room_is_made_below_the_line_of_the_step_that_is_waited_for() -> None:
    surface = Recorded()
    progress = Progress(surface)
    for event in (StepStarted(step=1), ModelDelta(step=1, text="a")):
        progress(event)
        progress.make_room()
    assert [entry[:2] for entry in surface.shown if entry[0] != "mention"] == [
        ("wait", "  1 · "),
        ("rest",),
        ("line", "  1 · "),
        ("rest",),
    ]


def test_verbose_names_the_agent_its_mode_and_tools() -> None:
    started = RunStarted(agent="clock", model="m/x", parsing="json", tools=("a", "b"))
    assert log_of([started], verbose=True) == "  clock · m/x · parsing json · a, b\n"


@pytest.mark.parametrize("verbose", [False, True])
def test_every_event_can_be_shown(every_event: list[Event], verbose: bool) -> None:
    assert log_of(every_event, verbose=verbose)


def test_a_run_that_came_to_nothing_has_no_summary() -> None:
    assert log_of([RunFinished(status="config_invalid", answer=None, error="no key")]) == ""


def test_what_is_waited_for_is_shown_until_it_has_come(clock_run: list[Event]) -> None:
    surface = Recorded()
    progress = Progress(surface)
    progress.opening("local/smollm2")
    for event in clock_run:
        progress(event)
    assert [entry for entry in surface.shown if entry[0] in {"wait", "rest"}] == [
        ("wait", "  starting local/smollm2"),
        ("rest",),
        ("wait", "  1 · local/smollm2"),
        ("rest",),
        ("wait", '      current_time(place="Tokyo")'),
        ("rest",),
        ("wait", "  2 · local/smollm2"),
        ("rest",),
        ("rest",),
    ]


def test_parallel_calls_are_counted_while_they_run() -> None:
    surface = Recorded()
    progress = Progress(surface)
    for event in (
        ToolCalled(step=1, id="a", name="f", arguments={}),
        ToolCalled(step=1, id="b", name="g", arguments={}),
        returned("first", call="b", name="g"),
    ):
        progress(event)
    assert surface.shown == [
        ("wait", "      f()"),
        ("wait", "      2 tool calls"),
        ("line", "      g() → first", "10 ms", "quiet"),
        ("wait", "      f()"),
    ]


def test_streamed_text_passes_by_with_its_newest_words_last() -> None:
    surface = Recorded()
    progress = Progress(surface)
    progress(StepStarted(step=1))
    for piece in ["The ", "sky\nis", " \x1b[1mblue", "!" * 1_000]:
        progress(ModelDelta(step=1, text=piece))
    mentions = [entry[1] for entry in surface.shown if entry[0] == "mention"]
    assert mentions[2] == r"The sky is \x1b[1mblue"
    assert len(mentions[3]) <= 200
    progress(StepStarted(step=2))
    progress(ModelDelta(step=2, text="new"))
    assert surface.shown[-1] == ("mention", "new")
