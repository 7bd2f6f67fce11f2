"""Signals of a run that was handed over, and what becomes of it when the command or the warm process goes."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tests.warm.conftest import SMALL, Warm

if TYPE_CHECKING:
    import subprocess

PATIENCE = 20.0


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)


def line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def begun(warm: Warm, action: str, **env: str) -> "tuple[subprocess.Popen[str], int]":
    """A command whose run has begun, and the number of the process that carries it out."""
    process = warm.begin(*SMALL, action, env=env)
    return process, int(line(process).split()[1])


def state_of(pid: int) -> str:
    """One letter, as in `ps`; Z also for a process that is no more."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "Z"


def lives(pid: int) -> bool:
    return state_of(pid) != "Z"


def is_stopped(pid: int) -> bool:
    return state_of(pid) == "T"


def test_signals_reach_the_run_in_their_order(warm: Warm) -> None:
    warm.start()
    process, pid = begun(warm, "wait")
    assert pid != process.pid
    for number in (signal.SIGHUP, signal.SIGUSR1, signal.SIGWINCH, signal.SIGINT, signal.SIGTERM):
        process.send_signal(number)
        assert line(process) == number.name
    assert process.wait(PATIENCE) == 143


def test_the_second_interrupt_comes_through_as_well(warm: Warm) -> None:
    warm.start()
    process, _ = begun(warm, "wait")
    process.send_signal(signal.SIGINT)
    assert line(process) == "SIGINT"
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) == 130


def test_a_signal_that_nobody_hears_ends_the_command_as_it_ends_the_run(warm: Warm) -> None:
    warm.start()
    process, pid = begun(warm, "wait")
    process.send_signal(signal.SIGQUIT)
    assert process.wait(PATIENCE) == -signal.SIGQUIT
    assert not lives(pid)


def test_command_and_run_stop_and_go_on_together(warm: Warm) -> None:
    warm.start()
    process, pid = begun(warm, "wait")
    process.send_signal(signal.SIGTSTP)
    until(lambda: is_stopped(process.pid) and is_stopped(pid))
    process.send_signal(signal.SIGCONT)
    assert line(process) == "SIGCONT"
    process.send_signal(signal.SIGTERM)
    assert line(process) == "SIGTERM"
    assert process.wait(PATIENCE) == 143


def test_a_run_whose_command_was_killed_is_ended(warm: Warm) -> None:
    warm.start()
    process, pid = begun(warm, "wait")
    process.kill()
    assert line(process) == "SIGTERM"
    until(lambda: not lives(pid))


def test_a_run_that_does_not_end_then_is_killed(warm: Warm) -> None:
    warm.start()
    process, pid = begun(warm, "deaf")
    process.kill()
    until(lambda: not lives(pid))


def test_a_warm_process_that_dies_ends_the_command_which_is_not_run_again(warm: Warm, tmp_path: Path) -> None:
    state = warm.start()
    process, pid = begun(warm, "count", COUNTED=str(tmp_path / "runs"))
    os.kill(state.pid, signal.SIGKILL)
    assert process.wait(PATIENCE) == 3
    assert process.stderr is not None
    assert process.stderr.read().startswith("error: the warm process ended in the middle of this run; ")
    until(lambda: not lives(pid))
    assert (tmp_path / "runs").read_text(encoding="ascii") == "run\n"


def test_a_run_can_be_ended_though_the_warm_process_is_stopped(warm: Warm) -> None:
    state = warm.start()
    process, pid = begun(warm, "wait")
    os.kill(state.pid, signal.SIGSTOP)
    try:
        until(lambda: is_stopped(state.pid))
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 143
        until(lambda: not lives(pid))
    finally:
        os.kill(state.pid, signal.SIGCONT)
