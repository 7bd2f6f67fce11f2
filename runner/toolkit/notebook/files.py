"""Decide which note files may be read.

A model chooses the folder, so nothing outside the working directory is read, nothing hidden, and nothing that symbolic
links lead to there; the amount that is read is bounded.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

SUFFIXES = (".md", ".markdown", ".txt", ".rst")
MAX_FILE_BYTES = 1_000_000
MAX_BYTES = 16_000_000
MAX_FILES = 2_000
MAX_ENTRIES = 50_000


@dataclass(frozen=True, kw_only=True)
class NoteFile:
    """A file that may be read, and its path as shown, relative to the working directory."""

    path: Path
    name: str


@dataclass(kw_only=True)
class Listing:
    """The files to search, and what was left out: too large, unreadable, or behind the limits."""

    files: list[NoteFile] = field(default_factory=list)
    too_large: int = 0
    unreadable: int = 0
    complete: bool = True


def within(folder: str, root: Path) -> Path:
    """The folder below `root`; ValueError when it is elsewhere, hidden or missing. `root` is a resolved path."""
    try:
        real = Path(os.path.realpath(root / folder))
    except ValueError:  # a null character
        raise ValueError(f"{folder[:80]!r} is not the name of a folder; {_folders(root)}") from None
    if not real.is_relative_to(root):
        raise ValueError(f"{folder[:80]!r} is outside the working directory; {_folders(root)}")
    if _is_hidden(real, root):
        raise ValueError(f"{folder[:80]!r} is hidden, and hidden folders are not searched; {_folders(root)}")
    if _is_folder(real):
        return real
    if os.path.isfile(real):  # noqa: PTH113 - as in _is_folder
        raise ValueError(f"{folder[:80]!r} is a file; give its folder {os.path.relpath(real.parent, root)!r}")
    raise ValueError(f"there is no folder {folder[:80]!r}; {_folders(root)}")


def list_notes(folder: Path, root: Path) -> Listing:
    """The note files in a folder and below it, in the order of their names."""
    listing, size = Listing(), 0
    for path in _walk(folder, root, listing):
        real = Path(os.path.realpath(path))
        if real.suffix.lower() not in SUFFIXES or not real.is_relative_to(root) or _is_hidden(real, root):
            continue  # a link that leaves the folders a model may read
        try:
            found = real.stat()
        except OSError:
            listing.unreadable += 1
            continue
        if not stat.S_ISREG(found.st_mode):  # reading a pipe would wait for ever
            continue
        if found.st_size > MAX_FILE_BYTES:
            listing.too_large += 1
            continue
        size += found.st_size
        if size > MAX_BYTES or len(listing.files) == MAX_FILES:
            listing.complete = False
            break
        listing.files.append(NoteFile(path=real, name=_shown(path, root)))
    return listing


def read(file: NoteFile) -> str:
    """The text of a file; bytes that are no UTF-8 are replaced. OSError when it cannot be read."""
    with file.path.open("rb") as stream:
        content = stream.read(MAX_FILE_BYTES)
    encoding = "utf-16" if content[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig"
    text = content.decode(encoding, errors="replace").replace("\0", " ")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _walk(folder: Path, root: Path, listing: Listing) -> Iterator[Path]:
    """Files with a note's suffix, each folder once however links lead to it."""
    waiting, seen, left = [folder], set[str](), MAX_ENTRIES
    while waiting:
        current = waiting.pop()
        real = os.path.realpath(current)
        if real in seen or not Path(real).is_relative_to(root) or _is_hidden(Path(real), root):
            continue
        seen.add(real)
        try:
            with os.scandir(current) as entries:
                found = sorted(islice(entries, left), key=lambda entry: entry.name)
        except OSError:
            listing.unreadable += 1
            continue
        left -= len(found)
        visible = [entry for entry in found if not entry.name.startswith(".")]
        yield from (Path(entry.path) for entry in visible if entry.name.lower().endswith(SUFFIXES))
        waiting += [Path(entry.path) for entry in reversed(visible) if _is_folder(entry)]
        if not left:
            listing.complete = False
            return


def _is_folder(path: os.PathLike[str]) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 - Path.is_dir raises where this is False: no permission, links in a circle


def _is_hidden(path: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(root).parts)


def _shown(path: Path, root: Path) -> str:
    """The path for a message, without bytes that are no text."""
    return os.fsencode(path.relative_to(root).as_posix()).decode(errors="replace")


def _folders(root: Path) -> str:
    found = [path for path in islice(root.iterdir(), 1_000) if path.name[0] != "." and _is_folder(path)]
    names = sorted(_shown(path, root) for path in found)
    if not names:
        return "there are no folders here; '.' is the working directory"
    return f"folders here are: {', '.join(names[:20])}{', …' if len(names) > 20 else ''}"
