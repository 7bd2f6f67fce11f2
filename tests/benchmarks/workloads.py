"""The list of what is measured, with the goals that ours has."""

from tests.benchmarks.contenders.tools import SLOW_SECONDS
from tests.benchmarks.figures import OURS, Row, at_most, at_most_over, at_most_times
from tests.benchmarks.mock_server import Script
from tests.benchmarks.projects import write_agent
from tests.benchmarks.workload import (
    PYTHON,
    RUNNER,
    SCRIPTS,
    Asked,
    Workload,
    agents_at_work,
    alone,
    cold,
    command_line,
)

_COLD_RUN = Asked()
_BLOCKED = Asked(script=Script(steps=1, tool="hang"), settings={"limit": 1.0})
_FIFTY = Asked(script=Script(steps=50), settings={"repeats": 5})

_OVER_LITELLM = at_most_over(15, "MB", "litellm")
_COLD = (
    Row(figure="seconds", label="wall, s", goal=at_most(0.3, "s")),
    Row(figure="cpu", label="processor, s"),
)
_SLOW_TOOL = Row(figure="seconds", label="wall, s", goal=at_most(1.1 * SLOW_SECONDS, "s"))
_STREAMED = (
    Row(figure="seconds", label="wall, ms/reply", scale=1000),
    Row(figure="cpu", label="processor, ms/reply", scale=1000),
)
_VALIDATED = (
    Row(figure="seconds", label="wall, s"),
    Row(figure="cpu", label="processor, s"),
    Row(figure="peak_mb", label="peak memory, MB"),
)

_COLD_STARTS = (
    agents_at_work(
        "cold-run",
        "a whole process: imports, one call, the answer, exit",
        _COLD_RUN,
        Row(figure="process", label="wall, s", goal=at_most_times(0.65, "litellm")),
        Row(figure="process_cpu", label="processor, s", goal=at_most_over(0.3, "s", "litellm-recipe")),
        contenders={
            OURS: lambda ground: [RUNNER, "run", str(ground.folder / "agents.d" / "bench.yaml"), "Look it up."],
            "litellm": _COLD_RUN.by("litellm_loop.py", "cold-run"),
            "litellm-recipe": _COLD_RUN.by("litellm_recipe.py", "cold-run"),
            "aiohttp": _COLD_RUN.by("aiohttp_loop.py", "cold-run"),
        },
        prepare=lambda ground: write_agent(ground.folder, url=_COLD_RUN.url(ground)),
        warm_ups=1,
        rounds=5,
    ),
    Workload(
        name="warm-run",
        what="the same through runner warm",
        contenders={
            OURS: lambda ground: [PYTHON, str(SCRIPTS / "warm.py"), str(ground.folder / "agents.d" / "bench.yaml"), "9"]
        },
        rows=(Row(figure="seconds", label="wall, s", goal=at_most(0.2, "s")),),
        prepare=lambda ground: write_agent(ground.folder, url=_COLD_RUN.url(ground)),
        rounds=1,
    ),
    cold("cold-help", "runner --help", *_COLD, arguments="--help"),
    cold("cold-validate", "runner validate of one file", *_COLD, arguments="validate"),
    cold("cold-list", "runner list of one agent", *_COLD, arguments="list"),
)

_LOOPS = (
    agents_at_work(
        "loop-50",
        "50 steps of one quick tool call each",
        _FIFTY,
        Row(figure="seconds", label="wall, ms/step", scale=1000 / 50, goal=at_most_times(1.05, "litellm")),
        Row(figure="cpu", label="processor, ms/step", scale=1000 / 50),
        Row(figure="peak_mb", label="peak memory, MB", goal=_OVER_LITELLM),
        rounds=5,
    ),
    agents_at_work(
        "growth",
        "400 such steps, the first and the last 50 of them",
        Asked(script=Script(steps=400)),
        Row(figure="first", label="first, wall, ms/step"),
        Row(figure="last", label="last, wall, ms/step", goal=at_most_times(1.1, "litellm")),
        Row(figure="first_cpu", label="first, processor, ms/step"),
        Row(figure="last_cpu", label="last, processor, ms/step"),
        Row(figure="peak_mb", label="peak memory, MB", goal=_OVER_LITELLM),
    ),
    agents_at_work(
        "parallel-tools-async",
        "8 calls of 0.5 s in one reply, async",
        Asked(script=Script(tool="wait", steps=1, parallel=8), settings={"repeats": 3}),
        _SLOW_TOOL,
    ),
    agents_at_work(
        "parallel-tools-blocking",
        "8 calls of 0.5 s in one reply, each blocking its thread",
        Asked(script=Script(tool="block", steps=1, parallel=8), settings={"repeats": 3}),
        _SLOW_TOOL,
    ),
    agents_at_work(
        "concurrent-200",
        "200 runs of three steps at once, 100 ms a reply",
        Asked(script=Script(steps=2, latency=0.1), settings={"at_once": 200}),
        Row(figure="seconds", label="wall, s", goal=at_most_times(1.1, "litellm")),
        Row(figure="cpu", label="processor, s", goal=at_most_times(1.1, "litellm")),
        Row(figure="grew_mb", label="memory, kB/run", scale=1000 / 200, goal=at_most(100, "kB")),
    ),
    agents_at_work(
        "streaming-terminal",
        "a reply of 1,000 chunks, written to a terminal",
        Asked(script=Script(chunks=1000), settings={"terminal": True, "repeats": 5}),
        *_STREAMED,
        ours="runner_terminal.py",
    ),
    agents_at_work(
        "streaming-nothing",
        "the same reply, nobody watches",
        Asked(script=Script(chunks=1000), settings={"repeats": 5}),
        *_STREAMED,
    ),
    agents_at_work(
        "blocked-tool",
        "a tool that blocks for 30 s in a run that may take 1 s",
        _BLOCKED,
        Row(figure="control", label="control back, s", goal=at_most(1.2, "s")),
        Row(figure="ended", label="process ended, s", goal=at_most(1.2, "s")),
        contenders={OURS: _BLOCKED.by("runner_agent.py", "blocked-tool")},
    ),
)

_OURS_ALONE = (
    Workload(
        name="checkpoint",
        what="50 steps, kept as a session or not",
        contenders={
            OURS: _FIFTY.by("runner_agent.py", "checkpoint"),
            "no-session": _FIFTY.by("runner_agent.py", "loop-50"),
        },
        rows=(
            Row(figure="seconds", label="wall, ms/step", scale=1000 / 50),
            Row(figure="cpu", label="processor, ms/step", scale=1000 / 50),
        ),
    ),
    Workload(
        name="events-no-listener",
        what="a step of the engine alone, its events read by nobody or by somebody",
        contenders={OURS: alone("engine.py", "unheard"), "heard": alone("engine.py", "heard")},
        rows=(Row(figure="step", label="processor, µs/step", scale=1e6, goal=at_most_times(1.05, "heard")),),
    ),
    Workload(
        name="tool-call",
        what="a call of a tool through the engine alone",
        contenders={OURS: alone("engine.py", "tool-call")},
        rows=(
            Row(figure="plain", label="a function, µs", scale=1e6),
            Row(figure="coroutine", label="a coroutine, µs", scale=1e6),
        ),
    ),
    command_line(
        "validate-1000",
        "runner validate of 1,000 agents of 40 lines",
        Row(figure="seconds", label="files/s", per=1_000),
        *_VALIDATED,
        arguments="validate",
        project="thousand",
    ),
)

_UNUSUAL = (
    command_line(
        "validate-long",
        "runner validate of 200 agents of 165 lines",
        *_VALIDATED,
        arguments="validate",
        project="long",
        usual=False,
    ),
    command_line(
        "validate-large",
        "runner validate of a file of 10 MB",
        *_VALIDATED,
        arguments="validate",
        project="large",
        usual=False,
    ),
    Workload(
        name="sessions",
        what="what is written to a session's database, by itself",
        contenders={OURS: alone("sessions.py", "sessions")},
        rows=(
            Row(figure="note", label="a note, ms", scale=1000),
            Row(figure="note_p95", label="a note, 95 %, ms", scale=1000),
            Row(figure="durable", label="a note put on the disk, ms", scale=1000),
            Row(figure="opening", label="opening 400 steps, ms", scale=1000),
            Row(figure="verifying", label="verifying them, ms", scale=1000),
            Row(figure="crowd", label="200 sessions of 4 writers, s"),
            Row(figure="not_whole", label="of them not whole", goal=at_most(0, "sessions")),
        ),
        usual=False,
    ),
    Workload(
        name="soak",
        what="2,000 runs of three steps, ten at a time",
        contenders={
            OURS: Asked(script=Script(steps=2), settings={"at_once": 10, "repeats": 200}).by("soak.py", "soak")
        },
        rows=(
            Row(figure="early_mb", label="memory after a tenth, MB"),
            Row(figure="late_mb", label="memory at the end, MB"),
            Row(figure="tasks", label="tasks left"),
            Row(figure="seconds", label="wall, s"),
        ),
        rounds=1,
        usual=False,
    ),
)

WORKLOADS = (*_COLD_STARTS, *_LOOPS, *_OURS_ALONE, *_UNUSUAL)
