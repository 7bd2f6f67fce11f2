"""The harness of the benchmarks: what it makes of figures, and that contenders really do the work."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks import mock_server
from tests.benchmarks.__main__ import joined, main, measure
from tests.benchmarks.figures import OURS, Failure, Round, Row, at_most, at_most_over, at_most_times
from tests.benchmarks.measuring import Command, Ground, rounds_of, run
from tests.benchmarks.mock_server import Script
from tests.benchmarks.peers.environments import NAMES, Peer
from tests.benchmarks.raw import document
from tests.benchmarks.table import table, verdict
from tests.benchmarks.workload import Asked, Workload
from tests.benchmarks.workloads import WORKLOADS

WALL = Row(figure="seconds", label="wall, ms", scale=1000, goal=at_most_times(1.05, "floor"))
ROUNDS: list[Round] = [
    {OURS: {"seconds": 1.0}, "floor": {"seconds": 1.0}},
    {OURS: {"seconds": 3.0}, "floor": {"seconds": 2.0}},
    {OURS: {"seconds": 8.0}, "floor": {"seconds": 4.0}},
]


def workload(*rows: Row, **contenders: Command) -> Workload:
    return Workload(name="some", what="some work", rows=rows, contenders=contenders)


def saying(code: str) -> Command:
    return lambda _: [sys.executable, "-c", code]


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(server="http://127.0.0.1:9", folder=tmp_path)


def test_a_figure_is_the_median_over_the_rounds_with_least_and_most() -> None:
    ours = WALL.summaries(ROUNDS)[OURS]
    assert (ours.median, ours.least, ours.most, ours.ratio) == (3000, 1000, 8000, None)


def test_a_ratio_is_the_median_of_the_ratios_of_each_round() -> None:
    rounds: list[Round] = [
        {OURS: {"seconds": 1.0}, "floor": {"seconds": 1.0}},
        {OURS: {"seconds": 20.0}, "floor": {"seconds": 10.0}},
        {OURS: {"seconds": 30.0}, "floor": {"seconds": 3.0}},
    ]
    assert WALL.summaries(rounds)["floor"].ratio == 2.0  # the medians, 20 and 3, would say 6.67


def test_a_round_in_which_one_of_the_two_failed_has_no_ratio() -> None:
    failed: Round = {OURS: Failure(reason="out of memory"), "floor": {"seconds": 100.0}}
    summaries = WALL.summaries([*ROUNDS, failed])
    assert summaries["floor"].ratio == 1.5
    assert summaries["floor"].most == 100_000


@pytest.mark.parametrize(
    ("goal", "reached"),
    [
        (at_most(3.0, "s"), True),
        (at_most(2.9, "s"), False),
        (at_most_times(1.5, "floor"), True),
        (at_most_times(1.4, "floor"), False),
        (at_most_over(1.0, "s", "floor"), True),
        (at_most_over(0.9, "s", "floor"), False),
        (at_most_times(9, "somebody else"), None),
        (None, None),
    ],
)
def test_a_goal_is_told_by_the_medians(goal: Any, reached: bool | None) -> None:
    assert Row(figure="seconds", label="wall, s", goal=goal).reached(ROUNDS) is reached


def test_the_table_tells_ours_the_others_the_goal_and_who_failed() -> None:
    files = Row(figure="seconds", label="files/s", per=1000)
    rounds: list[Round] = [
        {**ROUNDS[0], "peer": Failure(reason="RuntimeError: no")},
        {**ROUNDS[1], "peer": {"seconds": 6.0}},
    ]
    assert table(workload(WALL, files), rounds) == (
        "some: some work (2 rounds)\n"
        "  wall, ms                      runner 2000 (1000-3000)                 "
        "floor 1500 (1000-2000) 1.25x            peer 6000 0.50x\n"
        "                                goal: at most 1.05x floor: MISSED\n"
        "  files/s                       runner 667 (333-1000)                   "
        "floor 750 (500-1000) 0.83x              peer 167 2.00x\n"
        "  peer failed in 1 of 2 rounds: RuntimeError: no\n"
    )


def test_the_verdict_names_the_goals_that_were_not_reached() -> None:
    unmeasured = Row(figure="peak_mb", label="peak, MB", goal=at_most(9, "MB"))
    fine = Row(figure="seconds", label="wall, s", goal=at_most(3, "s"))
    assert verdict([(workload(WALL, unmeasured, fine), ROUNDS)]) == (
        "1 of 3 goals reached\n  some, wall, ms: missed\n  some, peak, MB: not measured\n"
    )


def test_the_raw_figures_and_what_was_made_of_them_are_json() -> None:
    rounds = [{**ROUNDS[1], "peer": Failure(reason="no")}]
    whole = json.loads(json.dumps(document([(workload(WALL), rounds)], {"cpus": 2})))
    (some,) = whole["workloads"]
    assert whole["machine"] == {"cpus": 2}
    assert some["rounds"] == [{OURS: {"seconds": 3.0}, "floor": {"seconds": 2.0}, "peer": {"failure": "no"}}]
    assert some["rows"][0]["contenders"]["floor"] == {"median": 2000, "least": 2000, "most": 2000, "ratio": 1.5}
    assert some["rows"][0]["reached"] is False


def test_contenders_take_turns_in_being_the_first(ground: Ground) -> None:
    def named(name: str) -> Command:
        return saying(f"open('order', 'a').write('{name}')")

    rounds_of({name: named(name) for name in "abc"}, ground, rounds=3, warm_ups=1)
    assert (ground.folder / "order").read_text(encoding="utf-8") == "cababcbcacab"


def test_one_that_fails_says_why_and_stops_nobody(ground: Ground) -> None:
    contenders = {"bad": saying("raise SystemExit('no key')"), "good": saying("print('{\"seconds\": 2}')")}
    (measured,) = rounds_of(contenders, ground, rounds=1)
    assert measured["bad"] == Failure(reason="no key")
    assert isinstance(measured["good"], dict)
    assert measured["good"]["seconds"] == 2


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("print('half done'); raise SystemExit(1)", "half done"),
        ("raise SystemExit(9)", "exit code 9"),
        ("import sys; print('no limits', file=sys.stderr); sys.exit(3)", "left out: no limits"),
        ("import time; time.sleep(60)", "not done after 0.3 s"),
        ("print('{\"seconds\":')", 'its last line is no JSON object: {"seconds":'),
    ],
)
def test_why_a_process_gave_no_figures_is_one_line(ground: Ground, code: str, reason: str) -> None:
    assert run([sys.executable, "-c", code], ground.folder, patience=0.3) == Failure(reason=reason)


def test_a_command_that_is_not_there_is_a_failure_too(ground: Ground) -> None:
    failed = run([str(ground.folder / "nothing")], ground.folder)
    assert isinstance(failed, Failure)
    assert "nothing" in failed.reason


def test_the_end_of_a_process_is_counted_from_the_moment_it_names(ground: Ground) -> None:
    code = "import time; print('{\"began\": %r}' % time.monotonic()); time.sleep(0.2)"
    figures = run([sys.executable, "-c", code], ground.folder)
    assert isinstance(figures, dict)
    assert 0.2 <= figures["ended"] < figures["process"]


@pytest.mark.parametrize(
    "script", [Script(), Script(steps=50, latency=0.1), Script(tool="wait", steps=1, parallel=8), Script(chunks=9)]
)
def test_the_server_reads_from_a_path_what_was_written_there(script: Script) -> None:
    assert mock_server.script_of(f"/{script.path}/v1/chat/completions") == script


@pytest.mark.parametrize(
    ("body", "parallel", "step"),
    [
        (b'"content": "Look it up."', 1, 0),
        (b'"content": "Entry 0: a"', 1, 1),
        (b'"content": "Entry 41: a", "Entry 42: b"', 1, 43),
        (b'"content": "Entry 7: a"', 8, 1),
        (b'"content": "Entry 7: a", "tools": "Entry of a list"', 8, 1),
    ],
)
def test_the_server_tells_a_step_by_the_last_result(body: bytes, parallel: int, step: int) -> None:
    assert mock_server.step_of(body, parallel) == step


def test_who_offers_a_tool_for_the_answer_gets_it_by_that() -> None:
    (response,) = mock_server.reply(Script(), b'{"tools": [{"function": {"name": "final_answer"}}]}')
    (call,) = json.loads(bytes(response).partition(b"\r\n\r\n")[2])["choices"][0]["message"]["tool_calls"]
    assert call["function"] == {"name": "final_answer", "arguments": json.dumps({"answer": "It is done."})}


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("loop-50", Asked(script=Script(steps=120), settings={"repeats": 2})),
        ("parallel-tools-async", Asked(script=Script(steps=2, parallel=3, tool="lookup"), settings={"at_once": 5})),
        ("streaming-terminal", Asked(script=Script(chunks=20), settings={"terminal": True})),
    ],
)
def test_a_contender_does_the_work_against_the_server(name: str, asked: Asked) -> None:
    at_work = workload(bare=asked.by("aiohttp_loop.py", name))
    with mock_server.running() as server:
        (measured,) = measure(at_work, server, rounds=1)
    figures = measured["bare"]
    assert isinstance(figures, dict), figures
    assert {"seconds", "cpu", "peak_mb", "grew_mb"} <= figures.keys()
    assert ("last" in figures) == (asked.script.steps >= 100)


@pytest.mark.parametrize("name", ["cold-run", "loop-50"])
@pytest.mark.parametrize(
    ("returned", "complaint"),
    [
        ("'I do not know.'", "the answer was 'I do not know.', not 'It is done.'"),
        ("task.answer", "the tool was called 0 times, not 1"),
    ],
)
def test_a_contender_that_does_not_do_the_work_has_failed(
    ground: Ground, name: str, returned: str, complaint: str
) -> None:
    script = ground.folder / "lazy.py"
    script.write_text(
        "from contextlib import asynccontextmanager\n"
        "from tests.benchmarks.contenders.task import take_part\n"
        "@asynccontextmanager\n"
        "async def agent(task):\n"
        "    async def run():\n"
        f"        return {returned}\n"
        "    yield run\n"
        "take_part(agent)\n",
        encoding="utf-8",
    )
    failed = run(Asked(script=Script(steps=1)).by(script, name)(ground), ground.folder)
    assert failed == Failure(reason=f"RuntimeError: {complaint}")


def test_peers_join_what_agents_can_do_and_nothing_else() -> None:
    peer = Peer(name="other", python=Path("/env/bin/python"), script=Path("/env/other.py"), versions={})
    joining = {each.name for each in WORKLOADS if "other" in joined(each, [peer]).contenders}
    assert {"cold-run", "loop-50", "blocked-tool"} <= joining
    assert not joining & {"cold-help", "checkpoint", "validate-1000", "soak"}


def test_workloads_have_names_of_their_own_and_ours_comes_first() -> None:
    names = [each.name for each in WORKLOADS]
    assert len(set(names)) == len(names)
    assert {next(iter(each.contenders)) for each in WORKLOADS} == {OURS}
    assert OURS not in NAMES


def test_the_command_line_measures_prints_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "figures.json"
    assert main(["cold-help", "--rounds", "1", "--json", str(file)]) == 0
    shown = capsys.readouterr().out
    assert "cold-help: runner --help (1 round)\n  wall, s " in shown
    assert "goals reached" in shown
    written = json.loads(file.read_text(encoding="utf-8"))
    assert written["machine"]["litellm"]
    assert [each["name"] for each in written["workloads"]] == ["cold-help"]


def test_the_command_line_says_what_there_is_instead(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["cold-hlep"])
    assert "there is no workload 'cold-hlep'; there are cold-run, warm-run" in capsys.readouterr().err
