"""Writes a file whole or not at all."""

import os
import stat
from contextlib import suppress
from pathlib import Path

import click


def write_whole(path: Path, text: str) -> None:
    """Put `text` (UTF-8) in the place of what is there; whoever reads meanwhile sees the old file or the new one.

    A link is followed. What is no regular file, such as `/dev/stderr`, is written as it is.

    Raises:
        click.UsageError: it cannot be written.
    """
    target = Path(os.path.realpath(path))
    data = text.encode("utf-8", "replace")
    try:
        if target.exists() and not stat.S_ISREG(target.stat().st_mode):
            target.write_bytes(data)
        else:
            _replace(target, data)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise click.UsageError(f"cannot write {path}: {reason}") from None


def _replace(target: Path, data: bytes) -> None:
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask()
    import tempfile  # noqa: PLC0415 - slow, and most commands write no file

    descriptor, name = tempfile.mkstemp(prefix=f".{target.name[:50]}.", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
        os.chmod(name, mode)  # noqa: PTH101 - the name is text; mkstemp made it for the owner alone
        os.replace(name, target)  # noqa: PTH105 - as above
    except BaseException:
        with suppress(OSError):
            os.unlink(name)  # noqa: PTH108 - as above
        raise


def _umask() -> int:
    """The process's own; there is no way to ask but to set it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
