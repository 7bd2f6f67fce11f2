"""Tells whether what a process has loaded is still what is on disk."""

import os
import sys
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

_Stamp = tuple[int, int, int] | None
# Their versions decide what a run does; of everything else the file that is imported first is enough.
_VERSIONS = ("litellm", "openai", "pydantic")


class Stamps:
    """The files behind the modules loaded by now, and `more` files that were read."""

    def __init__(self, more: Iterable[Path] = ()) -> None:
        files = {*_module_files(), *_version_files(), *map(str, more)}
        self._stamps = {file: _stamp(file) for file in files}

    def changed(self) -> str | None:
        """The first of the files that is not what it was, or None."""
        return next((file for file, stamp in self._stamps.items() if _stamp(file) != stamp), None)


def _module_files() -> Iterable[str]:
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and ("." not in name or name.startswith("runner.")):
            yield file


def _version_files() -> Iterable[str]:
    for name in _VERSIONS:
        yield str(metadata.distribution(name).locate_file(f"{name}-{metadata.version(name)}.dist-info/METADATA"))


def _stamp(file: str) -> _Stamp:
    try:
        found = os.stat(file)  # noqa: PTH116 - hundreds of them before each run
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
