"""The warm process itself: how it starts, listens, and ends."""

import os
import signal
import socket
import stat
import sys
import time
from pathlib import Path

import pytest

from runner.cli.endings import ending
from runner.cli.verbs import cli
from runner.warm import control, place
from runner.warm.certificates import certificate_files
from runner.warm.frames import VERSION, encoded
from runner.warm.stamps import Stamps
from runner.warm.surroundings import UnfitError
from tests.warm.conftest import SMALL, WITHOUT_NEW_PRIVILEGES, Warm
from tests.warm.small import MODULE
from tests.warm.test_signals import begun, lives, until


def test_it_is_alone_in_its_folder_and_holds_nothing_of_whoever_started_it(warm: Warm) -> None:
    state = warm.start()
    assert stat.S_IMODE(Path(place.folder()).stat().st_mode) == 0o700
    assert Path(f"/proc/{state.pid}/cwd").readlink() == Path("/")
    assert os.getsid(state.pid) == state.pid
    assert {str(Path(f"/proc/{state.pid}/fd/{number}").readlink()) for number in range(3)} == {"/dev/null"}


def test_it_keeps_nothing_open_of_the_runs_it_has_begun(warm: Warm) -> None:
    state = warm.start()
    descriptors = Path(f"/proc/{state.pid}/fd")
    before = sorted(descriptors.iterdir())
    for code in range(3):
        assert warm.call(*SMALL, "exit", str(code)).returncode == code
    until(lambda: sorted(descriptors.iterdir()) == before)


def test_starting_it_twice_finds_the_first(warm: Warm) -> None:
    assert warm.start().pid == warm.start().pid


def test_two_that_start_it_at_once_find_one(warm: Warm) -> None:
    code = f"from runner.warm import control; print(control.start({MODULE!r}, idle=60)[0].pid)"
    started = [warm.begin(sys.executable, "-c", code) for _ in range(3)]
    assert len({process.communicate(timeout=30) for process in started}) == 1


def test_it_ends_when_it_had_nothing_to_do_for_so_long(warm: Warm) -> None:
    state = warm.start(idle=0.3)
    until(lambda: not lives(state.pid))
    assert not Path(state.path).exists()


def test_it_is_stopped(warm: Warm) -> None:
    state = warm.start()
    stopped = control.stop()
    assert stopped is not None
    assert stopped.pid == state.pid
    until(lambda: not lives(state.pid))
    assert control.state() is None
    assert control.stop() is None


@pytest.mark.parametrize("how", ["asked", "signal"])
def test_one_that_is_stopped_waits_for_its_runs_and_leaves_its_place_to_another(warm: Warm, how: str) -> None:
    state = warm.start()
    process, _ = begun(warm, "wait")
    if how == "asked":
        stopped = control.stop()
        assert stopped is not None
        assert stopped.running == 1
    else:
        os.kill(state.pid, signal.SIGTERM)
    until(lambda: control.state() is None)
    assert parent_of_a_run(warm) != state.pid
    other = warm.start()
    assert other.pid != state.pid
    assert parent_of_a_run(warm) == other.pid
    process.terminate()
    assert process.wait(20) == 143
    until(lambda: not lives(state.pid))
    assert parent_of_a_run(warm) == other.pid


def test_starting_it_again_sets_how_long_it_waits_for_work(warm: Warm) -> None:
    state = warm.start(idle=60)
    assert warm.start(idle=1e9).idle == 1e9
    assert parent_of_a_run(warm) == state.pid
    assert warm.start(idle=0.3).pid == state.pid
    until(lambda: not lives(state.pid))


# --- when files change


def parent_of_a_run(warm: Warm, **env: str) -> int:
    """The number of the warm process, if there is one that carries it out."""
    return int(warm.call(*SMALL, "say", "hi", env=env).stdout.split()[1])


@pytest.mark.parametrize("variable", ["WATCHED", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"])
def test_a_changed_file_makes_one_run_cold_and_then_all_is_loaded_anew(
    warm: Warm, tmp_path: Path, variable: str
) -> None:
    file = tmp_path / "read"
    file.write_text("one", encoding="ascii")
    environ = {variable: str(file)}
    state = warm.start(env=environ)
    process, _ = begun(warm, "wait", **environ)
    file.write_text("other", encoding="ascii")
    assert parent_of_a_run(warm, **environ) != state.pid
    until(lambda: control.state() is not None)
    found = control.state()
    assert found is not None
    assert found.pid != state.pid
    assert parent_of_a_run(warm, **environ) == found.pid
    assert lives(state.pid)  # it has a run to wait for
    process.terminate()
    until(lambda: not lives(state.pid))
    assert parent_of_a_run(warm, **environ) == found.pid


def test_a_file_that_changes_while_it_is_loaded_counts_as_changed(warm: Warm, tmp_path: Path) -> None:
    environ = {"WATCHED": str(tmp_path / "read"), "CHANGED_WHILE_LOADING": "yes"}
    state = warm.start(env=environ)
    assert parent_of_a_run(warm, **environ) != state.pid
    until(lambda: not lives(state.pid))


def test_whoever_starts_it_while_it_loads_anew_waits_and_finds_it(warm: Warm, tmp_path: Path) -> None:
    environ = {"WATCHED": str(tmp_path / "read"), "LOAD_SECONDS": "0.5"}
    state = warm.start(env=environ)
    (tmp_path / "read").write_text("other", encoding="ascii")
    assert not control.is_loading()
    assert parent_of_a_run(warm, **environ) != state.pid
    assert control.state() is None
    assert control.is_loading()
    assert warm.start(env=environ).seconds < 0.5
    stopped = control.stop()
    assert stopped is not None
    until(lambda: not lives(stopped.pid))
    assert not control.is_loading()
    assert control.state() is None


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_files_with_certificates_are_looked_at(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str) -> None:
    (tmp_path / "0a1b2c.0").touch()
    monkeypatch.setenv(variable, str(tmp_path))
    found = certificate_files()
    assert {tmp_path, tmp_path / "0a1b2c.0"} < {*found}
    assert any(path.name == "cacert.pem" for path in found)
    monkeypatch.setenv(variable, "ca.pem")
    with pytest.raises(UnfitError, match=f"{variable} is 'ca.pem'; expected a path that begins with /"):
        certificate_files()


def test_a_folder_changes_with_the_files_in_it(tmp_path: Path) -> None:
    stamps = Stamps([tmp_path], since=time.time_ns() + 10**12)
    assert stamps.changed() is None
    (tmp_path / "new.pth").touch()
    assert stamps.changed() == str(tmp_path)


# --- what it refuses, and what it withstands


def test_in_a_sandbox_it_does_not_start(warm: Warm) -> None:
    with pytest.raises(AssertionError, match=r"it has no new privileges \(no_new_privs\)"):
        warm.start(first=f"exec {sys.executable} -c '{WITHOUT_NEW_PRIVILEGES}' \"$@\"")


def test_what_is_printed_while_loading_is_not_taken_for_an_answer(warm: Warm) -> None:
    state = warm.start(env={"PRINT_SO_MUCH": "200000"})
    assert warm.call(*SMALL, "exit", "7", env={"PRINT_SO_MUCH": "200000"}).returncode == 7
    found = control.state()
    assert found is not None
    assert (found.pid, found.runs) == (state.pid, 1)


def test_what_leaves_a_thread_behind_cannot_be_kept(warm: Warm) -> None:
    with pytest.raises(AssertionError, match="after loading everything there are 2 threads, expected one"):
        warm.start(env={"LEAVE_A_THREAD": "1"})


def test_a_folder_that_is_a_link_is_refused(warm: Warm) -> None:
    (warm.folder / "elsewhere").mkdir(mode=0o700)
    Path(place.folder()).symlink_to("elsewhere")
    with pytest.raises(AssertionError, match="is a link; expected a folder"):
        warm.start()


def test_a_folder_of_somebody_else_is_refused() -> None:
    if os.getuid() == 0:
        pytest.skip("everything belongs to root")
    with pytest.raises(place.UnsafeFolderError, match="belongs to user 0"):
        place.check("/usr")


RUBBISH = {
    "nothing": b"",
    "no frame": b"\0",
    "too long": b"\xff\xff\xff\xff",
    "no JSON": b"\0\0\0\4rubb",
    "deep": (40_000).to_bytes(4, "big") + b"[" * 40_000,
    "no object": b"\0\0\0\2[]",
    "another version": encoded({"protocol": VERSION + 1, "ask": "status"}),
    "nothing asked": encoded({"protocol": VERSION}),
    "no run": encoded({"protocol": VERSION, "ask": "go"}),
    "half a run": encoded({"protocol": VERSION, "ask": "run", "arguments": [1]}),
    "a signal for nobody": encoded({"protocol": VERSION, "ask": "signal", "number": 10**30, "group": 1}),
}


def test_rubbish_does_not_stop_it(warm: Warm) -> None:
    state = warm.start()
    open_ones = []
    for rubbish in RUBBISH.values():
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(state.path)
        connection.sendall(rubbish)
        open_ones.append(connection)
    for name, connection in zip(RUBBISH, open_ones, strict=True):
        connection.settimeout(20)
        if name not in {"nothing", "no frame"}:
            assert connection.recv(1) == b"", name
    started = time.monotonic()
    assert open_ones[0].recv(1) == b""  # it waits some seconds for what does not come
    assert time.monotonic() - started < 20
    for connection in open_ones:
        connection.close()
    assert warm.call(*SMALL, "exit", "7").returncode == 7
    found = control.state()
    assert found is not None
    assert (found.pid, found.runs) == (state.pid, 1)


@pytest.mark.parametrize("verb", ["start", "status", "stop"])
def test_elsewhere_than_on_linux_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    code = ending(lambda: cli.main(args=["warm", verb], prog_name="runner", standalone_mode=False))
    expected = "error: a warm process needs Linux, this is win32; runs start as ever\n"
    assert (code, *capsys.readouterr()) == (1, "", expected)
