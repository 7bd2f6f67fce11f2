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
    """Starts the driver and, when the test ends, makes sure it has ended too."""
    started: list[subprocess.Popen[bytes]] = []

    def begin(*arguments: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [*DRIVER, *arguments], cwd=ROOT, env=environment({}), stdout=subprocess.PIPE, stderr=subprocess.PIPE
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


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_run_cleanly_with_a_partial_result(
    start: Start, number: signal.Signals, code: int
) -> None:  # field bug B62
    process = start("endless", "json")
    until_asked(process)
    process.send_signal(number)
    out, err = process.communicate(timeout=10)
    assert process.returncode == code
    document = json.loads(out)
    assert (document["status"], document["signal"]) == ("interrupted", number.name)
    assert err.decode().splitlines() == ["let go", "error: interrupted in step 1"]


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
    "closed", ["$DRIVER noisy text 2>&-", "$DRIVER noisy text <&-", "$DRIVER busy text 2> >(true)"]
)
def test_a_closed_stream_does_not_disturb_the_answer(closed: str) -> None:
    done = shell(closed)
    assert (done.returncode, done.stdout) == (0, b"Hello.\n")


def test_a_closed_stdout_does_not_disturb_the_run() -> None:
    done = shell("$DRIVER noisy text >&-")
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr


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


def test_threads_left_behind_do_not_hold_the_process(start: Start) -> None:  # field bug B55
    process = start("busy", "text")
    assert process.stdout is not None
    assert process.stdout.readline() == b"Hello.\n"
    answered = time.monotonic()
    process.communicate(timeout=30)
    assert process.returncode == 0
    assert time.monotonic() - answered < 5


SLOW = {"litellm", "pydantic", "rich", "asyncio", "xllamacpp", "httpx", "openai", "runner.agent"}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `runner init` writes."""
    folder = tmp_path_factory.mktemp("project")
    assert call(*RUNNER, "init", cwd=folder).returncode == 0
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
        (["--help"], SLOW | {"jinja2", "jsonschema", "yaml"}),
        (["--version"], SLOW | {"jinja2", "jsonschema", "yaml"}),
        (["schema", "agent"], SLOW | {"jinja2", "jsonschema", "yaml"}),
        (["validate"], SLOW),
        (["list", "--tools"], SLOW),
        (["render", "shop", "Hi"], {"litellm", "rich", "xllamacpp", "httpx", "openai"}),
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
    done = call(*RUNNER, "run", "shop", "Hi", "-i", "北京=1", cwd=project, env=ASCII)
    assert (done.returncode, done.stdout) == (2, b"")
    assert "北京" in done.stderr.decode("utf-8")
