"""The real command, cold and warm: the same on stdout and stderr, the same exit code, the same to the model."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from runner.warm import control
from tests.cli.conversing import READY, Person
from tests.e2e.projects import project
from tests.servers import Call, Entry, OpenAIServer, Reply
from tests.warm.conftest import Warm, warm_folder

RUNNER = (sys.executable, "-m", "runner")
AGENT = """
    name: tested
    model: {name: hosted_vllm/m, api_base: "${BASE}", api_key: "${KEY:-none}", retries: 0}
    prompt: "{{ input }}"
    tools: [add, fail]
    permissions: {ask: [add]}
"""
ASKS_FOR_A_SUM = Reply(calls=[Call("add", {"a": 2, "b": 40}, id="call_1")])
# What is never the same twice.
_VARYING = re.compile(r"\d+(\.\d+)? m?s\b|\d\.\d+e?-?\d*|[0-9-]+[T ][\d:.+]+Z?|[0-9a-f-]{16,}")


@pytest.fixture(scope="module")
def shared() -> Iterator[Warm]:
    """A folder with the real warm process."""
    with warm_folder() as warm:
        started = warm.call(*RUNNER, "warm", "start", "--idle", "5m")
        assert started.returncode == 0, started.stderr
        assert re.fullmatch(r"started: process \d+, \d+ MB, /.*\n", started.stdout)
        yield warm
        assert warm.call(*RUNNER, "warm", "stop").stdout == "stopped\n"


@pytest.fixture
def warmed(shared: Warm, monkeypatch: pytest.MonkeyPatch) -> Warm:
    """The same, looked at."""
    shared.look(monkeypatch)
    return shared


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """What a command line did."""

    code: int
    out: str
    err: str
    asked: list[Any]


def both(warm: Warm, line: str, script: Sequence[Entry], folder: Path, env: Mapping[str, str]) -> list[Shown]:
    """Run a line of bash cold and warm, each in a project of its own."""
    shown = []
    for way in ("off", "on"):
        project(folder / way, AGENT)
        with OpenAIServer(script) as server:
            words = {"R": " ".join(RUNNER), "BASE": server.url, "RUNNER_WARM": way, **env}
            done = warm.call("bash", "-o", "pipefail", "-c", line, env=words, cwd=folder / way)
        texts = [_VARYING.sub("…", text.replace(str(folder / way), "")) for text in (done.stdout, done.stderr)]
        bodies = [request.body for request in server.requests]
        shown.append(Shown(code=done.returncode, out=texts[0], err=texts[1], asked=bodies))
    return shown


LINES: dict[str, tuple[str, list[Entry], int]] = {
    "a file, stdin, tools and a limit": (
        "cd agents.d; echo Grüße | $R run tested.yaml - --approve all --max-steps 1 --output events -v",
        [ASKS_FOR_A_SUM],
        5,
    ),
    "a session": (
        "$R run tested Hi --session s --approve ask; $R sessions resume s --approve",
        [ASKS_FOR_A_SUM, "It is 42."],
        0,
    ),
    "a chat": ("printf 'one\\ntwo\\n' | $R chat tested", ["Hello.", "Again."], 0),
    "no reader": ("$R run tested Hi --output events | true", ["x" * 100_000], 141),
    "a wrong option": ("$R run tested --no-such-option", [], 2),
    "help": ("COLUMNS=60 $R run --help", [], 0),
    "no such file": ("$R run nowhere.yaml Hi", [], 2),
    "closed stdout": ("$R run tested Hi >&-", [], 3),
}


@pytest.mark.parametrize(("line", "script", "code"), LINES.values(), ids=LINES)
def test_a_command_line_does_the_same_cold_and_warm(
    warmed: Warm, tmp_path: Path, line: str, script: list[Entry], code: int
) -> None:
    cold, warm = both(warmed, line, script, tmp_path, {})
    assert cold == warm
    assert warm.code == code
    assert warmed.runs() == (0 if ">&-" in line else line.count("$R"))


def test_a_person_at_a_terminal_is_asked_and_can_interrupt(warmed: Warm, tmp_path: Path) -> None:
    agent = project(tmp_path, AGENT)
    with OpenAIServer([ASKS_FOR_A_SUM, Reply("It is 42.", delay=60)]) as server:
        environ = warmed.environ({"BASE": server.url, "RUNNER_WARM": "on"})
        with Person("runner", "run", str(agent), "2 + 40?", environ=environ) as person:
            person.sees("add", "approve")
            person.types("y\n")
            server.wait_for_requests(2)
            person.types("\x03")
            person.sees("interrupted")
            assert person.leaves() == 130
    assert warmed.runs() == 1


def test_a_chat_at_a_terminal_has_its_editor(warmed: Warm, tmp_path: Path) -> None:
    agent = project(tmp_path, AGENT)
    with OpenAIServer(["Hello.", Reply("It is 42.", delay=60)]) as server:
        environ = warmed.environ({"BASE": server.url, "RUNNER_WARM": "on"})
        with Person("runner", "chat", str(agent), environ=environ) as person:
            person.sees("Ctrl-D leaves", READY)
            person.types("one\r")
            person.sees("Hello.", READY)
            person.types("two\r")
            server.wait_for_requests(2)
            person.types("\x03")
            person.sees("interrupted", READY)
            person.types("\x04")
            assert person.leaves() == 0
            assert person.cooked()
    assert warmed.runs() == 1


def test_a_signal_ends_a_run_with_its_result(warmed: Warm, tmp_path: Path) -> None:
    agent = project(tmp_path, AGENT)
    with OpenAIServer([Reply("Never.", delay=60)]) as server:
        environ = {"BASE": server.url, "RUNNER_WARM": "on"}
        process = warmed.begin(*RUNNER, "run", str(agent), "Hi", "--output", "json", "-q", env=environ)
        server.wait_for_requests(1)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (143, "error: interrupted in step 1\n")
    assert json.loads(out)["status"] == "interrupted"


def test_the_engine_of_the_embedded_model_is_not_in_the_warm_process(warmed: Warm) -> None:
    state = control.state()
    assert state is not None
    mapped = Path(f"/proc/{state.pid}/maps").read_text(encoding="utf-8")
    assert "pydantic_core" in mapped
    assert "xllamacpp" not in mapped


@pytest.mark.embedded
def test_the_embedded_model_says_the_same(warmed: Warm, tmp_path: Path) -> None:
    model = "{name: local/smollm2, max_tokens: 3}"
    agent = project(tmp_path, f"name: tested\nmodel: {model}\nprompt: '{{{{ input }}}}'\nlimits: {{max_steps: 1}}")
    cold, warm = (
        warmed.call(*RUNNER, "run", str(agent), "Hi", "--output", "events", env={"RUNNER_WARM": way})
        for way in ("off", "on")
    )
    assert "ModelReplied" in warm.stdout
    for each in (cold, warm):
        each.stdout = _VARYING.sub("…", each.stdout)
    assert (cold.returncode, cold.stdout) == (warm.returncode, warm.stdout)
    assert warmed.runs() == 1


def test_a_run_may_have_keys_that_the_warm_process_had_not(warmed: Warm, tmp_path: Path) -> None:
    agent = project(tmp_path, AGENT)
    with OpenAIServer(["Hello."]) as server:
        keys = {"KEY": "canary", "OPENAI_API_KEY": "other", "ANTHROPIC_API_KEY": "third", "HTTPS_PROXY": "http://x"}
        environ = {"BASE": server.url, "RUNNER_WARM": "on", **keys}
        assert warmed.call(*RUNNER, "run", str(agent), "Hi", "-q", env=environ).stdout == "Hello.\n"
        assert server.requests[0].headers["authorization"] == "Bearer canary"
    assert warmed.runs() == 1


def test_the_status_tells_why_a_run_started_cold(warmed: Warm) -> None:
    environ = {"RUNNER_WARM": "on", "LITELLM_LOG": "ERROR"}
    assert warmed.call(*RUNNER, "run", "--help", env=environ).returncode == 0
    told = warmed.call(*RUNNER, "warm", "status").stdout
    assert "the last run that started cold: the variable LITELLM_LOG differs\n" in told


def test_without_one_status_and_stop_say_so(warm: Warm) -> None:
    for verb in ("status", "stop"):
        done = warm.call(*RUNNER, "warm", verb)
        expected = "error: there is no warm process for this installation\n  start one: runner warm start\n"
        assert (done.returncode, done.stdout, done.stderr) == (1, "", expected)


def test_a_time_that_is_none_is_told() -> None:
    done = subprocess.run(
        [*RUNNER, "warm", "start", "--idle", "soon"], capture_output=True, text=True, check=False, timeout=30
    )
    assert done.returncode == 2
    assert "expected a number of seconds or a text like 500ms, 30s, 2m or 1h, found 'soon'" in done.stderr
