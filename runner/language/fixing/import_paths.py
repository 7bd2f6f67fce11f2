"""Repairs the functions of Python tools: `pkg/mod.py:func` is `pkg.mod:func`."""

import re
from pathlib import Path

from runner.language.fixing.edits import Fix
from runner.language.fixing.mistake import Mistake
from runner.language.project import find_root
from runner.language.resolve import Problem, is_import_path, resolve
from runner.spec import ProjectSpec

_WRITE = re.compile(r"write '(.+)'")


def import_path(mistake: Mistake) -> Fix | None:
    """Write the import path that the resolver takes the text for."""
    value, document = mistake.value, mistake.places.document
    is_function = mistake.path is not None and mistake.path[-1] == "function" and not mistake.on_key
    if not is_function or not isinstance(value, str) or is_import_path(value) or document is None:
        return None
    folder = document.path.parent if document.path else Path.cwd()
    root = str(find_root(folder))
    problem = resolve(value, folder=folder, project=ProjectSpec(root=root, tools_folder=root))
    found = _WRITE.fullmatch(problem.suggestion or "") if isinstance(problem, Problem) else None
    return Fix(what=f"'{value}' is now '{found[1]}'", edits=mistake.worded(found[1])) if found else None
