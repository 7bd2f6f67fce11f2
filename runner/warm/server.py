"""The loop of the warm process: answers commands, forks a child for each run, and tells how it ended."""

import os
import selectors
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress

from runner.warm.child import Handed, fits
from runner.warm.forking import Run, forked
from runner.warm.frames import VERSION, Message, ProtocolError, encoded
from runner.warm.listening import Listening
from runner.warm.loaded import Loaded
from runner.warm.session import Session

# No asyncio and no thread anywhere here: what forks must have one thread, with nothing half done.

_ASKING_SECONDS = 5.0
_TERMINATING_SECONDS = 5.0
# So that what was waited for has come for certain.
_TICK = 0.01
# The system cannot wait for longer than some weeks.
_MOST_SECONDS = 86_400.0


class Server:
    """The loop.

    Args:
        listening: where commands come.
        loaded: what has been loaded.
        run: carries out a command line, and never returns.
        idle: seconds without work after which the loop ends.
        renew: starts a process that takes over, as files have changed, and is told its `idle`; whether it could.
    """

    def __init__(
        self, listening: Listening, *, loaded: Loaded, run: Run, idle: float, renew: Callable[[float], bool]
    ) -> None:
        self._listening = listening
        self._loaded = loaded
        self._renew = renew
        self._run = run
        self._idle = idle
        self._began = self._worked = time.monotonic()
        self._runs = 0
        self._refused: str | None = None
        self._ending = False
        self._found = True
        self._sessions: dict[socket.socket, Session] = {}
        self._selector = selectors.DefaultSelector()
        self._woken, self._waking = socket.socketpair()

    def serve(self) -> None:
        """Work until there is nothing more to do."""
        self._listen()
        while not self._is_over():
            for key, _ in self._selector.select(self._seconds_to_wait()):
                if key.fileobj is self._listening.socket:
                    self._accept()
                elif key.fileobj is self._woken:
                    self._wake()
                elif isinstance(key.fileobj, socket.socket) and key.fileobj in self._sessions:
                    self._hear(self._sessions[key.fileobj])
            self._look_at_the_clock()
            if self._ending:
                self._hide()
        self._hide()

    def _listen(self) -> None:
        for each in (self._woken, self._waking):
            each.setblocking(False)
        self._selector.register(self._listening.socket, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)
        signal.set_wakeup_fd(self._waking.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, _nothing)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._end)

    def _end(self, number: int, frame: object) -> None:
        del number, frame
        self._ending = True

    def _hide(self) -> None:
        """Leave the place to another, which may start from now on."""
        if self._found:
            self._found = False
            self._selector.unregister(self._listening.socket)
            self._listening.end()

    def _is_over(self) -> bool:
        if any(session.handed is not None for session in self._sessions.values()):
            return False  # it was promised
        return self._ending or time.monotonic() - self._worked > self._idle

    def _seconds_to_wait(self) -> float | None:
        deadlines = [session.deadline for session in self._sessions.values() if session.deadline is not None]
        if all(session.pid is None for session in self._sessions.values()):
            deadlines.append(self._worked + self._idle)
        return min(max(0.0, min(deadlines) - time.monotonic()) + _TICK, _MOST_SECONDS) if deadlines else None

    # --- commands

    def _accept(self) -> None:
        connection = self._listening.accept()
        if connection is not None:
            self._sessions[connection] = Session(connection, deadline=time.monotonic() + _ASKING_SECONDS)
            self._selector.register(connection, selectors.EVENT_READ)

    def _hear(self, session: Session) -> None:
        try:
            there = session.read()
            while (message := session.frames.next()) is not None:
                self._answer(session, message)
        except (ProtocolError, OSError, KeyError, TypeError, ValueError):
            there = False
        if not there:
            self._leave(session)

    def _leave(self, session: Session) -> None:
        """The command has gone, or has sent rubbish: its run ends, and it has nobody to tell that to."""
        if session.pid is None:
            if session.handed is not None:
                self._say(session, {"state": "refused"})  # it may be there, only late, or out of reach of descriptors
            self._forget(session)
            return
        self._selector.unregister(session.connection)
        self._signal(session, signal.SIGTERM)
        session.deadline = time.monotonic() + _TERMINATING_SECONDS

    def _forget(self, session: Session) -> None:
        del self._sessions[session.connection]
        with suppress(KeyError):
            self._selector.unregister(session.connection)
        session.close()

    def _answer(self, session: Session, message: Message) -> None:
        if message.get("protocol") != VERSION:
            raise ProtocolError("another version")
        ask = message.get("ask")
        if ask == "signal" and session.pid is not None:
            self._signal(session, signal.Signals(message["number"]), group=bool(message["group"]))
        elif ask == "go" and session.handed is not None and session.pid is None:
            self._go(session, session.handed)
        elif ask == "run" and session.handed is None:
            self._consider(session, message)
        elif ask in {"status", "stop", "idle"}:
            self._ending = self._ending or ask == "stop"
            if ask == "idle":
                self._idle, self._worked = float(message["seconds"]), time.monotonic()
            self._say(session, self._status())
        else:
            raise ProtocolError("expected something that makes sense now")

    def _status(self) -> Message:
        running = sum(session.pid is not None for session in self._sessions.values())
        seconds = time.monotonic() - self._began
        return {
            "state": "status",
            "pid": os.getpid(),
            "seconds": seconds,
            "runs": self._runs,
            "running": running,
            "idle": self._idle,
            "refused": self._refused,
        }

    def _consider(self, session: Session, message: Message) -> None:
        """Promise to run a command, if that would do what a cold start does."""
        handed = Handed.of(message)
        reason = self._reason(handed, message.get("surroundings"))
        if reason is not None or self._ending:
            self._refused = reason or self._refused
            self._say(session, {"state": "refused"})
            return
        session.handed = handed
        self._say(session, {"state": "ready"})

    def _reason(self, handed: Handed, there: object) -> str | None:
        """Why a command has to start cold, or None."""
        file = self._loaded.stamps.changed()
        if file is not None:
            self._ending = self._ending or self._renew(self._idle)
            return f"{file} has changed"
        if not fits(handed):
            return "it has descriptors whose numbers are above the limit"
        return self._loaded.difference(handed, there)

    def _say(self, session: Session, message: Message) -> None:
        # A command that has gone, or does not read a few bytes, has nothing to be told.
        with suppress(OSError):
            session.connection.send(encoded(message))

    # --- runs

    def _go(self, session: Session, handed: Handed) -> None:
        if len(session.received) != len(handed.descriptors) + 1:
            raise ProtocolError("expected the descriptors")
        pid = forked(session, handed, closing=self._others(session), added=self._loaded.added, run=self._run)
        session.begun(pid)
        self._runs += 1

    def _others(self, session: Session) -> list[int]:
        """The descriptors that are no business of a run."""
        own = [each.fileno() for each in (self._woken, self._waking, self._selector)]
        others = [number for each in self._sessions.values() if each is not session for number in each.descriptors()]
        return [*self._listening.descriptors(), *own, *others]

    def _signal(self, session: Session, number: int, *, group: bool = False) -> None:
        # It is our child and has not been waited for: the number is still its own.
        if session.pid is None:
            return
        with suppress(OSError):
            if group:
                with suppress(ProcessLookupError):
                    os.killpg(session.pid, number)
                    return  # else it has no group of its own yet
            os.kill(session.pid, number)

    def _wake(self) -> None:
        with suppress(BlockingIOError):
            self._woken.recv(4096)
        for session in list(self._sessions.values()):
            if session.pid is None:
                continue
            pid, status = os.waitpid(session.pid, os.WNOHANG)
            if pid:
                self._worked = time.monotonic()
                self._say(session, {"state": "ended", "status": status})
                self._forget(session)

    def _look_at_the_clock(self) -> None:
        now = time.monotonic()
        for session in list(self._sessions.values()):
            if session.deadline is None or session.deadline > now:
                continue
            if session.pid is None:
                self._leave(session)
            else:
                self._signal(session, signal.SIGKILL, group=True)
                session.deadline = None


def _nothing(number: int, frame: object) -> None:
    """The wake-up is enough."""
