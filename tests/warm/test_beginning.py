"""Whether a run has begun, as the command sees it: a warm process that says too little, played by this one."""

import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.warm import place
from runner.warm.frames import VERSION, Frames, Message, encoded
from tests.warm.conftest import SMALL, Warm


class Played:
    """Listens where a warm process would."""

    def __init__(self) -> None:
        place.make(place.folder())
        self._listener = socket.create_server(place.socket_path(), family=socket.AF_UNIX)
        self._listener.settimeout(20)
        self._frames = Frames()

    def accept(self) -> None:
        self._connection, _ = self._listener.accept()
        self._connection.settimeout(20)

    def hears(self) -> Message:
        while (message := self._frames.next()) is None:
            self._frames.feed(self._connection.recv(65_536))
        assert message["protocol"] == VERSION
        return message

    def says(self, **message: object) -> None:
        self._connection.sendall(encoded(message))

    def hangs_up(self) -> None:
        self._connection.close()

    def close(self) -> None:
        self._listener.close()


@pytest.fixture
def played(warm: Warm) -> Iterator[Played]:
    del warm  # its folder
    made = Played()
    yield made
    made.hangs_up()
    made.close()


def promised(warm: Warm, played: Played, counted: Path) -> "subprocess.Popen[str]":
    """A command that has been told that it may begin."""
    process = warm.begin(*SMALL, "note", env={"COUNTED": str(counted)})
    played.accept()
    assert played.hears()["ask"] == "run"
    played.says(state="ready")
    return process


def told(process: "subprocess.Popen[str]") -> str:
    return process.communicate(timeout=20)[1]


def test_a_run_that_is_refused_after_all_starts_cold(warm: Warm, played: Played, tmp_path: Path) -> None:
    process = promised(warm, played, tmp_path / "runs")
    assert played.hears()["ask"] == "go"
    played.says(state="refused")
    assert (told(process), process.returncode) == ("", 0)
    assert (tmp_path / "runs").read_text(encoding="ascii") == "run\n"


def test_a_signal_for_a_run_that_is_refused_after_all_is_not_lost(warm: Warm, played: Played, tmp_path: Path) -> None:
    process = promised(warm, played, tmp_path / "runs")
    assert played.hears()["ask"] == "go"
    process.terminate()
    assert played.hears()["ask"] == "signal"
    played.says(state="refused")
    assert (told(process), process.returncode) == ("", -15)
    assert not (tmp_path / "runs").exists()


def test_a_run_that_cannot_be_asked_for_any_more_starts_cold(warm: Warm, played: Played, tmp_path: Path) -> None:
    process = warm.begin(*SMALL, "note", env={"COUNTED": str(tmp_path / "runs")})
    played.accept()
    assert played.hears()["ask"] == "run"
    played.says(state="ready")
    played.hangs_up()
    error = told(process)
    # It may have asked just before.
    assert (error[:6], process.returncode) in {("", 0), ("error:", 3)}
    assert (tmp_path / "runs").exists() == (process.returncode == 0)


@pytest.mark.parametrize(
    ("has_begun", "error"),
    [
        (
            False,
            "error: the warm process ended before it told whether this run has begun; it is not begun a second time\n",
        ),
        (
            True,
            "error: the warm process ended in the middle of this run; what the run has done until then stays done\n",
        ),
    ],
)
def test_a_run_that_may_have_begun_is_not_begun_again(
    warm: Warm, played: Played, tmp_path: Path, *, has_begun: bool, error: str
) -> None:
    process = promised(warm, played, tmp_path / "runs")
    assert played.hears()["ask"] == "go"
    with subprocess.Popen(["sleep", "60"]) as run:
        if has_begun:
            played.says(state="began", pid=run.pid)
        played.hangs_up()
        assert told(process).startswith(error)
        assert process.returncode == 3
        if has_begun:
            assert run.wait(20) == -15
        run.kill()
    assert not (tmp_path / "runs").exists()
