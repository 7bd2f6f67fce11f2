"""The lock of a session: one run at a time, and free again however the process of the run ends."""

import json
import os
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from runner.sessions.ports import SessionInUse, StoreError

_POLL = 0.02  # seconds
# Windows keeps others from reading what is locked, so a byte far behind the text is.
_BYTE = 1 << 20

if sys.platform == "win32":
    import msvcrt

    def _take(file: int) -> bool:
        os.lseek(file, _BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

else:
    import fcntl

    def _take(file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


class SessionLock:
    """Held from `acquire` to `release`; the operating system lets go of it when the process is killed."""

    def __init__(self, path: Path, session: str) -> None:
        self._path = path
        self._session = session
        self._file: int | None = None

    def acquire(self, wait: float | None) -> None:
        """Take it, waiting up to so many seconds.

        Raises:
            SessionInUse: another run has it.
            StoreError: there can be no lock here.
        """
        until = time.monotonic() + (wait or 0)
        try:
            while not self._try():
                if time.monotonic() >= until:
                    raise self._in_use()
                time.sleep(_POLL)
        except OSError as error:
            raise StoreError(f"{self._path} cannot be locked: {error.strerror or error}") from error

    def _try(self) -> bool:
        self._path.parent.mkdir(mode=0o700, exist_ok=True)
        file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        taken = False
        try:
            # Whoever had it may have removed the file just now: a lock on that would keep nobody out.
            taken = _take(file) and self._is_in_place(file)
            if taken:
                holder = {"pid": os.getpid(), "since": datetime.now(UTC).isoformat(timespec="seconds")}
                os.truncate(file, 0)
                os.lseek(file, 0, os.SEEK_SET)
                os.write(file, json.dumps(holder).encode())
                self._file = file
        finally:
            if not taken:
                os.close(file)
        return taken

    def _is_in_place(self, file: int) -> bool:
        try:
            return os.path.samestat(os.fstat(file), self._path.stat())
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Let go of it; doing so twice does no harm."""
        file, self._file = self._file, None
        if file is None:
            return
        with suppress(OSError):  # Windows does not remove open files; one that is left does no harm
            self._path.unlink()
        os.close(file)

    def _in_use(self) -> SessionInUse:
        try:
            holder = json.loads(self._path.read_text(encoding="utf-8"))
            pid, since = int(holder["pid"]), datetime.fromisoformat(holder["since"])
        except (OSError, ValueError, KeyError, TypeError):  # it is being written, or gone
            return SessionInUse(f"session {self._session} is in use by another run", pid=None, since=None)
        when = since.astimezone().strftime("%Y-%m-%d %H:%M:%S")
        return SessionInUse(f"session {self._session} is in use by process {pid} since {when}", pid=pid, since=since)
