"""What one process has open in several places stays locked against other processes."""

import subprocess
import sys
from pathlib import Path

from runner.sessions.database import connect

OTHER = """
import sys
from pathlib import Path
from runner.sessions.database import connect
connection = connect(Path(sys.argv[1]))
connection.rows("select count(*) from sessions")
connection.close()
"""


def test_a_second_connection_does_not_give_up_the_locks_of_the_first(tmp_path: Path) -> None:
    first = connect(tmp_path / "state")
    second = connect(tmp_path / "state")  # as an agent does that remembers what people corrected
    try:
        subprocess.run([sys.executable, "-c", OTHER, str(tmp_path / "state")], check=True, timeout=60)

        with first.transaction(synced=True):
            first.execute("insert into sessions(id, began, changed) values ('s', 'x', 'x')")
        assert (tmp_path / "state" / "sessions.db-wal").exists()
        found = subprocess.run(
            [
                sys.executable,
                "-c",
                OTHER.replace("connection.rows(", "print(*connection.rows(").replace('sessions")', 'sessions"))'),
                str(tmp_path / "state"),
            ],
            check=True,
            timeout=60,
            capture_output=True,
            text=True,
        )
        assert "1" in found.stdout
    finally:
        second.close()
        first.close()
