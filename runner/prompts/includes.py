"""The files a template may include: those in the agent's own folder tree, whatever links lie in between."""

from pathlib import Path


class IncludeError(Exception):
    """A file may not be included, or cannot be read; the message is for people.

    Attributes:
        missing: whether there is no such file, which `ignore missing` accepts.
    """

    def __init__(self, message: str, *, missing: bool = False) -> None:
        super().__init__(message)
        self.missing = missing


def locate(name: str, folder: Path | None) -> Path:
    """The real path of the file that `{% include name %}` means in an agent whose file lies in `folder`.

    Raises:
        IncludeError: it lies outside of `folder`.
    """
    if folder is None:
        raise IncludeError(f"cannot include '{name}': this template belongs to no folder")
    root = folder.resolve()
    try:
        path = (root / name).resolve()
    except (OSError, RuntimeError, ValueError) as error:  # links in a circle; a NUL in the name
        raise IncludeError(f"cannot include '{name}': {error}") from error
    if not path.is_relative_to(root):
        raise IncludeError(f"cannot include '{name}': it lies outside of the agent's folder {root}")
    return path


def read(name: str, folder: Path | None) -> str:
    """The text of an included file, lines ended by a line feed only, without a byte order mark.

    Raises:
        IncludeError: it lies outside of `folder`, does not exist, or is not UTF-8 text.
    """
    path = locate(name, folder)
    if path.exists() and not (path.is_file() or path.is_dir()):  # opening a pipe would wait for ever
        raise IncludeError(f"included file '{name}' is not a regular file")
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise IncludeError(f"included file '{name}' not found (looked for {path})", missing=True) from error
    except UnicodeDecodeError as error:
        raise IncludeError(f"included file '{name}' is not UTF-8 text (byte {error.start + 1})") from error
    except OSError as error:
        raise IncludeError(f"included file '{name}' cannot be read: {error.strerror}") from error
