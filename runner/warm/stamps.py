"""Tells whether what a process has loaded is still what is on disk."""

import os
import site
import sys
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

_Stamp = tuple[int, int, int] | None
# Their versions decide what a run does; of everything else the file that is imported first is enough.
_VERSIONS = ("litellm", "openai", "pydantic")
# The system's clock of files is so far behind that of programs.
_LATE = 20_000_000


class Stamps:
    """The files behind the modules loaded by now, and `more` files that were read.

    Args:
        more: their paths; a folder changes when a file in it comes, goes, or is replaced.
        since: nanoseconds; whatever changed later may have been read before it did.
    """

    def __init__(self, more: Iterable[Path] = (), *, since: int) -> None:
        files = {*_module_files(), *_version_files(), *_site_files(), *map(str, more)}
        self._changed = next((file for file in sorted(files) if _changed_since(file, since)), None)
        self._stamps = {file: _stamp(file) for file in files}

    def changed(self) -> str | None:
        """The first of the files that is not what was read, or None."""
        return self._changed or next((file for file, stamp in self._stamps.items() if _stamp(file) != stamp), None)


def _module_files() -> Iterable[str]:
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and ("." not in name or name.startswith("runner.")):
            yield file


def _version_files() -> Iterable[str]:
    for name in _VERSIONS:
        yield str(metadata.distribution(name).locate_file(f"{name}-{metadata.version(name)}.dist-info/METADATA"))


def _site_files() -> Iterable[str]:
    """The folders of installed packages, which change with every installation, and the .pth files that Python reads."""
    own = [site.getusersitepackages()] if site.ENABLE_USER_SITE else []
    for folder in [*site.getsitepackages(), *own]:
        yield folder
        yield from map(str, Path(folder).glob("*.pth"))


def _changed_since(file: str, since: int) -> bool:
    try:
        # Not the time of its content, which installers set to an earlier one.
        return os.stat(file).st_ctime_ns > since - _LATE  # noqa: PTH116 - as below
    except OSError:
        return False


def _stamp(file: str) -> _Stamp:
    try:
        found = os.stat(file)  # noqa: PTH116 - hundreds of them before each run
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
