"""A command that is handed over: the same as one that is not, in all it has of its process and in how it ends."""

import json
import os
import signal
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from runner.warm import control, place
from tests.warm.conftest import NOTHING, SMALL, WITHOUT_NEW_PRIVILEGES, Warm, warm_folder

COLD = {"RUNNER_WARM": "off"}
RUN = " ".join(SMALL)
MANY_PROCESSORS = pytest.mark.skipif(len(os.sched_getaffinity(0)) == 1, reason="there is only one")


@pytest.fixture(scope="module")
def shared() -> Iterator[Warm]:
    with warm_folder() as made:
        made.start()
        yield made


@pytest.fixture
def small(shared: Warm, monkeypatch: pytest.MonkeyPatch) -> Warm:
    """With a warm process that loads nothing."""
    shared.look(monkeypatch)
    return shared


def portrait(warm: Warm, line: str, *, env: Mapping[str, str] = NOTHING) -> dict[str, Any]:
    """What a run has of its process, when a line of bash starts it; `$RUN` is the command."""
    done = warm.call("bash", "-c", line, env={"RUN": RUN, **env})
    assert done.returncode == 0, done.stderr
    shown: dict[str, Any] = json.loads(done.stdout)
    shown["environ"].pop("RUNNER_WARM", None)
    for number in ("0", "1", "2"):  # the pipes of this test
        shown["descriptors"][number].pop(0)
    return shown


@pytest.mark.parametrize(
    "line",
    [
        "$RUN portrait",
        "cd /usr; umask 027; export TZ=Asia/Tokyo KEY=$'\\xff'; $RUN portrait",
        "echo Grüße | $RUN portrait",
        "trap '' INT HUP TERM USR1; $RUN portrait",
        "exec 3< /etc/passwd 5< /dev/zero 7> /dev/null; $RUN portrait",
        "$RUN portrait 2> /dev/null < /etc/passwd",
    ],
)
def test_a_run_has_the_same_of_its_process_as_a_cold_one(small: Warm, line: str) -> None:
    warm, cold = (portrait(small, line, env=env) for env in (NOTHING, COLD))
    assert small.runs() == 1
    assert warm == cold


def test_a_file_that_a_shell_gives_as_a_descriptor_can_be_read(small: Warm) -> None:
    done = small.call("bash", "-c", f"{RUN} read <(echo Hello)")
    assert (done.stdout, done.stderr, small.runs()) == ("Hello\n", "", 1)


@pytest.mark.parametrize("code", [0, 1, 7, 130, 255])
def test_the_exit_code_is_that_of_the_run(small: Warm, code: int) -> None:
    assert small.call(*SMALL, "exit", str(code)).returncode == code
    assert small.runs() == 1


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGABRT])
def test_a_run_that_a_signal_has_ended_looks_so(small: Warm, number: signal.Signals) -> None:
    assert small.call(*SMALL, "die", str(number.value)).returncode == -number
    done = small.call("bash", "-c", f"{RUN} die {number}; echo $?")
    assert (done.stdout, small.runs()) == (f"{128 + number}\n", 2)


def test_many_runs_at_once_do_not_mix(small: Warm) -> None:
    started = [small.begin(*SMALL, "say", f"run {number}") for number in range(6)]
    said = [process.communicate(timeout=30)[0].rsplit(maxsplit=1)[0] for process in started]
    assert said == [f"run {number}" for number in range(6)]
    assert small.runs() == 6


def test_no_two_runs_throw_the_same_dice(small: Warm) -> None:
    first, second = (small.call(*SMALL, "dice").stdout.split() for _ in range(2))
    assert not {*first} & {*second}
    assert small.runs() == 2


# --- where a cold start is due


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("PYTHONDONTWRITEBYTECODE= $RUN say hi", "another Python, options or locale"),
        ("PYTHONHASHSEED=1 $RUN say hi", "PYTHONHASHSEED differs"),
        ("LC_TIME=POSIX $RUN say hi", "LC_TIME differs"),
        ("WATCHED=/etc/passwd $RUN say hi", "WATCHED differs"),
        ("ulimit -n 300; $RUN say hi", "other resource limits"),
        ("nice -n 3 $RUN say hi", "another priority"),
        ("chrt -b 0 $RUN say hi", "another priority"),
        ("echo 5 > /proc/$$/oom_score_adj; $RUN say hi", "another priority"),
        pytest.param("taskset 1 $RUN say hi", "other processors", marks=MANY_PROCESSORS),
        ("${RUN/-m/-B -W error -m} say hi", "another Python, options or locale"),
    ],
)
def test_a_run_that_loads_other_things_starts_cold(warm: Warm, line: str, reason: str) -> None:
    environ = {"PYTHONDONTWRITEBYTECODE": "1", "RUN": RUN}
    state = warm.start(env=environ)
    done = warm.call("bash", "-c", line, env=environ)
    assert (done.returncode, done.stdout.split()[0], done.stderr) == (0, "hi", "")
    assert int(done.stdout.split()[1]) != state.pid
    found = control.state()
    assert found is not None
    assert reason in (found.refused or "")


def environ_of(pid: int) -> str:
    return Path(f"/proc/{pid}/environ").read_text(encoding="utf-8")


def test_a_variable_of_the_warm_process_is_not_in_a_run(warm: Warm) -> None:
    state = warm.start(env={"SOME_API_KEY": "canary"})
    assert "SOME_API_KEY" not in portrait(warm, "$RUN portrait")["environ"]
    for shown in (warm.call(*SMALL, "read", "/proc/self/environ").stdout, environ_of(state.pid)):
        assert shown.strip("\0") == ""
    assert warm.runs() == 2


@pytest.mark.parametrize("off", ["off", "0", "false", "No"])
def test_it_can_be_switched_off(small: Warm, off: str) -> None:
    assert small.call(*SMALL, "exit", "7", env={"RUNNER_WARM": off}).returncode == 7
    assert small.runs() == 0


def test_in_a_sandbox_a_run_starts_cold(small: Warm) -> None:
    assert small.call(sys.executable, "-c", WITHOUT_NEW_PRIVILEGES, *SMALL, "exit", "7").returncode == 7
    assert small.runs() == 0


@pytest.mark.parametrize(
    ("waiting", "line"),
    [
        (0, f"exec 62> /dev/null; {RUN} say hi"),
        (25, 'for n in {20..50}; do eval "exec $n> /dev/null"; done; ' + f"{RUN} say hi"),
        *((waiting, f"{RUN} say hi") for waiting in (46, 48, 50, 52, 70)),
    ],
)
def test_without_a_descriptor_left_there_a_run_starts_cold(warm: Warm, waiting: int, line: str) -> None:
    state = warm.start(first="ulimit -n 64")
    with ExitStack() as stack:
        for _ in range(waiting):
            connection = stack.enter_context(socket.socket(socket.AF_UNIX))
            connection.connect(state.path)
        done = warm.call("bash", "-c", f"ulimit -n 64; {line}")
    assert (done.returncode, done.stdout[:3], done.stderr) == (0, "hi ", "")
    done = warm.call("bash", "-c", f"ulimit -n 64; {RUN} say hi")
    assert done.stdout == f"hi {state.pid}\n"


def test_what_loading_sets_is_there_in_each_run(small: Warm) -> None:
    line = f"{RUN} portrait | grep -c SET_BY_LOADING"
    assert small.call("bash", "-c", line).stdout == "1\n"


def test_without_a_warm_process_a_run_starts_cold(warm: Warm) -> None:
    assert warm.call(*SMALL, "say", "hi").stdout.startswith("hi ")


def test_a_socket_that_nobody_listens_at_is_passed_by(warm: Warm) -> None:
    state = warm.start()
    os.kill(state.pid, signal.SIGKILL)
    assert Path(state.path).exists()
    done = warm.call(*SMALL, "say", "hi")
    assert (done.returncode, done.stdout[:3], done.stderr) == (0, "hi ", "")


def test_a_warm_process_that_does_not_answer_is_passed_by(small: Warm) -> None:
    state = control.state()
    assert state is not None
    os.kill(state.pid, signal.SIGSTOP)
    try:
        done = small.call(*SMALL, "say", "hi")
    finally:
        os.kill(state.pid, signal.SIGCONT)
    assert (done.returncode, done.stdout[:3], done.stderr) == (0, "hi ", "")
    assert small.runs() == 0


@pytest.mark.parametrize("change", ["link", "open"])
def test_a_folder_that_others_could_have_made_is_not_trusted(small: Warm, change: str) -> None:
    folder = Path(place.folder())
    if change == "link":
        folder.rename(folder.with_name("elsewhere"))
        folder.symlink_to("elsewhere")
    else:
        folder.chmod(0o770)
    done = small.call(*SMALL, "say", "hi")
    if change == "link":
        folder.unlink()
        folder.with_name("elsewhere").rename(folder)
    folder.chmod(0o700)
    assert (done.returncode, done.stdout[:3], done.stderr) == (0, "hi ", "")
    assert small.runs() == 0
