"""Sessions and approvals between real processes, and on a real terminal."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.mailbox import Mailbox
from tests.servers import Call, Entry, OpenAIServer, Reply

ROOT = Path(__file__).parents[2]
MAILER = (sys.executable, "-m", "tests.cli.mailer")
# What a shell does for a command: its terminal is fd 0, and Ctrl-C there reaches it.
LOGIN = """
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def mailbox(tmp_path: Path) -> Mailbox:
    return Mailbox(tmp_path)


@pytest.fixture
def start(mailbox: Mailbox) -> Iterator[Start]:
    """Starts the mailer, and makes sure that it ends with the test."""
    started: list[subprocess.Popen[bytes]] = []

    def begin(verb: str, approve: str, *script: str, terminal: int | None = None) -> subprocess.Popen[bytes]:
        command = [*MAILER, verb, str(mailbox.root), approve, *script]
        process = subprocess.Popen(
            command if terminal is None else [sys.executable, "-c", LOGIN, *command],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"},
            stdin=subprocess.DEVNULL if terminal is None else terminal,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if terminal is None else terminal,
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def until(process: subprocess.Popen[bytes], word: bytes) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if word in line:
            return
    pytest.fail(f"{word!r} was never said")


def runner(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The real command, where nobody sits at a terminal."""
    command = [sys.executable, "-m", "runner", *arguments]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("wait", [[], ["--wait=100ms"]])
def test_a_session_in_use_is_an_outcome_of_run(mailbox: Mailbox, wait: list[str]) -> None:
    with mailbox.store.open("trip", create=True):
        done = runner("run", "mail", "Hi", "--session", "trip", "--output", "json", *wait, cwd=mailbox.root)
    document = json.loads(done.stdout)
    assert (done.returncode, document["status"], document["session"]) == (1, "config_invalid", "trip")
    assert f"session trip is in use by process {os.getpid()} since " in done.stderr


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [("--session", "../x", "cannot be the id of a session"), ("--approve", "maybe", "is not one of")],
)
def test_a_malformed_option_is_a_usage_error(mailbox: Mailbox, option: str, value: str, told: str) -> None:
    done = runner("run", "mail", "Hi", option, value, cwd=mailbox.root)
    assert (done.returncode, done.stdout, told in done.stderr) == (2, "", True)


def test_a_call_is_approved_from_another_process_and_another_folder(tmp_path: Path) -> None:
    """Through the real command and LiteLLM."""
    (tmp_path / "project").mkdir()
    mailbox = Mailbox(tmp_path / "project")
    script: list[Entry] = [Reply(calls=[Call("send", {"to": "anna@example.com"})]), "It is sent."]

    with OpenAIServer(script) as server:
        agent = mailbox.file.read_text().replace(
            "openai/gpt-5-mini", f"{{name: hosted_vllm/m, api_base: '{server.url}', api_key: none}}"
        )
        mailbox.file.write_text(agent)
        waits = runner("run", "mail", "Write to Anna", "--approve", "ask", "--output", "json", cwd=mailbox.root)
        document = json.loads(waits.stdout)
        assert (waits.returncode, document["status"]) == (7, "waiting_for_approval")
        session = document["session"]
        shown = runner("sessions", "resume", session, "--project", "project", cwd=tmp_path)
        assert (shown.returncode, shown.stdout, "call_" in shown.stderr or "send(" in shown.stderr) == (7, "", True)
        done = runner("sessions", "resume", session, "--approve", "--project", "project", cwd=tmp_path)
        server.assert_complete()
    assert (done.returncode, done.stdout) == (0, "It is sent.\n")
    assert mailbox.sent == ["anna@example.com 1"]


def test_the_second_process_is_told_who_has_the_session_and_the_next_goes_on_after_a_crash(
    mailbox: Mailbox, start: Start
) -> None:
    first = start("run", "all", "send", "endless")
    until(first, b"asked")
    out, err = start("run", "all").communicate(timeout=20)
    assert out == b""
    assert re.match(rb"error: session trip is in use by process \d+ since .*; --wait waits for it\n", err)
    waiting = start("resume", "-", "done")
    time.sleep(0.3)
    assert waiting.poll() is None
    first.send_signal(signal.SIGKILL)
    out, _ = waiting.communicate(timeout=20)
    assert (waiting.returncode, out, mailbox.sent) == (0, b"It is sent.\n", ["anna@example.com 1"])


class Person:
    """Sits at the terminal of a process."""

    def __init__(self) -> None:
        self._own, self.terminal = pty.openpty()
        self.read = b""

    def sees(self, text: str) -> None:
        end = time.monotonic() + 20
        while text.encode() not in self.read:
            assert time.monotonic() < end, self.read
            if select.select([self._own], [], [], 0.1)[0]:
                self.read += os.read(self._own, 65_536)

    def types(self, text: str) -> None:
        os.write(self._own, text.encode())

    def leaves(self) -> None:
        os.close(self._own)
        os.close(self.terminal)


@pytest.fixture
def person() -> Iterator[Person]:
    at_terminal = Person()
    yield at_terminal
    at_terminal.leaves()


def test_on_a_terminal_the_person_is_asked_without_any_option(mailbox: Mailbox, start: Start, person: Person) -> None:
    process = start("run", "-", "send", "done", terminal=person.terminal)
    person.sees("send waits for your approval")
    person.sees("approve? [y/a/e/n/s/l/v/?] ")
    person.types("y\n")
    assert process.stdout is not None
    assert process.stdout.read() == b"It is sent.\n"
    assert (process.wait(20), mailbox.sent) == (0, ["anna@example.com 1"])


def test_ctrl_c_at_the_question_interrupts_the_run_and_it_can_be_gone_on_with(
    mailbox: Mailbox, start: Start, person: Person
) -> None:
    process = start("run", "-", "send", terminal=person.terminal)
    person.sees("approve? ")
    person.types("\x03")
    assert (process.wait(20), mailbox.sent) == (130, [])
    person.sees("interrupted in step 1")
    again = start("resume", "-", "done", terminal=person.terminal)
    person.read = b""
    person.sees("approve? ")
    person.types("y\n")
    assert (again.wait(20), mailbox.sent) == (0, ["anna@example.com 1"])
