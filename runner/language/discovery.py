"""Which files of a folder are documents of ours, and of which kind."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from runner.language.document import is_special
from runner.language.openapi.reading import looks_like_openapi
from runner.language.paths import real_path
from runner.language.project import AGENTS_FOLDER, PROJECT_FILE, TOOLS_FOLDER, find_root

Kind = Literal["agent", "toolset", "project"]

_KINDS: dict[str, Kind] = {"agent": "agent", "toolset": "toolset", "project": "project"}
_SUFFIXES = (".yaml", ".yml")
_FOREIGN_FOLDERS = frozenset({"node_modules", "site-packages", "venv", "__pycache__"})
_MODELINE = re.compile(r"^#.*\$schema=\S*\b(agent|toolset|project)\.schema\.json", re.MULTILINE)
_TOP_KEY = re.compile(
    r"^(?P<quote>['\"]?)(?P<key>[A-Za-z_][\w-]*)(?P=quote)[ \t]*:(?:[ \t]+(?P<value>.*))?$", re.MULTILINE
)
_SAYS_WHAT = frozenset({"instructions", "instructions_file", "prompt", "prompt_file", "extends"})
_ENOUGH_TO_TELL = 64_000
# A toolset lies in `tools.d` or in a folder there; what is deeper is data of the toolset.
_TOOLSET_DEPTH = 3


def kind_of(path: Path) -> Kind:
    """The kind of a file that somebody names: what is not said to be another is an agent."""
    return _kind_by_place(path.name, _place(path.parent)) or _kind_by_text(path) or "agent"


def documents_in(folder: Path, *, deep: bool = True) -> Iterator[tuple[Path, Kind]]:
    """The documents of ours in a folder and (`deep`) its subfolders; other YAML (compose, k8s, …) is passed over."""
    closed: list[OSError] = []
    for parent, folders, names in os.walk(folder, onerror=closed.append):
        ours = sorted(name for name in folders if not name.startswith(".") and name not in _FOREIGN_FOLDERS)
        folders[:] = ours if deep else []
        place = _place(Path(parent))
        for name in sorted(names):
            path = Path(parent, name)
            if path.suffix in _SUFFIXES and not name.startswith(".") and not _is_special(path):
                kind = _kind_by_place(name, place) or _kind_by_text(path)
                if kind is not None and (kind == "project" or not looks_like_openapi(path)):
                    yield path, kind
    for error in closed:
        if isinstance(error, PermissionError):
            # What nobody can look into is not without problems: reading it will say so.
            yield Path(error.filename), "agent"


def documents_of_project(root: Path) -> Iterator[tuple[Path, Kind]]:
    """The documents of a project; one that has no `agents.d` may have its agents anywhere."""
    if not (root / AGENTS_FOLDER).is_dir():
        yield from documents_in(root)
        return
    if (root / PROJECT_FILE).is_file():
        yield root / PROJECT_FILE, "project"
    for folder in (root / AGENTS_FOLDER, root / TOOLS_FOLDER):
        yield from documents_in(folder)


def is_of_project(file: Path, root: Path) -> bool:
    """Whether `documents_of_project` looks for agents where this file (given by its real path) is."""
    agents = root / AGENTS_FOLDER
    return file.is_relative_to(agents) or not agents.is_dir()


def mentions(path: Path, word: str) -> bool:
    """Whether a word stands in a file; cheaper than reading the document to find out."""
    return word in _beginning(path)


def _beginning(path: Path) -> str:
    """Enough of a file's text to tell what it is; nothing of a file that cannot be read."""
    if _is_special(path):
        return ""
    try:
        with path.open("rb") as stream:
            return stream.read(_ENOUGH_TO_TELL).decode("utf-8-sig", errors="replace")
    except OSError:
        return ""


def _is_special(path: Path) -> bool:
    try:
        return is_special(path)
    except (OSError, ValueError):  # reading it will tell what is wrong
        return False


def _place(folder: Path) -> tuple[str, ...]:
    """The names of the folders from the project root down to this one."""
    real = real_path(folder)
    return real.relative_to(find_root(real)).parts


def _kind_by_place(name: str, folders: tuple[str, ...]) -> Kind | None:
    if name == PROJECT_FILE:
        return "project"
    if folders[:1] == (TOOLS_FOLDER,) and len(folders) < _TOOLSET_DEPTH:
        return "toolset"
    return "agent" if folders[:1] == (AGENTS_FOLDER,) else None


def _kind_by_text(path: Path) -> Kind | None:
    """Told from the text, so that a file of ours with a mistake in its syntax is still ours."""
    text = _beginning(path)
    keys = {
        match["key"]: (match["value"] or "").partition("#")[0].strip(" \t\r'\"") for match in _TOP_KEY.finditer(text)
    }
    modeline = _MODELINE.search(text)
    said = _KINDS.get(keys.get("kind", "")) or (_KINDS[modeline[1]] if modeline else None)
    if said is not None:
        return said
    if "apiVersion" in keys or "kind" in keys:
        return None
    return "agent" if keys.keys() & _SAYS_WHAT and keys.keys() & {"name", "model"} else None
