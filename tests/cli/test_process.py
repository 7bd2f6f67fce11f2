"""What only a real process can show: signals, pipes, encodings, descriptors, and what was imported."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import pytest

ROOT = Path(__file__).parents[2]
RUNNER = (sys.executable, "-m", "runner")
DRIVER = (sys.executable, "-m", "tests.cli.driver")
Start = Callable[..., subprocess.Popen[bytes]]
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}


def environment(more: Mapping[str, str]) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **more}


def call(
    *command: str, cwd: Path = ROOT, env: Mapping[str, str] = MappingProxyType({})
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command, cwd=cwd, env=environment(env), capture_output=True, check=False, timeout=60)


def shell(line: str, *, env: Mapping[str, str] = MappingProxyType({})) -> subprocess.CompletedProcess[bytes]:
    """Run a line of bash; `$DRIVER` and `$RUNNER` are the commands, the exit code is that of the first in a pipe."""
    commands = {"DRIVER": " ".join(DRIVER), "RUNNER": " ".join(RUNNER)}
    return call("bash", "-c", f"{line}; exit ${{PIPESTATUS[0]}}", env={**commands, **env})


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts the driver, or another command, and makes sure that it ends with the test."""
    started: list[subprocess.Popen[bytes]] = []

    def begin(
        *arguments: str, command: Sequence[str] = DRIVER, env: Mapping[str, str] = MappingProxyType({})
    ) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [*command, *arguments], cwd=ROOT, env=environment(env), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def until_asked(process: subprocess.Popen[bytes]) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if line == b"asked\n":
            return
    pytest.fail("the model was never asked")


# What a run may be waiting for, and whether that hears that it is not wanted any more.
WAITS = {"endless": True, "waiting": True, "stuck": False, "unavailable": False}


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize(("wait", "hears"), WAITS.items())
def test_a_signal_ends_a_run_cleanly_with_a_partial_result(
    start: Start, number: signal.Signals, code: int, wait: str, *, hears: bool
) -> None:  # field bug B62
    process = start(wait, "json", "quiet")
    until_asked(process)
    time.sleep(0.1)  # the pause before another call begins after the failure of the first was told
    sent = time.monotonic()
    process.send_signal(number)
    out, err = process.communicate(timeout=10)
    assert time.monotonic() - sent < 5
    assert process.returncode == code
    document = json.loads(out)
    assert (document["status"], document["signal"]) == ("interrupted", number.name)
    assert err.decode().splitlines() == [*(["let go"] if hears else []), "error: interrupted in step 1"]


@pytest.mark.parametrize("wait", WAITS)
def test_the_events_of_an_interrupted_run_are_complete(start: Start, wait: str) -> None:
    process = start(wait, "events", "quiet")
    until_asked(process)
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=10)
    events = [json.loads(line) for line in out.splitlines()]
    assert (events[0]["type"], events[-1]["type"]) == ("RunStarted", "RunFinished")
    assert (events[-1]["status"], process.returncode) == ("interrupted", 130)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_while_the_model_library_is_loaded_is_no_different(
    start: Start, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    (tmp_path / "litellm.py").write_text("import os, time\nos.write(2, b'asked\\n')\ntime.sleep(60)\n")
    (tmp_path / "a.yaml").write_text("name: a\nmodel: openai/x\nprompt: hi\n")
    path = f"{tmp_path}{os.pathsep}{ROOT}"
    run = ("run", str(tmp_path / "a.yaml"), "--output", "json", "--quiet")
    process = start(*run, command=RUNNER, env={"PYTHONPATH": path, "OPENAI_API_KEY": "none"})
    until_asked(process)
    process.send_signal(number)
    out, err = process.communicate(timeout=10)
    assert (process.returncode, json.loads(out)["status"]) == (code, "interrupted")
    assert err.decode().splitlines() == ["error: interrupted before the first step"]


def test_a_second_interrupt_ends_a_process_that_does_not_hear_the_first(start: Start) -> None:
    process = start("deaf", "text")
    until_asked(process)
    process.send_signal(signal.SIGINT)
    time.sleep(0.2)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=10)
    assert (process.returncode, out) == (130, b"")
    assert b"Traceback" not in err


def test_an_interrupt_while_starting_up_ends_the_process_quietly(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    done = call(*RUNNER, "--help", env={"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"})
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


@pytest.mark.parametrize("arguments", ["validate", "list", "validate agents.d/pipe.yaml", "run agents.d/pipe.yaml"])
def test_a_pipe_among_the_files_is_not_waited_for(arguments: str, tmp_path: Path) -> None:
    (tmp_path / "agents.d").mkdir()
    os.mkfifo(tmp_path / "agents.d" / "pipe.yaml")
    done = call(*RUNNER, *arguments.split(), cwd=tmp_path)
    if "pipe" in arguments:
        assert done.returncode == 1
        assert b"agents.d/pipe.yaml: error[RUN101]: not a regular file" in done.stdout + done.stderr
    else:
        assert done.returncode == 2


def test_nothing_but_the_answer_reaches_stdout() -> None:  # field bug B131
    done = call(*DRIVER, "noisy", "json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["answer"] == "Hello."
    for source in ("print", "stdout", "bytes", "descriptor", "child", "logging", "warning", "C"):
        assert f"noise: {source}" in done.stderr.decode()


def test_what_is_printed_in_a_run_shows_no_secrets() -> None:
    done = call(*DRIVER, "leaking", "text", "quiet", env={"LEAKED_KEY": "sk-leaked-1234"})
    assert (done.returncode, done.stdout) == (0, b"Hello.\n")
    for source in ("print", "lines", "stderr", "logging"):
        assert f"{source}: ***\n" in done.stderr.decode()
    assert b"sk-leaked" not in done.stderr


@pytest.mark.parametrize("env", [ASCII, {"PYTHONIOENCODING": "ascii"}, {}])
def test_output_is_utf_8_whatever_the_locale(env: dict[str, str]) -> None:  # field bug B134
    done = call(*DRIVER, "emoji", "text", env=env)
    assert (done.returncode, done.stdout.decode("utf-8")) == (0, "✓ 🎉 a?b\n")
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "pipe",
    [
        "$DRIVER big text quiet | head -c 1",
        "$DRIVER big text quiet | true",
        "PYTHONUNBUFFERED=1 $DRIVER big json quiet | head -c 1",
    ],
)
def test_a_reader_that_stops_reading_ends_us_quietly(pipe: str) -> None:  # field bug B132
    done = shell(pipe)
    assert done.returncode == 141
    assert done.stderr == b""


def test_help_into_a_closed_pipe_is_quiet_too() -> None:
    done = shell("$RUNNER --help | true")
    assert (done.returncode in {0, 141}, done.stderr) == (True, b"")


@pytest.mark.parametrize(
    "closed",
    [
        "$DRIVER noisy text 2>&-",
        "$DRIVER noisy text <&-",
        "$DRIVER busy text 2> >(true)",
        "$DRIVER busy text 2>/dev/full",
    ],
)
def test_a_closed_stream_does_not_disturb_the_answer(closed: str) -> None:
    done = shell(closed)
    assert (done.returncode, done.stdout) == (0, b"Hello.\n")


@pytest.mark.parametrize(
    "command", ["$DRIVER noisy text", "$DRIVER noisy json", "$RUNNER --help", "$RUNNER schema agent"]
)
def test_a_closed_stdout_is_told_before_anything_happens(command: str) -> None:
    done = shell(f"{command} >&-")
    assert (done.returncode, done.stderr) == (3, b"error: the output cannot be written: standard output is closed\n")


def test_a_full_disk_is_told() -> None:
    done = shell("$DRIVER emoji json quiet >/dev/full")
    assert (done.returncode, done.stderr) == (3, b"error: the output cannot be written: No space left on device\n")


@pytest.mark.parametrize("verb", ["validate", "list", "render shop Hi", "schema agent", "--help"])
def test_a_full_disk_is_told_by_every_command(verb: str, project: Path) -> None:
    done = shell(f"cd {project}; $RUNNER {verb} >/dev/full")
    assert (done.returncode, done.stderr) == (3, b"error: the output cannot be written: No space left on device\n")


@pytest.mark.parametrize("verb", ["list", "render shop Hi"])
def test_a_reader_that_has_gone_ends_every_command_quietly(verb: str, project: Path) -> None:
    done = shell(f"cd {project}; ($RUNNER {verb}; echo code $? >&2) | true")
    assert done.stderr in (b"code 141\n", b"code 0\n")


@pytest.fixture
def held(tmp_path: Path) -> Path:
    """An agent of a project that has a policy, with a server where nobody listens."""
    (tmp_path / "runner.yaml").write_text("limits: {maximum: {max_steps: 50, timeout: 1m}}\n")
    (tmp_path / "agents.d").mkdir()
    server = "{name: hosted_vllm/x, api_base: 'http://127.0.0.1:9', api_key: none}"
    (tmp_path / "agents.d" / "a.yaml").write_text(f"name: a\nmodel: {server}\nprompt: hi\n")
    return tmp_path


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("--max-steps", "51", "--max-steps: error[RUN701]: limits.max_steps: 51 is more than the 50 that runner.yaml"),
        ("--timeout", "61s", "--timeout: error[RUN701]: limits.timeout: 61s is more than the 1m that runner.yaml"),
        ("--set", "limits.max_steps=51", "--set limits.max_steps: error[RUN701]: limits.max_steps: 51 is more than"),
        ("--set", "limits.max_step=5", "--set limits.max_step: error[RUN201]: limits: unknown key 'max_step'"),
        ("--set", "model.temperature=hot", "--set model.temperature: error[RUN203]: model.temperature: expected a"),
        ("--model", "gpt-5", "--model: error[RUN601]: model 'gpt-5' names no provider"),
    ],
)
def test_what_may_not_be_asked_for_is_refused_before_anything_happens(
    held: Path, option: str, value: str, told: str
) -> None:
    done = call(*RUNNER, "run", "a", option, value, "--output", "json", cwd=held)
    place, _, message = told.partition(": error[")
    assert done.returncode == 1
    assert done.stderr.decode().startswith(told)
    document = json.loads(done.stdout)
    assert (document["status"], document["steps"]) == ("config_invalid", 0)
    assert document["error"].startswith(f"{place}: {message.partition(': ')[2]}")


def test_render_shows_what_a_run_with_the_same_settings_would_send(held: Path) -> None:
    settings = ("--set", "instructions=Be brief.", "--set", "model.max_tokens=7")
    done = call(*RUNNER, "render", "a", *settings, "--format", "json", cwd=held)
    assert done.returncode == 0
    messages = json.loads(done.stdout)["request"]["messages"]
    assert messages[0] == {"role": "system", "content": "Be brief."}
    done = call(*RUNNER, "render", "a", "--set", "limits.max_steps=51", cwd=held)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"--set limits.max_steps: error[RUN701]")


@pytest.mark.parametrize("name", ["~nouser", "~nouser/x.gguf", "a" * 5_000 + ".gguf"])
def test_a_path_of_a_local_model_that_cannot_be_is_a_wrong_configuration(held: Path, name: str) -> None:
    done = call(*RUNNER, "run", "a", "--model", f"local/{name}", cwd=held)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(f"error: local/{name[:100]}".encode())
    assert len(done.stderr.splitlines()) == 1


def test_a_limit_of_the_command_line_holds(held: Path) -> None:
    done = call(*RUNNER, "run", "a", "--set", "limits.timeout=30s", "--timeout", "1ms", "--output", "json", cwd=held)
    assert (done.returncode, json.loads(done.stdout)["status"]) == (5, "timeout")
    assert done.stderr.decode().endswith("error: time limit of 0.001 s reached in step 1\n")


def test_threads_left_behind_do_not_hold_the_process(start: Start) -> None:  # field bug B55
    process = start("busy", "text")
    assert process.stdout is not None
    assert process.stdout.readline() == b"Hello.\n"
    answered = time.monotonic()
    process.communicate(timeout=30)
    assert process.returncode == 0
    assert time.monotonic() - answered < 5


SLOW = {"litellm", "pydantic", "rich", "asyncio", "xllamacpp", "httpx", "openai", "runner.agent"}
# What tells in words how a value does not fit is needed when one does not.
UNNEEDED = SLOW | {"jsonschema", "referencing", "runner.engine.events", "runner.language.openapi.expansion"}
NO_FILES = UNNEEDED | {"jinja2", "jsonschema_rs", "yaml", "runner.spec"}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `runner init` writes."""
    folder = tmp_path_factory.mktemp("project")
    assert call(*RUNNER, "init", cwd=folder).returncode == 0
    (folder / "plain.yaml").write_text(
        "name: plain\nmodel: openai/gpt-4o-mini\ninstructions: Be kind.\n"
        "inputs: {city: {type: string, default: Oslo}}\ntools: [calculator]\n"
    )
    return folder


def imported(arguments: Sequence[str], *, cwd: Path) -> set[str]:
    script = (
        "import sys\n"
        "from runner.cli.endings import ending\n"
        "from runner.cli.verbs import cli\n"
        f"code = ending(lambda: cli.main({list(arguments)!r}, standalone_mode=False))\n"
        "print(*sys.modules, file=sys.stderr)\n"
        "sys.exit(code)\n"
    )
    done = call(sys.executable, "-c", script, cwd=cwd)
    assert done.returncode == 0, done
    return set(done.stderr.decode().split())


@pytest.mark.parametrize(
    ("arguments", "slow"),
    [
        (["--help"], NO_FILES),
        (["--version"], NO_FILES),
        (["schema", "agent"], NO_FILES),
        (["explain", "RUN301"], NO_FILES),
        (["validate"], UNNEEDED),
        (["validate", "plain.yaml"], UNNEEDED | {"jinja2"}),
        (["list"], UNNEEDED),
        (["list", "--tools"], UNNEEDED),
        (["run", "--help"], SLOW - {"asyncio", "runner.agent"}),
        (["render", "shop", "Hi"], {"litellm", "rich", "xllamacpp", "httpx", "openai", "jsonschema"}),
        (["render", "plain.yaml", "Hi"], {"litellm", "rich", "xllamacpp", "httpx", "openai", "jsonschema", "jinja2"}),
    ],
)
def test_starting_up_imports_nothing_slow(
    arguments: list[str], slow: set[str], project: Path
) -> None:  # field bug B121
    assert imported(arguments, cwd=project) & slow == set()


def test_a_report_is_utf_8_whatever_the_locale(project: Path) -> None:  # field bug B134
    (project / "agents.d" / "bad.yaml").write_text("name: 北京\n", encoding="utf-8")
    done = call(*RUNNER, "validate", "agents.d/bad.yaml", cwd=project, env=ASCII)
    assert done.returncode == 1
    assert "name: 北京" in done.stdout.decode("utf-8")
    (project / "agents.d" / "bad.yaml").unlink()


def test_arguments_are_utf_8_whatever_the_locale(project: Path) -> None:
    for option, code in (("-i", 2), ("--set", 1)):
        done = call(*RUNNER, "run", "shop", "Hi", option, "北京=1", cwd=project, env=ASCII)
        assert (done.returncode, done.stdout) == (code, b"")
        assert "北京" in done.stderr.decode("utf-8")
