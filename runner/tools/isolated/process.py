"""A tool's process as the runner sees it: started, asked once, and ended for good.

Everything here may block, except `terminate`, `exited` and `kill`, which may be called from any thread at any time.
"""

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import IO

from runner.engine.messages import ToolResult
from runner.environment import Secrets
from runner.tools.failures import ToolLoadError
from runner.tools.isolated.endings import how_it_ended
from runner.tools.isolated.protocol import (
    Call,
    Failed,
    Logged,
    ProtocolError,
    Ready,
    Reply,
    Request,
    Returned,
    Setup,
    encoded,
    read_reply,
)
from runner.tools.isolated.session import kill_session

Log = Callable[[str, str], None]

# How long a process may take to end by itself once it has given its result: exit functions remove temporary files.
_EXIT_SECONDS = 0.2
# How long one that was killed may take to be gone; only a broken disk or driver takes longer.
_KILL_SECONDS = 1.0
# How long what it printed last may take to arrive once it has ended.
_LISTEN_SECONDS = 0.1
_POLL_SECONDS = 0.005
# Whether the process is still there is looked up this often: a daemon of the tool may hold the pipe open after it.
_LOOK_SECONDS = 0.5
_COMMAND = ("-P", "-m", "runner.tools.isolated")
_MAX_LINES = 200
_MAX_LINE_BYTES = 65_536
_MAX_LINE_CHARS = 2000
# What one call may log. The engine drops the rest anyway; what waits for it must not fill the memory.
_MAX_LOGGED = 1_001
# A character is at most 12 bytes of ASCII JSON (an escaped surrogate pair); the rest is room for definitions and logs.
_BYTES_PER_CHARACTER = 12
_MORE_BYTES = 1_000_000
_NOT_A_RESULT = "the tool's process sent something that is not a result"


class ToolProcess:
    """One process, for at most one call.

    Args:
        setup: the tool.
        environ: the environment variables of the process, `PYTHONPATH` included.
        secrets: masked in what the process prints.

    Raises:
        OSError: the system starts no more processes.
        ValueError: a variable holds what no variable can.
    """

    def __init__(self, setup: Setup, environ: Mapping[str, str], secrets: Secrets) -> None:
        self._secrets = secrets
        self._isolation = setup.isolation
        self._most = setup.max_result_chars * _BYTES_PER_CHARACTER + _MORE_BYTES
        self._lock = threading.Lock()
        self._log: Log | None = None
        self._is_ready = False
        self._ended = False
        # In a session of its own, a Ctrl-C of the terminal does not reach it: the runner decides what ends.
        self._popen = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, *_COMMAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environ,
            start_new_session=True,
        )
        self._requests = _there(self._popen.stdin)
        self._replies: queue.SimpleQueue[Reply | ProtocolError | None] = queue.SimpleQueue()
        _started(self._read, _there(self._popen.stdout))
        self._listener = _started(self._listen, _there(self._popen.stderr))
        self._send(setup)

    def wait_until_ready(self, within: float | None = None) -> Ready:
        """Wait until the tool is imported, for so many seconds.

        Raises:
            ToolLoadError: it cannot be imported, or not in time; the process is ended then.
        """
        try:
            for reply in self._received(within):
                if isinstance(reply, Ready):
                    self._is_ready = True
                    return reply
                if isinstance(reply, Failed):
                    raise ToolLoadError(reply.message)
            raise ToolLoadError(self._ending(during=" while it was imported"))
        except TimeoutError:
            raise ToolLoadError(f"its module was not imported within {within:g} s") from None
        except ProtocolError:
            raise ToolLoadError(_NOT_A_RESULT) from None
        finally:
            if not self._is_ready:
                self.kill()

    def serve(self, call: Call, log: Log) -> ToolResult:
        """Make the call and end the process; what the tool prints goes to `log`. Never raises."""
        try:
            return self._serve(call, log)
        except ToolLoadError as error:  # it could be imported before, so this is told like a failure of the call
            return ToolResult(content=str(error), is_error=True)
        except ProtocolError:
            return ToolResult(content=_NOT_A_RESULT, is_error=True)
        except RecursionError:
            return ToolResult(content="the arguments are nested too deeply", is_error=True)

    def _serve(self, call: Call, log: Log) -> ToolResult:
        if not self._is_ready:
            self.wait_until_ready()
        self._log = log
        self._send(call)
        for reply in self._received(None):
            if isinstance(reply, Logged):
                log(reply.level, reply.message)
            elif isinstance(reply, Returned):
                self._wait(_EXIT_SECONDS)
                self.kill()
                self._listener.join(_LISTEN_SECONDS)
                return ToolResult(content=reply.content, is_error=reply.is_error)
        ending = self._ending()
        self._listener.join(_LISTEN_SECONDS)
        return ToolResult(content=ending, is_error=True)

    def terminate(self) -> None:
        """Ask the process and its children to end."""
        with self._lock:
            if self._ended:
                return
            with suppress(ProcessLookupError, PermissionError):  # nobody is left, or only zombies are (macOS)
                if hasattr(os, "killpg"):
                    os.killpg(self._popen.pid, signal.SIGTERM)
                else:
                    self._popen.terminate()

    def exited(self) -> bool:
        """Whether it has ended."""
        with self._lock:
            return self._has_exited()

    def kill(self) -> None:
        """End the process and what is left of its children, now; it takes milliseconds."""
        with self._lock:
            if not self._ended:
                # Before the process is reaped: until then nothing else can have the number of its session.
                if hasattr(os, "killpg"):
                    kill_session(self._popen.pid)
                else:
                    self._popen.kill()
                with suppress(subprocess.TimeoutExpired):
                    self._popen.wait(_KILL_SECONDS)
                    self._ended = True
            with suppress(OSError):  # what was not written yet is of no use any more
                self._requests.close()
            self._replies.put(None)

    def _has_exited(self) -> bool:
        if self._ended:
            return True
        if not hasattr(os, "waitid"):
            return self._popen.poll() is not None  # macOS, Windows
        try:
            # It is left unreaped, see `kill`.
            return os.waitid(os.P_PID, self._popen.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:  # who started the runner ignores SIGCHLD, and the system reaps then
            return True

    def _wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while not self.exited() and time.monotonic() < end:
            time.sleep(_POLL_SECONDS)

    def _ending(self, *, during: str = "") -> str:
        self._wait(_EXIT_SECONDS)
        self.kill()
        return how_it_ended(self._popen.returncode, self._isolation, during=during)

    def _send(self, request: Request) -> None:
        line = encoded(request)
        with suppress(OSError, ValueError):  # it has ended already: how is told by whoever waits for its reply
            self._requests.write(line)
            self._requests.flush()

    def _received(self, within: float | None) -> Iterator[Reply]:
        """The replies, until the process has ended.

        Raises:
            TimeoutError: this took longer than `within` seconds.
            ProtocolError: it sent something else.
        """
        end = None if within is None else time.monotonic() + within
        while True:
            try:
                reply = self._replies.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                if end is not None and time.monotonic() >= end:
                    raise TimeoutError from None
                if self.exited() and self._replies.empty():
                    return
                continue
            if reply is None:
                return
            if isinstance(reply, ProtocolError):
                raise reply
            yield reply

    def _read(self, stream: IO[bytes]) -> None:
        logged = 0
        with stream:
            while line := stream.readline(self._most):
                try:
                    reply = read_reply(line)
                except ProtocolError as error:
                    self._replies.put(error)
                    return
                logged += isinstance(reply, Logged)
                if logged <= _MAX_LOGGED or not isinstance(reply, Logged):
                    self._replies.put(reply)
        self._replies.put(None)

    def _listen(self, stream: IO[bytes]) -> None:
        """Pass on what the tool prints, as much as somebody may read; the rest is dropped, so it never waits for us."""
        lines = 0
        goes_on = False
        with stream:
            while line := stream.readline(_MAX_LINE_BYTES):
                is_rest, goes_on = goes_on, not line.endswith(b"\n")
                if self._log is None or lines > _MAX_LINES or is_rest:
                    continue
                lines += 1
                self._log("debug", self._shown(line) if lines <= _MAX_LINES else "… (more was printed)")

    def _shown(self, line: bytes) -> str:
        """A line, or its beginning. Half a secret would not be found, so what is looked for is never cut before."""
        if len(line) == _MAX_LINE_BYTES:
            return f"… (a line of {_MAX_LINE_BYTES:,} bytes or more was printed)"
        text = self._secrets.mask(line.decode("utf-8", "replace").rstrip())
        return text if len(text) <= _MAX_LINE_CHARS else f"{text[:_MAX_LINE_CHARS]}…"


def _there(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None  # noqa: S101 - all three streams are asked to be pipes
    return stream


def _started(read: Callable[[IO[bytes]], None], stream: IO[bytes]) -> threading.Thread:
    thread = threading.Thread(target=read, args=[stream], name="tool process", daemon=True)
    thread.start()
    return thread
