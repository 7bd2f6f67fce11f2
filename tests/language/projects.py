"""Small projects on disk for the tests of the language."""

from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent

# Writes files (name -> content, text dedented) into the project folder, and returns that.
Write = Callable[[Mapping[str, str | bytes]], Path]


def writer(root: Path) -> Write:
    def write(files: Mapping[str, str | bytes]) -> Path:
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else dedent(content).lstrip("\n").encode())
        return root

    return write
