"""The folder that sessions are kept in."""

from pathlib import Path

from runner.sessions.ports import StoreError


def prepare(folder: Path) -> None:
    """Make the folder, if there is none: for this user's eyes only, and kept out of Git.

    Raises:
        StoreError: it cannot be made.
    """
    try:
        new = not folder.exists()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A folder that was there may be the project's own, in which everything would be hidden from Git.
        if new:
            (folder / ".gitignore").write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise StoreError(f"sessions cannot be kept in {folder}: {error.strerror or error}") from error
